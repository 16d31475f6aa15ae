/** Who has a block device open: what a survey of all processes found, what it could not see, and the answer for one device. */
import type { DeviceNumber } from './device-number.ts';

export interface OpenSurvey {
  readonly openers: ReadonlyMap<DeviceNumber, readonly Opener[]>;
  /** What could not be seen. When this is not empty, a device that nobody is seen to have open may still be open. */
  readonly unseen: readonly Unseen[];
}

export interface Opener {
  readonly pid: number;
  readonly command: string;
  readonly fd: number;
  /** It is this very process. */
  readonly self: boolean;
}

/** `reason` is a sentence for people. */
export type Unseen = { readonly reason: string } & (
  | UnseenProcess
  /** Processes that are not even listed: this one has process ids of its own, or its /proc hides some. */
  | { readonly kind: 'hidden-processes' }
  /** This process lacks the right to look at the descriptors of others. */
  | { readonly kind: 'no-right' }
  /** A filesystem does not answer, and what came after it was not looked at. */
  | { readonly kind: 'no-answer' }
  /** New processes came faster than they could be looked at. Asking again may help. */
  | { readonly kind: 'restless' }
);

/** One process that is there and whose descriptors cannot be read. Never a thread of the kernel: those have none. */
export interface UnseenProcess {
  readonly kind: 'process';
  /** Where the process ids of the host are seen, 1 is its init and can be nothing else. Any other number is reused in time. */
  readonly pid: number;
  /** As the process calls itself, which can be anything. */
  readonly command: string;
  /** Why, by the system's name: `EACCES` is a security profile, or a namespace that this process has no rights in. */
  readonly code: string;
}

export type OpenAnswer =
  | { readonly open: 'yes'; readonly openers: readonly Opener[] }
  | { readonly open: 'no' }
  | { readonly open: 'unknown'; readonly unseen: readonly Unseen[] };

export interface OpenQuestion {
  /** Openers that the caller knows of, such as its own descriptor. */
  readonly except?: (opener: Opener) => boolean;
  /** Unseen processes that a person has said not to hold any of these devices. Nothing else that is unseen can be vouched for. */
  readonly vouchedFor?: (process: UnseenProcess) => boolean;
}

/** Whether anyone has a device open, under any of its numbers: `numbersOf` gives them, those of its partitions and its disk included. */
export function openAnswer(
  survey: OpenSurvey,
  numbers: readonly DeviceNumber[],
  question: OpenQuestion = {},
): OpenAnswer {
  const all = numbers.flatMap((number) => survey.openers.get(number) ?? []);
  const openers = all.filter((opener) => !question.except?.(opener));
  if (openers.length > 0) return { open: 'yes', openers };
  const unseen = survey.unseen.filter((one) => one.kind !== 'process' || !question.vouchedFor?.(one));
  return unseen.length > 0 ? { open: 'unknown', unseen } : { open: 'no' };
}
