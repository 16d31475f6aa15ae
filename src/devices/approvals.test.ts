import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mutated } from '../../test/arbitraries/mutation.ts';
import { type Approval, approvalsIn, formatApprovals, isInForce, parseApprovals, withApproval } from './approvals.ts';
import type { ReadStanding } from './node-report.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 30);

const approval = (id: string, daysAgo = 0): Approval => ({
  id,
  at: new Date(NOW - daysAgo * DAY).toISOString(),
  fact: 'hasForeignData',
  identity: { sizeBytes: 4096, wwid: 'naa.1', partition: { index: 1, startBytes: 512 } },
});

const report = (devices: readonly string[], leftOut = 0) => ({
  devices: devices.map((device): ReadStanding => ({ device, volume: 'v', path: '/dev/x', state: { is: 'new' } })),
  leftOut,
});

test('approvals are read as they were written', () => {
  const approvals = { 'wwid:naa.1#1': [approval('one'), approval('other')], 'path:/dev/loop0': [approval('two')] };
  expect(parseApprovals(formatApprovals(approvals))).toEqual(approvals);
});

test.each([undefined, ''])('without an annotation (%j) nothing is approved', (text) => {
  expect(parseApprovals(text)).toEqual({});
});

const other = (change: object): string => JSON.stringify({ 'wwid:a': [{ ...approval('one'), ...change }] });

test.each([
  ['no JSON', '{', /JSON/],
  ['a list', '[]', /^all of it: .*record/],
  ['a name that no device has', JSON.stringify({ fault: [approval('one')] }), /^fault: Invalid key/],
  ['an id that is empty', other({ id: '' }), /^wwid:a\.0\.id: /],
  ['an id without end', other({ id: 'x'.repeat(101) }), /^wwid:a\.0\.id: /],
  ['a fact that is empty', other({ fact: '' }), /^wwid:a\.0\.fact: /],
  ['no fact', other({ fact: undefined }), /^wwid:a\.0\.fact: /],
  ['one that is not in a list', JSON.stringify({ 'wwid:a': approval('one') }), /^wwid:a: .*array/],
  ['a time that is none', other({ at: 'today' }), /^wwid:a\.0\.at: /],
  ['an identity without a size', other({ identity: { wwid: 'naa.1' } }), /^wwid:a\.0\.identity\.sizeBytes: /],
  ['a field that we do not know', other({ by: 'root' }), /^wwid:a\.0: .*by/],
])('%s approves nothing, and says why', (_what, text, fault) => {
  expect(parseApprovals(text)).toEqual({ fault: expect.stringMatching(fault) });
  const told: string[] = [];
  expect(approvalsIn(text, (why) => told.push(why))).toEqual({});
  expect(told).toEqual([expect.stringMatching(fault)]);
});

test('one more leaves the others as they are, and takes the place of that for the same fact about the same device', () => {
  const before = { 'wwid:a': [approval('a', 1)], 'wwid:b': [approval('b', 1)] };
  expect(withApproval(before, 'wwid:b', approval('new'), report(['wwid:a', 'wwid:b']))).toEqual({
    'wwid:a': [approval('a', 1)],
    'wwid:b': [approval('new')],
  });
});

test('one for another fact about the same device stands beside the first', () => {
  const before = { 'wwid:a': [approval('a', 1)] };
  const another = { ...approval('new'), fact: 'contentIsUnknown' };
  expect(withApproval(before, 'wwid:a', another, report(['wwid:a']))).toEqual({
    'wwid:a': [approval('a', 1), another],
  });
});

test('those from more than a day ago are let go', () => {
  const before = { 'wwid:a': [approval('a', 1)], 'wwid:b': [approval('b', 1.001)] };
  expect(withApproval(before, 'wwid:c', approval('c'), report(['wwid:a', 'wwid:b', 'wwid:c']))).toEqual({
    'wwid:a': [approval('a', 1)],
    'wwid:c': [approval('c')],
  });
});

test('those of devices that are no longer there are let go, unless the report may only have no room for them', () => {
  const before = { 'wwid:gone': [approval('gone', 1)] };
  expect(Object.keys(withApproval(before, 'wwid:c', approval('c'), report(['wwid:c'])))).toEqual(['wwid:c']);
  expect(Object.keys(withApproval(before, 'wwid:c', approval('c'), report(['wwid:c'], 1)))).toEqual([
    'wwid:gone',
    'wwid:c',
  ]);
});

test.each([
  [0, true],
  [1, true],
  [1.001, false],
  [-1.001, false],
])('one from %d days ago is in force: %s', (days, isIt) => {
  expect(isInForce(approval('a', days), new Date(NOW))).toBe(isIt);
});

test('whatever the annotation says is either approvals that can be written back, or a fault', () => {
  const good = formatApprovals({ 'wwid:naa.1': [approval('one')] });
  const texts = fc.oneof(fc.string(), fc.json(), mutated(fc.constant(good), '{}[]",:0Z-ewid'));
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseApprovals(text);
      if ('fault' in read) expect(typeof read.fault).toBe('string');
      else expect(parseApprovals(formatApprovals(read))).toEqual(read);
    }),
  );
});

test('an approval that was read has a time that can be compared', () => {
  const at = mutated(fc.constant(approval('one').at), '0123456789-:TZ.+');
  fc.assert(
    fc.property(at, (text) => {
      const read = parseApprovals(JSON.stringify({ 'wwid:naa.1': [{ ...approval('one'), at: text }] }));
      if (!('fault' in read)) expect(Date.parse(text)).not.toBeNaN();
    }),
  );
});
