import { expect, test } from 'vitest';
import { widenThreadPool } from './threads.ts';

test.each([
  ['sixteen of them', {}, '16'],
  ['sixteen where the variable is empty', { UV_THREADPOOL_SIZE: '' }, '16'],
  ['as many as a person has said', { UV_THREADPOOL_SIZE: '6' }, '6'],
])('calls to the disk have threads: %s', (_, env: NodeJS.ProcessEnv, expected) => {
  widenThreadPool(env);
  expect(env.UV_THREADPOOL_SIZE).toBe(expected);
});
