/** How each volume of the node stands: what people see in `status`, and what the gauges count. */
import { ObservedMap } from '../kit/observed-map.ts';

export type State =
  | { readonly is: 'ready' }
  | { readonly is: 'working'; readonly step: string }
  | { readonly is: 'removing'; readonly step: string; readonly percent?: number | undefined }
  /** Something has to happen first that is not ours to do. */
  | { readonly is: 'waiting'; readonly why: string }
  /** As it is written, or as the node is, it cannot be made: a person has to do something. */
  | { readonly is: 'refused'; readonly fact: string; readonly why: string; readonly remedy: string }
  /** It is tried again. */
  | { readonly is: 'failed'; readonly why: string };

export const STATES: readonly State['is'][] = ['ready', 'working', 'removing', 'waiting', 'refused', 'failed'];

export interface Standing {
  readonly volume: string;
  readonly state: State;
  readonly vg?: string | undefined;
  readonly path?: string | undefined;
  readonly bytes?: bigint | undefined;
  readonly claim?: string | undefined;
}

export class Standings extends ObservedMap<Standing> {
  /** What is not said anew stays as it was. */
  note(standing: Standing): void {
    this.set(standing.volume, { ...this.get(standing.volume), ...standing });
  }
}
