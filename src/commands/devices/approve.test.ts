import { expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import type { CommandEntry } from '../line/command.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define as status } from '../status/devices.ts';
import { addApprove } from './approve.ts';
import { addPlan } from './plan.ts';

/** The commands that people type about devices, without a cluster to talk to. */
async function run(...args: readonly string[]) {
  const terminal = aTerminal({ KUBECONFIG: '/nowhere/kubeconfig' });
  const devices: CommandEntry = {
    group: 'run',
    name: 'devices',
    summary: 'runs',
    load: async () => ({
      define(command) {
        addPlan(command, terminal);
        addApprove(command, terminal);
        status(command.command('status'), terminal);
      },
    }),
  };
  const exitCode = await runCommandLine(
    { commands: [devices], examples: { x: '' } },
    invokedAs('holdfast'),
    args,
    terminal,
  );
  return { exitCode, ...terminal.written };
}

test.each([
  [['approve'], "missing required argument 'node'"],
  [['approve', 'node-1'], "missing required argument 'device'"],
  [['approve', 'node-1', 'sda', 'sdb'], 'too many arguments'],
  [['approve', 'No_Node', 'sda'], 'no node can have that name: '],
  [['approve', '../secrets', 'sda'], 'no node can have that name: '],
  [['approve', 'a\u001b[2J', 'sda'], 'no node can have that name: "a\\u001b[2J"'],
  [['approve', 'node-1', 'sda', '--namespace', 'no/where'], '--namespace cannot be "no/where": '],
  [['approve', 'node-1', 'sda', '--force'], "unknown option '--force'"],
  [['approve', 'node-1', 'sda', '--yes=maybe'], '--yes cannot be "maybe"'],
  [['plan', 'No_Node'], 'no node can have that name: '],
  [['plan', 'node-1', '-o', 'xml'], '--output cannot be "xml"'],
  [['plan', '--namespace=Storage'], '--namespace cannot be "Storage": no namespace can have that name'],
  [['status', 'node-1', 'No_Node'], 'no node can have that name: '],
  [['status', '--namespace=a.b'], '--namespace cannot be "a.b"'],
])('%j is a slip of the fingers: 2, and one line that says which', async (args, complaint) => {
  const { exitCode, out, err } = await run('devices', ...args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain(complaint);
  expect(err.match(/\n/g)).toHaveLength(1);
});

test('the help says what to approve means', async () => {
  const { exitCode, out } = await run('devices', 'approve', '--help');
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^Usage: holdfast devices approve NODE DEVICE \[flags\]\n/);
  expect(out.replaceAll(/\s+/g, ' ')).toContain('EVERYTHING ON IT IS LOST');
  expect(out).toMatch(/counts once/);
  expect(out).toMatch(/holdfast\.dev\/approved-devices/);
});
