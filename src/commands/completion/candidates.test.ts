import { describe, expect, test } from 'vitest';
import { commands } from '../commands.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { candidatesFor, printed } from './candidates.ts';

const complete = (...words: readonly string[]) => candidatesFor(commands, words, aTerminal());
const wordsFor = async (...words: readonly string[]) => (await complete(...words)).candidates.map(({ word }) => word);

describe('what could stand there', () => {
  test.each([
    ['a command', ['expl'], ['explain']],
    ['no hidden one', ['__'], []],
    ['a job', ['status', ''], ['topology', 'devices', 'lvm', 'pool', 'sync']],
    ['a job of another command', ['plan', 'd'], ['devices']],
    ['a subcommand', ['sync', 'dri'], ['drill']],
    ['a flag', ['status', 'topology', '--over'], ['--overwrite']],
    ['the value of a flag', ['status', '-o', ''], ['table', 'wide', 'json', 'yaml']],
    ['the value behind a sign', ['status', '--output=y'], ['--output=yaml']],
    ['the value behind a sign, as bash cuts it', ['status', '--output', '=', 'y'], ['yaml']],
    [
      'the value behind a sign at the end, as bash cuts it',
      ['status', '--watch', '-o', '='],
      ['table', 'wide', 'json', 'yaml'],
    ],
    ['something behind a flag with a value', ['status', '--namespace', 'x', 'to'], ['topology']],
    ['something behind a switch', ['status', '--watch', 'to'], ['topology']],
    ['a code', ['explain', 'isMou'], ['isMounted']],
    ['a code as an Event spells it', ['explain', 'DeviceIsMou'], ['DeviceIsMounted']],
    ['a shell', ['completion', 'b'], ['bash']],
    ['a topic', ['help', 'exit'], ['exit-codes']],
    ['nothing behind what there is not', ['nonsense', ''], []],
    ['nothing behind two dashes', ['status', '--', ''], []],
  ])('%s', async (_, words, expected) => {
    expect(await wordsFor(...words)).toEqual(expected);
  });

  test('a file behind a flag for one', async () => {
    expect(await complete('status', '--kubeconfig', '')).toEqual({ candidates: [], isFile: true });
  });
});

test('every command can be completed', async () => {
  for (const { name } of commands) expect((await wordsFor(name, '--he')).at(-1)).toBe('--help');
});

test('it is printed as cobra prints it', async () => {
  expect(printed(await complete('vers'))).toBe('version\twhich build this is\n:4\n');
  expect(printed(await complete('status', '--kubeconfig', ''))).toBe(':0\n');
});
