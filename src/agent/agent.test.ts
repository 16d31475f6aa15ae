import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { silentLog } from '../kit/observe/log.ts';
import { Agent } from './agent.ts';
import { NEW_AGENT } from './decide.ts';
import { DiskStore } from './disk-store.ts';
import type { Drained, Draining } from './draining.ts';
import { StateFile } from './state-file.ts';
import { aVolume, dropVolume } from './test-volume.ts';

/** One whose drain is what the test makes of it. */
async function anAgent() {
  const layout = aVolume();
  const parts = { layout, clock: new VirtualClock(), random: Math.random, log: silentLog };
  const store = await DiskStore.open({ ...parts, mostBytes: 1_000 });
  await store.count();
  let drained: Drained = async () => {};
  const draining: Draining = {
    begin() {},
    async end() {},
    status: () => undefined,
    removeEverywhere: async () => 'absent',
  };
  const stateFile = new StateFile(layout, Math.random);
  const agent = new Agent({
    ...parts,
    name: 'a',
    store,
    stateFile,
    kept: NEW_AGENT,
    draining(tell) {
      drained = tell;
      return draining;
    },
  });
  return {
    agent,
    drained: (calledOff: AbortSignal) => drained(calledOff),
    stored: () => stateFile.read(),
    [Symbol.dispose]: () => dropVolume(layout),
  };
}

const order = (generation: number) => ({ generation, peers: [] });

test('an agent that was called back and told anew is not drained by what the drain before has found', async () => {
  using one = await anAgent();
  const { agent, drained, stored } = one;
  const calledOff = new AbortController();
  await agent.decommission(order(1));
  // All at once: the drain has just found nothing left, and has its turn after both orders.
  const back = agent.recommission({ generation: 2 });
  const anew = agent.decommission(order(3));
  const told = drained(calledOff.signal);
  await back;
  calledOff.abort();
  await Promise.all([anew, told]);
  expect([agent.state, (await stored()).state]).toEqual(['Decommissioning', 'Decommissioning']);
  await drained(new AbortController().signal);
  expect([agent.state, (await stored()).state]).toEqual(['Decommissioned', 'Decommissioned']);
});
