import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterDecommission,
  afterDraining,
  afterRecommission,
  type KeptState,
  NEW_AGENT,
  type Verdict,
} from './decide.ts';

const peer = (name: string) => ({ name, url: `http://${name}:8080` });
const order = (generation: number, ...names: readonly string[]) => ({ generation, peers: names.map(peer) });
const stateAfter = (verdict: Verdict): KeptState => {
  if (verdict.is !== 'kept') throw new Error('the order was stale');
  return verdict.state;
};
const draining = stateAfter(afterDecommission(NEW_AGENT, order(5, 'a')));
const drained = afterDraining(draining);
const calledBack = stateAfter(afterRecommission(draining, { generation: 6 }));

describe('an order to decommission', () => {
  test('is kept, and the drain begins', () => {
    expect(afterDecommission(NEW_AGENT, order(5, 'a'))).toEqual({
      is: 'kept',
      state: { state: 'Decommissioning', generation: 5, peers: [peer('a')] },
      drain: 'begin',
    });
  });
  test('of the same generation changes the peers and nothing else', () => {
    expect(afterDecommission(draining, order(5, 'b'))).toMatchObject({
      state: { state: 'Decommissioning', generation: 5, peers: [peer('b')] },
      drain: 'begin',
    });
    expect(afterDecommission(drained, order(5, 'b'))).toMatchObject({
      state: { state: 'Decommissioned', generation: 5, peers: [peer('b')] },
      drain: 'begin',
    });
  });
  test('with other peers does not forget those that may have been given blobs', () => {
    const moved = stateAfter(afterDecommission(draining, order(5, 'b', 'c')));
    expect(moved.former).toEqual([peer('a')]);
    const elsewhere = [{ name: 'a', url: 'http://elsewhere:8080' }, peer('c')];
    const back = stateAfter(afterDecommission(moved, { generation: 6, peers: elsewhere }));
    expect(back).toMatchObject({ peers: elsewhere, former: [peer('b')] });
    expect(stateAfter(afterRecommission(back, undefined)).former).toBeUndefined();
  });
  test('of an older generation is stale', () => {
    expect(afterDecommission(draining, order(4, 'a'))).toEqual({ is: 'stale', known: 5 });
  });
  test('of the generation that the agent was called back with is stale', () => {
    expect(afterDecommission(calledBack, order(6, 'a'))).toEqual({ is: 'stale', known: 6 });
  });
  test('of a newer generation begins anew, also where one was drained before', () => {
    expect(afterDecommission(drained, order(6, 'a'))).toMatchObject({
      state: { state: 'Decommissioning' },
      drain: 'begin',
    });
  });
  test('of the original, without a body, has no peers and no generation', () => {
    expect(afterDecommission(NEW_AGENT, undefined)).toEqual({
      is: 'kept',
      state: { state: 'Decommissioning', peers: [] },
      drain: 'begin',
    });
    expect(afterDecommission(calledBack, undefined)).toMatchObject({ state: { generation: 6, peers: [] } });
  });
  test('of the original takes no peers away from a drain that has some', () => {
    expect(afterDecommission(draining, undefined)).toEqual({ is: 'kept', state: draining, drain: 'nothing' });
  });
});

describe('an order to recommission', () => {
  test('ends a drain', () => {
    expect(afterRecommission(draining, { generation: 6 })).toEqual({
      is: 'kept',
      state: { state: 'Ready', generation: 6, peers: [] },
      drain: 'end',
    });
    expect(afterRecommission(drained, undefined)).toMatchObject({
      state: { state: 'Ready', generation: 5 },
      drain: 'end',
    });
  });
  test('of an older generation is stale', () => {
    expect(afterRecommission(draining, { generation: 4 })).toEqual({ is: 'stale', known: 5 });
  });
  test('ends nothing where nothing is drained', () => {
    expect(afterRecommission(calledBack, { generation: 7 })).toMatchObject({
      state: { generation: 7 },
      drain: 'nothing',
    });
  });
});

test('only an agent that drains becomes Decommissioned', () => {
  expect(drained).toEqual({ ...draining, state: 'Decommissioned' });
  expect(afterDraining(calledBack)).toBe(calledBack);
});

test('whatever comes in whichever order, the generation never goes back', () => {
  const anOrder = fc.record({
    is: fc.constantFrom('out', 'back'),
    generation: fc.option(fc.nat(5), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(anOrder), (orders) => {
      let kept = NEW_AGENT;
      for (const { is, generation } of orders) {
        const given = generation === undefined ? undefined : order(generation, 'a');
        const verdict = is === 'out' ? afterDecommission(kept, given) : afterRecommission(kept, given);
        if (verdict.is === 'stale') continue;
        expect(verdict.state.generation ?? -1).toBeGreaterThanOrEqual(kept.generation ?? -1);
        kept = verdict.state;
      }
    }),
  );
});
