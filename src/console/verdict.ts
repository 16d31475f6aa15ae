/** The answer in one sentence: is my data safe? Pure. */
import type { Known } from '../kit/known.ts';
import type { Health, JobStanding, Need, Verdict } from './model.ts';
import type { Parts, ShownRows } from './overview.ts';
import { counted, sentence, worstOf } from './shown.ts';

/** Never better than the worst of what is seen, and never well while there is something that cannot be seen. */
export function verdictOf(parts: Parts, needs: readonly Need[], jobs: readonly JobStanding[]): Verdict {
  const { volumes } = parts;
  if (!volumes.known) return { health: 'unknown', sentence: sentence(`nobody can say: ${volumes.why}`) };
  const healths = healthsOf(parts, jobs);
  const worst = worstOf([...healths.values()].flatMap((each) => [...each]));
  const urgent = needs.filter(({ severity }) => severity === 'urgent').length;
  const unseen = unseenIn(parts);
  const but = unseen === undefined ? '' : ` ${sentence(unseen)}`;
  if (worst === 'failed' || urgent > 0)
    return {
      health: worst === 'failed' ? 'failed' : 'attention',
      sentence: `Not all of it. ${counted(Math.max(urgent, 1), 'thing needs', 'things need')} you now.${but}`,
    };
  if (needs.length > 0 || worst === 'attention')
    return { health: 'attention', sentence: `${asFarAs(healths, unseen)} ${waiting(Math.max(needs.length, 1))}${but}` };
  if (worst === 'unknown' || unseen !== undefined) return { health: 'unknown', sentence: unknownIn(healths, unseen) };
  return { health: 'well', sentence: wellIn([...volumes.value.values()].map(({ row }) => row.health)) };
}

/** Only who sees everything can say yes. */
const asFarAs = (healths: ReadonlyMap<string, readonly Health[]>, unseen: string | undefined): string =>
  unseen === undefined && ![...healths.values()].flat().includes('unknown') ? 'Yes.' : 'As far as it can be seen.';

const waiting = (count: number): string => `${counted(count, 'thing waits', 'things wait')} for you.`;

/** Of each kind of thing, by its name. */
function healthsOf(
  { volumes, nodes, pools, syncs }: Parts,
  jobs: readonly JobStanding[],
): ReadonlyMap<string, readonly Health[]> {
  const of = (part: Known<ShownRows<{ readonly health: Health }>>) =>
    part.known ? [...part.value.values()].map(({ row }) => row.health) : [];
  return new Map([
    ['volume', of(volumes)],
    ['node', of(nodes)],
    ['pool', of(pools)],
    ['sync', of(syncs)],
    ['job', jobs.map(({ health }) => health)],
  ]);
}

const NAMES = { claims: 'claims', pods: 'pods', reports: 'the reports of agents' } as const;

/** What cannot be seen, and why the first of it cannot. */
function unseenIn({ nodes, pools, syncs, blind }: Parts): string | undefined {
  const spots = [
    ...Object.entries({ nodes, pools, syncs }).flatMap(([what, part]) => (part.known ? [] : [{ what, why: part.why }])),
    ...blind.map(({ what, why }) => ({ what: NAMES[what], why })),
  ];
  const [first, ...others] = spots;
  if (!first) return undefined;
  const all = [...new Set([first, ...others].map(({ what }) => what))];
  const list = all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : first.what;
  return `${list} cannot be seen: ${first.why}`;
}

function unknownIn(healths: ReadonlyMap<string, readonly Health[]>, unseen: string | undefined): string {
  for (const [kind, each] of healths) {
    const count = each.filter((health) => health === 'unknown').length;
    if (count > 0 && kind !== 'job')
      return `Nobody can say how ${counted(count, `${kind} is`, `${kind}s are`)}.${unseen === undefined ? '' : ` ${sentence(unseen)}`}`;
  }
  return sentence(`what is seen is well, but ${unseen ?? 'not all of it can be seen'}`);
}

function wellIn(volumes: readonly Health[]): string {
  if (volumes.length === 0) return 'There are no volumes yet.';
  const busy = volumes.filter((health) => health === 'busy').length;
  if (volumes.length === 1)
    return busy > 0 ? 'Yes. The only volume is being worked on.' : 'Yes. The only volume is well.';
  const worked = busy > 0 ? `, ${busy} of them ${busy === 1 ? 'is' : 'are'} being worked on` : '';
  return `Yes. All ${counted(volumes.length, 'volume')} are well${worked}.`;
}
