import { expect, test } from 'vitest';
import { aDrainedMember, aMember, anOperation, seenOf } from './builders.ts';
import { progressOf } from './progress.ts';

const GIB = 2 ** 30;
const drain = (movedBytes: number, leftBytes: number) => ({
  since: '2026-01-01T00:09:00Z',
  movedBlobs: 1,
  movedBytes,
  leftBlobs: 1,
  leftBytes,
});
const draining = (ordinal: number, moved: number, left: number) =>
  aMember(ordinal, { state: 'Decommissioning', drain: drain(moved, left) });

test('how much has moved, of how much, and how long it takes at this pace', () => {
  const seen = seenOf({ members: [aMember(0), aMember(1), draining(2, 41 * GIB, 79 * GIB)] });
  expect(progressOf(seen, anOperation(3, 2))).toBe('draining data-sts-2: 41 of 120 GiB, 2 min left');
});

test.each([
  ['at first', 0, 500, 'draining data-sts-2: 0 of 500 bytes'],
  ['at last', 2048, 0, 'draining data-sts-2: 2 of 2 KiB'],
  ['at the half', GIB, 0.95 * GIB, 'draining data-sts-2: 1 of 1.9 GiB, 1 min left'],
  ['for long', GIB, 500 * GIB, 'draining data-sts-2: 1 of 501 GiB, 8 h left'],
])('%s', (_, moved, left, text) => {
  expect(progressOf(seenOf({ members: [aMember(0), aMember(1), draining(2, moved, left)] }), anOperation(3, 2))).toBe(
    text,
  );
});

test('names a few, and counts the rest', () => {
  const members = [aMember(0), aDrainedMember(1, 5), ...[2, 3, 4, 5].map((ordinal) => aMember(ordinal))];
  expect(progressOf(seenOf({ replicas: 6, members }), anOperation(6, 1))).toBe(
    'draining data-sts-2; data-sts-3; data-sts-4 and 1 more (1 of 5 are done)',
  );
});

test('says that all are drained', () => {
  const members = [aMember(0), aDrainedMember(1, 5), aDrainedMember(2, 5)];
  expect(progressOf(seenOf({ members }), anOperation(3, 1))).toBe('all 2 are drained');
});
