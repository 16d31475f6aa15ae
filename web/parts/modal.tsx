/** A dialog above the page: the focus stays in it, and goes back to where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { focusMain } from '../focus-main.ts';

interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Modal({ title, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // What opened it may be gone by then: what is done is no longer offered.
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else focusMain();
    };
  }, []);
  return (
    <dialog ref={dialog} class="modal" aria-labelledby={id} onClose={onClose} onKeyDown={turnRound}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

const STOPS = 'a[href], button:not(:disabled), input:not(:disabled), summary, [tabindex="0"]';

/** From the last to the first, and back: the browser would go on to its own buttons. */
function turnRound(event: KeyboardEvent): void {
  if (event.key !== 'Tab') return;
  const stops = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(STOPS)];
  const [from, to] = event.shiftKey ? [stops.at(0), stops.at(-1)] : [stops.at(-1), stops.at(0)];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}
