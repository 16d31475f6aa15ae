/** A command to type, with a button that copies it. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

type Outcome = 'none' | 'copied' | 'failed';

const WORDS: Readonly<Record<Outcome, string>> = { none: 'Copy', copied: 'Copied', failed: 'Select it and copy' };

export function Copyable({ text, label = 'Copy the command' }: { readonly text: string; readonly label?: string }) {
  return (
    <div class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<Outcome>('none');
  useEffect(() => {
    if (outcome === 'none') return undefined;
    const timer = setTimeout(() => setOutcome('none'), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  /** Pages that did not come by TLS or loopback have no clipboard. */
  const copy = () =>
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={outcome === 'none' ? label : WORDS[outcome]}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span aria-hidden="true">{WORDS[outcome]}</span>
    </button>
  );
}
