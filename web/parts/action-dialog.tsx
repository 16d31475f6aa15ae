/** Asks before anything is done: what will happen, a word to type where it cannot be undone, and then what came of it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Action, ActionResult } from '../../src/console/model.ts';
import type { Service } from '../live/service.ts';
import { HealthMark } from './health-mark.tsx';
import { Modal } from './modal.tsx';
import { whyOf } from './problem.tsx';

interface ActionDialogProps {
  readonly action: Action;
  readonly cluster: string;
  readonly service: Service;
  readonly onClose: () => void;
}

type Stage = 'asked' | 'sent' | ActionResult;

export function ActionDialog({ action, cluster, service, onClose }: ActionDialogProps) {
  const [stage, setStage] = useState<Stage>('asked');
  const [typed, setTyped] = useState('');
  const isConfirmed = action.confirmBy === undefined || typed.trim() === action.confirmBy;

  const send = async (event: Event) => {
    event.preventDefault();
    if (!isConfirmed || stage !== 'asked') return;
    setStage('sent');
    const confirmed = action.confirmBy === undefined ? true : typed.trim();
    setStage(
      await service
        .act(cluster, { ...action, confirmed })
        .catch((problem): ActionResult => ({ succeeded: false, sentence: whyOf(problem) })),
    );
  };

  return (
    <Modal title={action.label} onClose={onClose}>
      <Subject to={action.to} />
      <p>{action.consequence}</p>
      {typeof stage === 'object' ? (
        <Outcome result={stage} onClose={onClose} />
      ) : (
        <form onSubmit={send}>
          {action.confirmBy !== undefined && <Typing word={action.confirmBy} typed={typed} onTyped={setTyped} />}
          {stage === 'sent' && (
            <p class="quiet-text" role="status">
              It is being done, and goes on when this is closed.
            </p>
          )}
          <div class="modal-buttons">
            <button type="button" class="button" onClick={onClose}>
              {stage === 'sent' ? 'Close' : 'Cancel'}
            </button>
            <button
              type="submit"
              class={action.name === 'approve-wipe' ? 'button danger' : 'button primary'}
              disabled={!isConfirmed || stage === 'sent'}
            >
              {stage === 'sent' ? 'On its way…' : action.label}
            </button>
          </div>
        </form>
      )}
    </Modal>
  );
}

/** What only the agent compares is in the consequence in words. */
const isForPeople = ([name]: readonly [string, string]): boolean => !FOR_MACHINES.has(name);
const FOR_MACHINES: ReadonlySet<string> = new Set(['identity', 'uid', 'generation']);

function Subject({ to }: Pick<Action, 'to'>) {
  return (
    <dl class="facts inline">
      {Object.entries(to)
        .filter(isForPeople)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface TypingProps {
  readonly word: string;
  readonly typed: string;
  readonly onTyped: (text: string) => void;
}

function Typing({ word, typed, onTyped }: TypingProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        To confirm, type <code>{word}</code>
      </label>
      <input
        id={id}
        value={typed}
        onInput={(event) => onTyped(event.currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
    </div>
  );
}

function Outcome({ result, onClose }: { readonly result: ActionResult; readonly onClose: () => void }) {
  const close = useRef<HTMLButtonElement>(null);
  // What had the focus is gone with the question.
  useEffect(() => close.current?.focus(), []);
  return (
    <>
      <div class="outcome" role="status">
        <HealthMark health={result.succeeded ? 'well' : 'failed'}>{result.succeeded ? 'Done' : 'Not done'}</HealthMark>
        <p>{result.sentence}</p>
      </div>
      <div class="modal-buttons">
        <button type="button" class="button primary" ref={close} onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}
