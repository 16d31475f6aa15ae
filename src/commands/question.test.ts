import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { aTerminal } from './line/recorded-terminal.ts';
import { ask } from './question.ts';

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
