import { expect, test } from 'vitest';
import type { ReflectorState } from '../kit/cache/reflector-state.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Hearing } from './hearing.ts';
import type { Connection } from './model.ts';

const COURSE = { failures: 0, denials: 0, relists: 0, streams: true };
const listing: Extract<ReflectorState, { is: 'listing' }> = { ...COURSE, is: 'listing', how: 'stream' };
const watching = { ...COURSE, is: 'watching', known: '1' } as unknown as ReflectorState;
const resting: ReflectorState = { is: 'resting', next: listing, why: 'nobody answers', atLeastMs: 0 };
const denied: ReflectorState = { is: 'denied', next: listing, why: 'no right' };

function aHearing() {
  const clock = new VirtualClock();
  const told: Connection[] = [];
  const hearing = new Hearing(clock, (connection) => told.push(connection));
  return { clock, told, hearing };
}

test('a cluster is heard when all of it was listed', () => {
  const { hearing, told } = aHearing();
  for (const resource of ['a', 'b']) hearing.note(resource, listing);
  hearing.note('a', watching);
  expect(hearing.connection.isHeard).toBe(false);
  hearing.note('b', denied);
  expect(told).toMatchObject([{ isHeard: true }]);
  expect(hearing.whyNot('b')).toBe('no right');
});

test('a watch that is broken for a moment is no news', async () => {
  const { hearing, told, clock } = aHearing();
  hearing.note('a', watching);
  hearing.note('a', resting);
  await clock.advance(1_000);
  hearing.note('a', watching);
  await clock.advance(10_000);
  expect(told).toMatchObject([{ isHeard: true }]);
});

test('one that stays broken is, with the reason and since when, until it is not', async () => {
  const { hearing, told, clock } = aHearing();
  hearing.note('a', watching);
  const since = clock.now().toISOString();
  hearing.note('a', resting);
  await clock.advance(1_000);
  hearing.note('a', listing);
  hearing.note('a', resting);
  await clock.advance(1_000);
  hearing.note('a', watching);
  expect(told).toMatchObject([{ isHeard: true }, { isHeard: false, since, why: 'nobody answers' }, { isHeard: true }]);
});

test('what was denied and is given is no longer denied', () => {
  const { hearing } = aHearing();
  hearing.note('a', denied);
  hearing.note('a', watching);
  expect(hearing.whyNot('a')).toBeUndefined();
});
