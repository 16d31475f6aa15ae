/** How far the clock here is from that of the API server, as far as an answer can tell: its Date has whole seconds, and it was under way for a while. */

export interface Heartbeat {
  /** What the header said. */
  readonly date: string;
  /** By the clock here. */
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** The server's clock is at least `fromMs` and at most `toMs` ahead of the one here. */
export interface Skew {
  readonly fromMs: number;
  readonly toMs: number;
}

export function skewOf({ date, sentMs, receivedMs }: Heartbeat): Skew | undefined {
  const serverMs = Date.parse(date);
  if (Number.isNaN(serverMs)) return undefined;
  return { fromMs: serverMs - receivedMs, toMs: serverMs + 999 - sentMs };
}

/** By how much the two differ at the least, with the sign of the server's lead. Zero where they may be the same. */
export const leastSkew = ({ fromMs, toMs }: Skew): number => (fromMs > 0 ? fromMs : toMs < 0 ? toMs : 0);
