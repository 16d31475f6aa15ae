import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { NO_KEYS } from '../export/keys.ts';
import { verifyChain } from '../export/verify-chain.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { CheckedHistory } from './checked-history.ts';
import { inTime } from './in-time.ts';
import { type KillAt, SimulatedLine } from './simulated-line.ts';
import { CLUSTER, SimulatedSite } from './simulated-site.ts';

const DAY = 86_400_000;

/** A cluster that exports, changes, confirms, takes over and gets old exports removed, in a process that is killed once. */
async function life(killAt: KillAt | undefined) {
  const clock = new VirtualClock();
  const store = new SimulatedStore(clock);
  const line = new SimulatedLine({ clock });
  const site = new SimulatedSite({ store, clock, name: 'a', through: line.through });
  const other = new SimulatedSite({ store, clock, name: 'b' });
  if (killAt) line.killAt(killAt);

  /** Does it again when the process was killed meanwhile. */
  const surely = async <T>(act: () => Promise<T>): Promise<T> => {
    const { death } = line;
    const ended = await inTime(clock, Promise.race([act(), death]));
    if (ended !== 'killed') return ended;
    site.restart();
    return await inTime(clock, act());
  };

  await surely(() => site.export());
  await clock.advance(60_000);
  await surely(() => site.confirm());
  site.form = { ...site.form, compression: 'Gzip' };
  await surely(() => site.export());
  await inTime(clock, other.takeOver());
  await inTime(clock, other.export());
  await surely(() => site.takeOver());
  site.edition = 2;
  await surely(() => site.export());
  await clock.advance(6 * DAY);
  await surely(() => site.export(true));
  site.edition = 3;
  await surely(() => site.export());
  return { store, line };
}

describe('a process that is killed', () => {
  test('before or after any call to the store leaves what the next one goes on from', async () => {
    const { line } = await life(undefined);
    expect(line.calls).toBeGreaterThan(50);
    for (let call = 1; call <= line.calls; call += 1) {
      for (const when of ['before', 'after'] as const) {
        const { store } = await life({ call, when });
        const newest = await new CheckedHistory(CLUSTER).check(store.history);
        expect(newest, `killed ${when} call ${call}`).toBe('edition-3');
        const signal = new AbortController().signal;
        const findings = await Array.fromAsync(verifyChain(store.as('auditor'), CLUSTER, NO_KEYS, signal));
        expect(findings.filter(({ severity }) => severity === 'broken')).toEqual([]);
        expect(store.keys().length, 'little is left behind').toBeLessThan(12);
      }
    }
  });
});
