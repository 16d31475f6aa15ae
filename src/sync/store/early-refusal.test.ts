import { describe, expect, test } from 'vitest';
import { orRefusedEarly } from './early-refusal.ts';
import { StoreError } from './store.ts';

const call = {
  doing: 'write',
  key: 'k',
  where: 'a store',
  signal: new AbortController().signal,
  bytes: 1_000_000,
} as const;
type Look = () => Promise<string | undefined>;
const broken = new StoreError('unavailable', 'the connection broke');
const breaks: Look = () => Promise.reject(broken);
const absent = { absent: true } as const;

describe('a large write on a condition', () => {
  test('is not looked at when it went well, or was answered', async () => {
    const never = () => expect.unreachable('nobody looks');
    expect(await orRefusedEarly(call, absent, never, async () => 'stored')).toBe('stored');
    const denied = new StoreError('denied', 'no');
    await expect(orRefusedEarly(call, absent, never, () => Promise.reject(denied))).rejects.toBe(denied);
  });

  test.each([
    ['is there', absent, 'other'],
    ['is another one', { etag: 'mine' }, 'other'],
    ['is gone', { etag: 'mine' }, undefined],
  ] as const)('whose connection broke was refused, if what it was about %s', async (_what, condition, now) => {
    const writing = orRefusedEarly(call, condition, async () => now, breaks);
    await expect(writing).rejects.toMatchObject({ fault: 'preconditionFailed' });
  });

  test.each<[string, Look]>([
    ['the condition holds', async () => undefined],
    ['it cannot be looked at', breaks],
  ])('whose connection broke may have happened or not, while %s', async (_what, etagNow) => {
    await expect(orRefusedEarly(call, absent, etagNow, breaks)).rejects.toBe(broken);
  });

  test('is large, and on a condition: of another one the answer arrives', async () => {
    const there = async () => 'other';
    await expect(orRefusedEarly({ ...call, bytes: 100 }, absent, there, breaks)).rejects.toBe(broken);
    await expect(orRefusedEarly(call, undefined, there, breaks)).rejects.toBe(broken);
  });
});
