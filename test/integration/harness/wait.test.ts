import { expect, it } from 'vitest';
import { eventually } from '../../harness/wait.ts';

it('returns what the assertion gives once it holds', async () => {
  let tries = 0;
  const result = await eventually(
    () => {
      if (++tries < 3) throw new Error('not yet');
      return 'there';
    },
    { interval: 1 },
  );
  expect([result, tries]).toEqual(['there', 3]);
});

it('takes false for "not yet" and any other value for an answer', async () => {
  const answers = [false, false, 0];
  expect(await eventually(() => answers.shift(), { interval: 1 })).toBe(0);
});

it('says what it waited for and how the last try failed', async () => {
  let tries = 0;
  const inVain = eventually(
    () => {
      throw new Error(`broken ${++tries}`);
    },
    { timeout: 5, interval: 1, for: 'the impossible' },
  );
  const failure = await inVain.catch((error: Error) => error);
  expect(failure).toHaveProperty('message', expect.stringContaining('waited 0.005 s for the impossible'));
  expect(failure).toHaveProperty(
    'message',
    expect.stringContaining(`try ${tries}, the last, failed with: broken ${tries}`),
  );
  expect(failure).toHaveProperty('cause.message', `broken ${tries}`);
});
