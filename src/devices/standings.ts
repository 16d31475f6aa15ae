/** How each device of a node stands: what people see in `status` and `plan`, and what the gauges count. */
import { ObservedMap } from '../kit/observed-map.ts';
import type { Identity } from './identity.ts';
import type { Partitioned } from './partitions.ts';
import type { Reason } from './reasons.ts';
import type { RefusalFact } from './refusals.ts';

/** A refusal, or another reason for which nothing is done. */
export type Trouble = RefusalFact | Reason['fact'];

export type State =
  /** It is a volume that nobody has yet. */
  | { readonly is: 'available' }
  | { readonly is: 'bound' }
  /** Its owner has left it, and it is about to be wiped. */
  | { readonly is: 'released' }
  /** It is about to become a volume. */
  | { readonly is: 'new' }
  | { readonly is: 'wiping'; readonly doneBytes: number; readonly ofBytes: number }
  /** Nothing is done to it, for a reason that a person can do something about. */
  | {
      readonly is: 'refused';
      readonly fact: Trouble;
      readonly why: string;
      readonly remedy: string;
      /** Whether `holdfast devices approve` is that. */
      readonly canBeApproved: boolean;
    }
  /** The device, or what was to be done with it, fails. It is tried again. */
  | { readonly is: 'failed'; readonly why: string }
  /** A dry run would do this. */
  | { readonly is: 'planned'; readonly what: 'make' | 'recycle'; readonly method: string; readonly ofBytes: number };

export interface Standing extends Partitioned {
  /** Of the volume that the device is, or becomes. */
  readonly volume: string;
  readonly path: string;
  readonly state: State;
  readonly sizeBytes?: number | undefined;
  /** What approvals name it by. */
  readonly device?: string | undefined;
  readonly identity?: Identity | undefined;
  /** What is on it, as far as that was looked at. */
  readonly holds?: string | undefined;
  readonly claim?: string | undefined;
}

export class Standings extends ObservedMap<Standing> {
  note(standing: Standing): void {
    this.set(standing.volume, standing);
  }
}
