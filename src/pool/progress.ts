/** How far a drain is, in a sentence for people: `draining pool-sts-3: 41 of 120 GiB, 2 min left`. */
import type { DrainStatus } from '../pool-client/protocol.ts';
import type { Operation } from './contract.ts';
import type { Seen } from './seen.ts';

const MOST_NAMED = 3;

export function progressOf({ members, now }: Seen, operation: Operation): string {
  const draining = operation.members.flatMap(({ name }) => {
    const { agent } = members.find((member) => member.name === name) ?? {};
    if (agent?.known && agent.value.state === 'Decommissioned') return [];
    const drain = agent?.known ? agent.value.drain : undefined;
    return [drain ? `${name}: ${amountsOf(drain)}${timeLeft(drain, now)}` : name];
  });
  const done = operation.members.length - draining.length;
  if (draining.length === 0) return `all ${done} are drained`;
  const more = draining.length - MOST_NAMED;
  const named = draining.slice(0, MOST_NAMED).join('; ') + (more > 0 ? ` and ${more} more` : '');
  return `draining ${named}${done > 0 ? ` (${done} of ${operation.members.length} are done)` : ''}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Both in the unit of the larger, and as finely as a reader can tell them apart. Never more than it is. */
function amountsOf({ movedBytes, leftBytes }: DrainStatus): string {
  const all = movedBytes + leftBytes;
  const power = Math.min(UNITS.length - 1, all > 0 ? Math.floor(Math.log2(all) / 10) : 0);
  const scale = power > 0 && all / 2 ** (10 * power) < 10 ? 10 : 1;
  const inUnit = (bytes: number) => Math.floor((scale * bytes) / 2 ** (10 * power)) / scale;
  return `${inUnit(movedBytes)} of ${inUnit(all)} ${UNITS[power]}`;
}

/** At the pace since it began. */
function timeLeft({ since, movedBytes, leftBytes }: DrainStatus, now: Date): string {
  const elapsedMs = now.getTime() - Date.parse(since);
  if (!(elapsedMs > 0) || movedBytes === 0 || leftBytes === 0) return '';
  const minutes = Math.ceil(leftBytes / (movedBytes / elapsedMs) / 60_000);
  return minutes < 120 ? `, ${minutes} min left` : `, ${Math.round(minutes / 60)} h left`;
}
