/** What is asked of a store before the caches are complete. */
import { expect, test } from 'vitest';
import { settled, VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedSite } from './simulated-site.ts';
import { SimulatedStore } from './store/simulated-store.ts';

function aSite(mode: 'Protected' | 'Recovery') {
  const clock = new VirtualClock();
  const store = new SimulatedStore(clock);
  const site = new SimulatedSite(clock, 'here', store);
  site.declare('dr', { mode });
  return { clock, store, site };
}

test('a protected side looks before it works, and only looks', async () => {
  const { store, site } = aSite('Protected');
  site.start({ isHeldBack: true });
  await settled();
  expect(store.calls.map(({ verb, key }) => `${verb} ${key}`).toSorted()).toEqual([
    'get .holdfast/alpha/pointer.json',
    'list .holdfast/alpha/manifests/',
  ]);
  expect(store.history).toEqual([]);
  expect(site.writes).toEqual([]);
});

test('the other side does not', async () => {
  const { store, site } = aSite('Recovery');
  site.start({ isHeldBack: true });
  await settled();
  expect(store.calls).toEqual([]);
});

test('nothing comes of a store that fails or hangs then: it is given up, and the export is not', async () => {
  const { clock, store, site } = aSite('Protected');
  store.inject({ verb: 'get' }, { kind: 'hang' });
  store.inject({ verb: 'list' }, { kind: 'fail' });
  site.start();
  for (let passed = 0; passed < 15_000; passed += 100) await clock.advance(100);
  expect(site.conditions('dr')).toContain('Exported=True');
  expect([...site.log.at('warn'), ...site.log.at('error')]).toEqual([]);
});
