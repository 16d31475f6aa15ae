/** How far a drain is, read from the sentence that the operator writes for people: there is no other place where it stands. Pure. */

export interface DrainProgress {
  /** Of all of it, 0 to 1, where it can be said. */
  readonly progress?: number;
  readonly secondsLeft?: number;
  /** Of each agent that is named with amounts. */
  readonly byAgent: ReadonlyMap<string, number>;
}

const AMOUNTS = /([a-z0-9][-a-z0-9.]*): (\d+) of (\d+) (?:bytes|[KMGT]iB)/g;
const LEFT = /(\d+) (min|h) left/g;
const DONE = /\((\d+) of (\d+) are done\)/;

export function drainProgress(text: string, members: readonly string[]): DrainProgress {
  const byAgent = new Map(
    [...text.matchAll(AMOUNTS)].map(([, name = '', moved, all]) => [
      name,
      Number(all) > 0 ? Number(moved) / Number(all) : 1,
    ]),
  );
  const done = /^all \d+ are drained/.test(text) ? members.length : Number(DONE.exec(text)?.[1] ?? 0);
  const seconds = [...text.matchAll(LEFT)].map(([, count, unit]) => Number(count) * (unit === 'h' ? 3_600 : 60));
  const isSaid = byAgent.size > 0 || done > 0;
  const sum = done + [...byAgent.values()].reduce((total, each) => total + each, 0);
  return {
    ...(isSaid && members.length > 0 && { progress: Math.min(1, sum / members.length) }),
    ...(seconds.length > 0 && { secondsLeft: Math.max(...seconds) }),
    byAgent,
  };
}
