import { expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define, flags } from './devices.ts';

/** What manifests of the original rely on. */
test.each([
  ['--metrics-addr', 'LP_METRICS_ADDR', ':8080'],
  ['--node-name', 'LP_NODE_NAME', undefined],
  ['--namespace-name', 'LP_NAMESPACE_NAME', undefined],
  ['--polling-interval', 'LP_POLLING_INTERVAL', '5m'],
  ['--default-pv-spec-configmap', 'LP_DEFAULT_PV_SPEC_CONFIGMAP', undefined],
  ['--development', 'LP_DEVELOPMENT', 'false'],
])('%s can be given as %s, and is %s otherwise', (long, env, otherwise) => {
  const flag = Object.values(flags).find((each) => each.long === long);
  expect(flag?.settings.env).toBe(env);
  expect(flag?.settings.default).toBe(otherwise);
});

test('the node and the namespace must be given', () => {
  const required = Object.values(flags).filter(({ settings }) => settings.required);
  expect(required.map(({ long }) => long)).toEqual(['--node-name', '--namespace-name']);
});

test('there is no election: an agent runs on every node', () => {
  expect(Object.values(flags).map(({ long }) => long)).not.toContain('--leader-elect');
});

const commands = [{ group: 'run', name: 'devices', summary: 'disks', load: async () => ({ define }) }] as const;

test.each([
  [['--node-name=n1'], '--namespace-name is required'],
  [['--node-name=n1', '--namespace-name=s', '--polling-interval=0'], 'it is not above 0'],
  [['--node-name=n1', '--namespace-name=s', '--wipes-at-once=0'], 'it is less than 1'],
  [['--node-name=n1', '--namespace-name=s', '--wipe-bandwidth=fast'], '--wipe-bandwidth cannot be "fast"'],
  [[`--node-name=${'n'.repeat(64)}`, '--namespace-name=s'], '--node-name stands in a label of each volume'],
])('%j ends with 2 and the sentence that says what is allowed', async (args, sentence) => {
  const terminal = aTerminal({ HOME: '/nonexistent' });
  const line = ['devices', ...args];
  expect(await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), line, terminal)).toBe(2);
  expect(terminal.written.err).toContain(sentence);
});
