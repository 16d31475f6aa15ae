/** What may be typed, and what is said about the rest. */
import { describe, expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define as defineStatus } from '../status/status.ts';
import { define } from './topology.ts';

const commands = [
  { group: 'run', name: 'topology', summary: 'labels volumes', load: async () => ({ define }) },
  { group: 'look', name: 'status', summary: 'how it stands', load: async () => ({ define: defineStatus }) },
] as const;

async function typed(args: readonly string[], name = 'holdfast') {
  const terminal = aTerminal({ HOME: '/nonexistent' });
  const exitCode = await runCommandLine({ commands, examples: {} }, invokedAs(name), args, terminal);
  return { exitCode, ...terminal.written };
}

describe('bad input ends with 2 and a sentence that says what is allowed', () => {
  test.each([
    ['--overwrite=never', '--overwrite cannot be "never": there is no such choice; use always or missing'],
    ['--multi-zone=all', '--multi-zone cannot be "all": there is no such choice; use set, first or skip'],
    ['--resync-period=1hour', '--resync-period cannot be "1hour"'],
    ['--resync-period=-1m', 'it is negative'],
    ['--resync-period=', '--resync-period cannot be ""'],
    ['--selector=a in b', '--selector cannot be "a in b"'],
    [
      '--access-modes=RWO',
      'use a list, separated by commas, of ReadWriteOnce, ReadWriteOncePod, ReadOnlyMany or ReadWriteMany',
    ],
    ['--access-modes=ReadWriteOnce,,', 'a value in it is empty'],
    ['--label-keys=not/a/key', '--label-keys cannot be "not/a/key"'],
    ['--node-affinity=maybe', 'use true or false'],
    ['--metrics-bind-address=here', '--metrics-bind-address cannot be "here"'],
    ['--no-such-flag', "unknown option '--no-such-flag'"],
    ['--master=ftp://server', 'neither http nor https'],
  ])('%s', async (flag, sentence) => {
    const { exitCode, err } = await typed(['topology', flag]);
    expect(err).toContain(sentence);
    expect(err.trimEnd()).not.toContain('\n');
    expect(exitCode).toBe(2);
  });

  test('--once with an election', async () => {
    const { exitCode, err } = await typed(['topology', '--once', '--leader-elect']);
    expect(err).toContain('leave --leader-elect out');
    expect(exitCode).toBe(2);
  });

  test('an output format without the table', async () => {
    const { exitCode, err } = await typed(['topology', '-o', 'json']);
    expect(err).toContain('add --once');
    expect(exitCode).toBe(2);
  });

  test('of the status, too', async () => {
    expect(await typed(['status', 'topology', '--multi-zone=all'])).toMatchObject({ exitCode: 2 });
    expect(await typed(['status', 'topologie'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('topolog'),
    });
  });
});

describe('the flags of the original', () => {
  test('are read in the way of Go, under the name of its program, and a file that is not there is told', async () => {
    const args = ['-kubeconfig=/nonexistent/config', '-master', '10.0.0.1:6443', '-resync-period=30m'];
    const { exitCode, err } = await typed(args, 'pv-labels-operator');
    expect(err).toContain('/nonexistent/config');
    expect(exitCode).toBe(1);
  });
});

test.each([['topology'], ['status topology']])(
  'the help of %s shows its flags with their defaults',
  async (command) => {
    const { exitCode, out } = await typed([...command.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/--multi-zone <set\|first\|skip>.*\(default set\)/s);
    expect(out).toContain('Examples:');
  },
);

test('the help of status shows which jobs there are', async () => {
  const { out } = await typed(['status', '--help']);
  expect(out).toContain('topology');
});
