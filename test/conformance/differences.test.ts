/** That a difference is seen, and what is none. */
import { expect, test } from 'vitest';
import { differences } from './differences.ts';
import type { Exchange } from './play.ts';
import { get, post } from './steps.ts';

const UIDS = [
  '5be3dd0c-5b9b-4c0e-8a5f-0f3a1b1f4a01',
  '5be3dd0c-5b9b-4c0e-8a5f-0f3a1b1f4a02',
  '5be3dd0c-5b9b-4c0e-8a5f-0f3a1b1f4a03',
];

const answer = (body: unknown, status = 200): Exchange => ({ asked: 'GET x', status, headers: {}, body });
const object = (uid: number, resourceVersion: string, more: object = {}): Exchange =>
  answer({ metadata: { uid: UIDS[uid], resourceVersion, creationTimestamp: new Date().toISOString(), ...more } });

/** How many steps differ. */
function count(sandbox: readonly Exchange[], real: readonly Exchange[], steps = sandbox.map(() => get('x'))): number {
  return Object.keys(differences(steps, sandbox, real).real).length;
}

test('other uids, versions and times are no difference', () => {
  expect(count([object(0, '5'), object(1, '6')], [object(2, '88'), object(0, '91')])).toBe(0);
});

test('another object, or another version of it, is a difference', () => {
  expect(count([object(0, '5'), object(0, '5')], [object(2, '88'), object(1, '88')])).toBe(1);
  expect(count([object(0, '5'), object(0, '5')], [object(2, '88'), object(2, '91')])).toBe(1);
});

test('a field more or less, another value and another status are differences', () => {
  expect(count([object(0, '5', { labels: {} })], [object(0, '5')])).toBe(1);
  expect(count([object(0, '5')], [object(0, '5', { labels: { a: 'b' } })])).toBe(1);
  expect(count([answer({ message: 'a' })], [answer({ message: 'b' })])).toBe(1);
  expect(count([answer({}, 200)], [answer({}, 201)])).toBe(1);
});

test('a time of long ago is compared, and how exact a time is', () => {
  const now = new Date().toISOString();
  expect(count([answer('2001-01-01T00:00:00Z')], [answer('2002-01-01T00:00:00Z')])).toBe(1);
  expect(count([answer(now)], [answer(now.replace(/\.\d+/, ''))])).toBe(1);
});

test('events are compared one by one', () => {
  const events = (...types: readonly string[]): Exchange => ({
    asked: 'WATCH x',
    status: 200,
    headers: {},
    events: types.map((type) => ({ type })),
  });
  expect(count([events('ADDED')], [events('ADDED')])).toBe(0);
  expect(count([events('ADDED')], [events('ADDED', 'MODIFIED')])).toBe(1);
});

test('of a name that was made up only the beginning is compared', () => {
  const steps = [post('configmaps', { metadata: { generateName: 'some-' } })];
  expect(count([answer({ name: 'some-bcdfg' })], [answer({ name: 'some-xz24z' })], steps)).toBe(0);
  expect(count([answer({ name: 'some-bcdfg' })], [answer({ name: 'some-xz24' })], steps)).toBe(1);
  expect(count([answer({ name: 'other-bcdfg' })], [answer({ name: 'other-xz24z' })], steps)).toBe(1);
});
