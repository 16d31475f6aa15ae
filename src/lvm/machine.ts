/** What the job asks of the node that it runs on. */
import type { Content, Declared } from './decide.ts';
import type { Leaving } from './decide-removal.ts';
import type { Look, Sight } from './sight.ts';
import type { Step } from './steps.ts';

/** What goes with a step that may take hours. */
export interface Going {
  readonly signal: AbortSignal;
  readonly progress: (doneBytes: number, ofBytes: number) => void;
}

export interface Machine {
  /** Takes part until it is disposed of: those who take part look together. */
  join(): Disposable;
  /** The whole node, looked at from now on. Rejects when any of it could not be seen. */
  look(): Promise<Look>;
  /** What is on the device of a volume. Rejects when that could not be seen. */
  content(declared: Declared, sight: Sight, signal: AbortSignal): Promise<Content>;
  /** Each can be cut off at any point, and be done again. Gives the uuid of a logical volume that it has created. */
  make(step: Step, declared: Declared, sight: Sight, signal: AbortSignal): Promise<string | undefined>;
  /** Has an open volume opened by the keys that its Secret has by now. */
  renewKeys(declared: Declared, sight: Sight, signal: AbortSignal): Promise<void>;
  takeAway(step: Step, leaving: Leaving, sight: Sight, going: Going): Promise<void>;
  /** Lets go on what an agent that was killed has left frozen. */
  thaw(): Promise<void>;
  /** What is in a directory of the node; nothing when there is none. */
  namesIn(directory: string): Promise<readonly string[]>;
  /** The bare directory that it was mounted at. Whether it is gone: one that somebody has files in stays. */
  removeMountPoint(path: string, signal: AbortSignal): Promise<boolean>;
}
