import { expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define } from './blob.ts';

async function run(...args: readonly string[]) {
  const terminal = aTerminal({ KUBECONFIG: '/nowhere/kubeconfig' });
  const blob = { group: 'act', name: 'blob', summary: 'blobs', load: async () => ({ define }) } as const;
  const commands = { commands: [blob], examples: { x: '' } };
  const exitCode = await runCommandLine(commands, invokedAs('holdfast'), ['blob', ...args], terminal);
  return { exitCode, ...terminal.written };
}

const A = '--agent=a=http://127.0.0.1:1';

test.each([
  [['put', 'k', 'file'], 'say which pool'],
  [['get', 'k', '-', '--pool', 'ns/name', A], 'say which pool'],
  [['put', 'k', A], "missing required argument 'file'"],
  [['put', 'k', 'file', 'more', A], 'too many arguments'],
  [['rm', A], "missing required argument 'key'"],
  [['ls', 'k', A], 'too many arguments'],
  [['stat', A], "missing required argument 'key'"],
  [['ls', '--pool', 'photos'], '--pool cannot be "photos": it is not NAMESPACE/NAME'],
  [['ls', '--pool', '../x/y'], '--pool cannot be "../x/y"'],
  [['ls', '--agent', 'http://10.0.0.7:8080'], 'it is not NAME=http://HOST:PORT'],
  [['ls', '--agent', 'a=https://10.0.0.7:8080'], 'it is not NAME=http://HOST:PORT'],
  [['ls', '-o', 'xml', A], '--output cannot be "xml"'],
])('%j is a slip of the fingers: 2, and one line that says which', async (args, complaint) => {
  const { exitCode, out, err } = await run(...args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain(complaint);
  expect(err.match(/\n/g)).toHaveLength(1);
});

test.each([
  ['', 'it is empty'],
  ['x'.repeat(1025), 'it has 1025 bytes; 1024 is the most'],
])('a key that cannot be one is said before anybody is asked', async (key, complaint) => {
  const { exitCode, err } = await run('stat', key, A);
  expect(exitCode).toBe(1);
  expect(err).toContain(complaint);
});
