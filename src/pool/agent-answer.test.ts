import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutated } from '../../test/arbitraries/mutation.ts';
import { AGENT_STATES } from '../pool-client/protocol.ts';
import { agentStatusOf, isEmptyPage } from './agent-answer.ts';

const DRAIN = { since: '2026-01-01T00:00:00Z', movedBlobs: 1, movedBytes: 2, leftBlobs: 3, leftBytes: 4 };
const STATUS = {
  name: 'pool-0',
  total: 10,
  used: 5,
  state: 'Decommissioned',
  blobs: 0,
  bytes: 0,
  generation: 7,
  drain: DRAIN,
};
const text = JSON.stringify(STATUS);

test('what is as agreed is believed', () => {
  expect(agentStatusOf(text)).toMatchObject({
    known: true,
    value: { state: 'Decommissioned', blobs: 0, generation: 7 },
  });
  expect(isEmptyPage('{"items":[]}')).toEqual({ known: true, value: true });
});

describe('whatever an agent says', () => {
  const anything = fc.oneof(fc.string(), fc.json(), mutated(fc.constant(text), '0123456789{}[]",:-.eE'));

  test('is a status in which every number and state can be, or nothing', () => {
    fc.assert(
      fc.property(anything, (said) => {
        const status = agentStatusOf(said);
        if (!status.known) return status.why.length > 0;
        const { name, state, drain, ...counts } = status.value;
        const numbers = [
          ...Object.values(counts),
          ...(drain ? [drain.leftBlobs, drain.leftBytes, drain.movedBlobs] : []),
        ];
        return (
          name.length <= 253 &&
          AGENT_STATES.includes(state) &&
          numbers.every((each) => Number.isSafeInteger(each) && each >= 0)
        );
      }),
    );
  });

  test('is taken for an empty page only if it is one', () => {
    fc.assert(
      fc.property(anything, (said) => {
        const page = isEmptyPage(said);
        if (!page.known || !page.value) return true;
        const { items, continue: next } = JSON.parse(said);
        return Array.isArray(items) && items.length === 0 && !next;
      }),
    );
  });

  test.each([
    ['-1 blobs', { ...STATUS, blobs: -1 }],
    ['half a blob', { ...STATUS, blobs: 0.5 }],
    ['blobs in words', { ...STATUS, blobs: '0' }],
    ['more than can be counted', { ...STATUS, generation: 2 ** 60 }],
    ['a state that there is not', { ...STATUS, state: 'decommissioned' }],
    ['a name without end', { ...STATUS, name: 'a'.repeat(1_000) }],
    ['a drain that is a list', { ...STATUS, drain: [] }],
  ])('nothing is known from %s', (_, said) => {
    expect(agentStatusOf(JSON.stringify(said)).known).toBe(false);
  });
});
