/** What answers one kind of request. Refusals are thrown. */
import type { Exchange } from '../exchange.ts';

export type Route = (exchange: Exchange) => Promise<void>;

export interface Resource {
  readonly owns: (path: string) => boolean;
  readonly methods: Readonly<Record<string, Route>>;
  /** `always`: without a token; `by-option`: also without one where that was asked for. */
  readonly open?: 'always' | 'by-option';
}

export const at =
  (path: string) =>
  (asked: string): boolean =>
    asked === path;
