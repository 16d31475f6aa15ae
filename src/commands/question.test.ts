import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { aTerminal } from './line/recorded-terminal.ts';
import { UsageError } from './line/usage-error.ts';
import { ask, confirm } from './question.ts';

const forever = new AbortController().signal;

test('the question is put, and the answer is the first line, without blanks around it', async () => {
  const terminal = aTerminal({}, '  local-node-1-sdb \nand more\n');
  expect(await ask('Which? ', terminal, forever)).toBe('local-node-1-sdb');
  expect(terminal.written).toEqual({ out: '', err: 'Which? ' });
});

test.each([
  ['', undefined],
  ['\n', ''],
  ['no line end', 'no line end'],
])('who types %j answers %j', async (typed, answer) => {
  expect(await ask('Which? ', aTerminal({}, typed), forever)).toBe(answer);
});

test('who is waited for in vain can be left', async () => {
  const leaving = new AbortController();
  const asked = ask('Which? ', { ...aTerminal(), stdin: new PassThrough() }, leaving.signal);
  leaving.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

describe('who has to confirm something', () => {
  const asked = { question: 'Type remove: ', word: 'remove', otherwise: 'nothing was removed' };

  test('does so by the word alone', async () => {
    const terminal = aTerminal({}, ' remove\n');
    await confirm(asked, terminal, forever);
    expect(terminal.written).toEqual({ out: '', err: 'Type remove: ' });
  });

  test.each(['', '\n', 'yes\n', 'Remove\n', 'remove it\n'])('has not by %j', async (typed) => {
    await expect(confirm(asked, aTerminal({}, typed), forever)).rejects.toThrow(
      'nothing was removed: remove was not typed',
    );
  });

  test('and is not at a terminal is told what to do, and is not asked', async () => {
    const terminal = Object.assign(aTerminal({}, 'remove\n'), { stdin: Readable.from(['remove\n']) });
    const refusal = await confirm(asked, terminal, forever).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UsageError);
    expect(refusal).toMatchObject({ message: expect.stringContaining('add --yes') });
    expect(terminal.written.err).toBe('');
  });
});
