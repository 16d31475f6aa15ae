/**
 * Runs contenders against each other: in rounds, each of them once a round, so that all see the same of the machine's moods. Each round
 * begins with another one: whoever is always last would find a server that has more behind it.
 */
import { type Contender, runContender } from './contender.ts';
import { type Run, Runs } from './figures.ts';

export interface RaceOptions {
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export async function race<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  { rounds, progress }: RaceOptions,
): Promise<Record<Name, Runs>> {
  const names = Object.keys(contenders) as Name[];
  const runs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Run[]>;
  for (let round = 1; round <= rounds; round++) {
    for (const name of rotated(names, round - 1)) {
      const run = await runContender(contenders[name]);
      runs[name].push(run);
      progress(`  round ${round} of ${rounds}: ${name}: ${brief(run)}`);
    }
  }
  return Object.fromEntries(names.map((name) => [name, new Runs(runs[name])])) as Record<Name, Runs>;
}

export function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

const brief = (run: Run): string =>
  Object.entries(run)
    .map(([phase, { cpuSeconds, wallSeconds, peakMb, stallMs }]) => {
      const time = `${cpuSeconds.toFixed(2)} s CPU in ${wallSeconds.toFixed(1)} s`;
      return `${phase} ${time}, ${peakMb.toFixed(0)} MB, ${stallMs.toFixed(0)} ms stall`;
    })
    .join('; ');
