import { expect, test } from 'vitest';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { invokedAs } from '../invoked-as.ts';
import type { CommandEntry, Define, Terminal } from './command.ts';
import { runCommandLine } from './program.ts';
import { aTerminal } from './recorded-terminal.ts';

const definePool: Define = (command, terminal) =>
  runs(
    command,
    {
      leaderElect: flag('--leader-elect', 'only one of several works', onOff, { default: 'false' }),
      nodeName: flag('--node-name', 'the node', text('name', 'node-1'), { env: 'NODE_NAME', required: true }),
    },
    terminal,
    ({ leaderElect, nodeName }) => {
      if (nodeName === 'gone') throw new Error('node "gone" does not exist');
      terminal.stdout.write(`pool on ${nodeName}, election ${leaderElect ? 'on' : 'off'}\n`);
    },
  );

const defineStatus: Define = (command, { stdout }) => {
  command.action(() => {
    stdout.write('fine\n');
  });
};

const entry = (group: CommandEntry['group'], name: string, define: Define, loaded: string[] = []): CommandEntry => ({
  group,
  name,
  summary: `what ${name} does`,
  load: async () => {
    loaded.push(name);
    return { define };
  },
});

/** A job that runs by itself, and has a subcommand with a flag of the same name. */
const defineDisks: Define = (command, terminal) => {
  const where = () => flag('--where', 'which cluster', text('name', 'a'), { default: 'here' });
  const say = (what: string) => terminal.stdout.write(`${what}\n`);
  runs(command, { where: where() }, terminal, (options) => void say(`disks run ${options.where}`));
  const plan = command.command('plan').argument('[node...]');
  runs(plan, { where: where() }, terminal, (options) => void say(`plan ${options.where} ${plan.args.join('+')}`));
};

async function run(line: string, options: { as?: string; env?: Terminal['env']; loaded?: string[] } = {}) {
  const terminal = aTerminal(options.env);
  const commands = [
    entry('run', 'pool', definePool, options.loaded),
    entry('look', 'status', defineStatus, options.loaded),
    entry('act', 'forget', () => {}, options.loaded),
    entry('run', 'disks', defineDisks, options.loaded),
  ];
  const examples = { 'holdfast status': 'how things are' };
  const invocation = invokedAs(options.as ?? 'holdfast');
  const exitCode = await runCommandLine({ commands, examples }, invocation, line.split(' ').filter(Boolean), terminal);
  return { exitCode, ...terminal.written };
}

test('a command runs with its flags and ends with 0', async () => {
  expect(await run('pool -node-name=n1 --leader-elect')).toEqual({
    exitCode: 0,
    out: 'pool on n1, election on\n',
    err: '',
  });
});

test.each([
  ['disks', 'disks run here'],
  ['disks --where there', 'disks run there'],
  ['disks --where plan', 'disks run plan'],
  ['disks plan', 'plan here '],
  ['disks plan --where there', 'plan there '],
  ['disks plan n1 -where=there n2', 'plan there n1+n2'],
])('"holdfast %s" is the command or its subcommand, each with its own flags', async (line, out) => {
  expect(await run(line)).toEqual({ exitCode: 0, out: `${out}\n`, err: '' });
});

test('only the file of the command that is asked for is read', async () => {
  const loaded: string[] = [];
  await run('status', { loaded });
  expect(loaded).toEqual(['status']);
});

test.each(['', '--help', '-h', '-help', 'help'])(
  '"holdfast %s" shows the commands by what they do, then examples',
  async (line) => {
    const loaded: string[] = [];
    const { exitCode, out, err } = await run(line, { loaded });
    expect({ exitCode, err, loaded }).toEqual({ exitCode: 0, err: '', loaded: [] });
    expect(out).toMatch(
      /Run .*:\n {2}pool .*\n {2}disks .*\n\nLook .*:\n {2}status .*\n\nAct .*:\n {2}forget .*\n\nExamples:\n {2}holdfast status/,
    );
  },
);

test.each(['pool --help', 'help pool', 'pool -help'])(
  '"holdfast %s" shows flags with default, variable and need',
  async (line) => {
    const { exitCode, out } = await run(line);
    expect(exitCode).toBe(0);
    expect(out).toContain('Usage: holdfast pool [flags]\n\nWhat pool does.\n\nFlags:\n');
    expect(out).toMatch(/--leader-elect +only one of several works \(default false\)/);
    expect(out).toMatch(/--node-name <name> +the node \(required, env NODE_NAME\)/);
  },
);

test.each([
  ['help stauts', "holdfast: unknown command 'stauts'; did you mean status? (see holdfast --help)\n"],
  ['stauts --help', "holdfast: unknown command 'stauts'; did you mean status? (see holdfast --help)\n"],
  ['a\u001b[31m\u0085b', "holdfast: unknown command 'a\\u001b[31m\\u0085b' (see holdfast --help)\n"],
  ['stauts', "holdfast: unknown command 'stauts'; did you mean status? (see holdfast --help)\n"],
  [
    'pool --nodename x',
    "holdfast pool: unknown option '--nodename'; did you mean --node-name? (see holdfast pool --help)\n",
  ],
  [
    'pool -nodename x',
    "holdfast pool: unknown option '--nodename'; did you mean --node-name? (see holdfast pool --help)\n",
  ],
  ['pool', /^holdfast pool: --node-name is required: .* NODE_NAME \(see holdfast pool --help\)\n$/],
  ['pool --node-name', /^holdfast pool: option '--node-name <name>' argument missing \(see/],
  ['pool --node-name x --leader-elect=maybe', /^holdfast pool: --leader-elect cannot be "maybe": /],
  [
    'disks --where there plan n1',
    'holdfast disks plan: --where stands before "plan": flags come after it (see holdfast disks plan --help)\n',
  ],
  ['disks paln', /^holdfast disks: too many arguments for 'disks'/],
  ['status now', /^holdfast status: too many arguments for 'status'/],
])('"holdfast %s" ends with 2 and one line', async (line, expected) => {
  const { exitCode, out, err } = await run(line);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toMatch(expected);
  expect(err.match(/\n/g)).toHaveLength(1);
});

test('a failure ends with 1 and one line', async () => {
  expect(await run('pool --node-name gone')).toEqual({
    exitCode: 1,
    out: '',
    err: 'holdfast pool: node "gone" does not exist\n',
  });
});

test('HOLDFAST_DEBUG adds the stack', async () => {
  const { err } = await run('pool --node-name gone', { env: { HOLDFAST_DEBUG: '1' } });
  expect(err).toMatch(/does not exist\nError: node "gone"[\s\S]*program\.test\.ts/);
});

test('under the name of an original its arguments are those of the job', async () => {
  expect(await run('--leader-elect', { as: 'manager', env: { NODE_NAME: 'n2' } })).toMatchObject({
    exitCode: 0,
    out: 'pool on n2, election on\n',
  });
});

test('under the name of an original whose job does not exist yet it says so and ends with 2', async () => {
  const { exitCode, err } = await run('--resync-period 5m', { as: 'pv-labels-operator' });
  expect(exitCode).toBe(2);
  expect(err).toMatch(
    /^holdfast: pv-labels-operator stands for "holdfast topology", which version \S+ does not have yet/,
  );
});

test('as a kubectl plugin it names itself so', async () => {
  expect((await run('--help', { as: 'kubectl-holdfast' })).out).toMatch(/^Usage: kubectl holdfast COMMAND/);
});

test.each(['--version', '-version'])('%s is the command version', async (line) => {
  expect((await run(line)).err).toContain("unknown command 'version'");
});

test('a line of any length and any characters is told in one line of some length', async () => {
  const { exitCode, err } = await run(`${'x'.repeat(100_000)}\n`);
  expect(exitCode).toBe(2);
  expect(err.length).toBeLessThan(1200);
  expect(err.match(/\n/g)).toHaveLength(1);
});
