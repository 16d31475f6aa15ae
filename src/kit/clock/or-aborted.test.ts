import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { orAborted } from './or-aborted.ts';

const never = new Promise<never>(() => {});

test('work that ends first is what it comes to, and nothing is left on the signal', async () => {
  const { signal } = new AbortController();
  expect(await orAborted(signal, Promise.resolve('done'))).toBe('done');
  await expect(orAborted(signal, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('work that never ends is left when the signal is aborted', async () => {
  const controller = new AbortController();
  const waiting = orAborted(controller.signal, never);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('a signal that is aborted already comes before work that is done already', async () => {
  await expect(orAborted(AbortSignal.abort(new Error('enough')), Promise.resolve('done'))).rejects.toThrow('enough');
});
