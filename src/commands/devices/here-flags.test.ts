import { expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define } from './devices.ts';

const commands = [{ group: 'run', name: 'devices', summary: 'disks', load: async () => ({ define }) }] as const;

async function plan(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = aTerminal({ HOME: '/nonexistent', ...env });
  const line = ['devices', 'plan', ...args];
  const code = await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), line, terminal);
  return { code, ...terminal.written };
}

const WHERE = ['--here', '--node-name=n1', '--namespace-name=storage'];

test.each([
  [['--here', '--namespace-name=s'], '--here has to know which node this machine is: pass --node-name'],
  [['--here', '--node-name=n1'], '--here has to know where the ConfigMaps of the agent are: pass --namespace-name'],
  [['--here', '--node-name=a,b', '--namespace-name=s'], '--node-name stands in a label of each volume'],
  [[...WHERE, 'n2'], '--here looks at this machine only: leave n2 out'],
  [[...WHERE, '--namespace=storage'], 'name the namespace of the agent by --namespace-name'],
  [['--node-name=n1'], '--node-name is for --here'],
  [['--state-dir=/x', 'n1'], '--state-dir is for --here'],
  [['--trust-init'], '--trust-init is for --here'],
])('%j ends with 2 and the sentence that says what to type', async (args, sentence) => {
  const { code, err } = await plan(args);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

/** There is no cluster here: what comes to look for one was understood. */
const LOOKS_FOR_A_CLUSTER = { code: 1, err: expect.stringMatching(/kubeconfig/i) };

test('in the pod of an agent the node and the namespace are known, for this machine', async () => {
  expect(await plan(['--here'], { LP_NODE_NAME: 'n1', LP_NAMESPACE_NAME: 's' })).toMatchObject(LOOKS_FOR_A_CLUSTER);
});

test('and for reports they are no hindrance', async () => {
  expect(await plan([], { LP_NODE_NAME: 'n1', LP_NAMESPACE_NAME: 's' })).toMatchObject(LOOKS_FOR_A_CLUSTER);
});

test('the help tells what it takes, and that nothing is written', async () => {
  const { code, out } = await plan(['--help']);
  expect(code).toBe(0);
  for (const word of ['--here', 'LP_NODE_NAME', 'LP_NAMESPACE_NAME', 'Nothing is written', 'hostPID', 'kubectl'])
    expect(out).toContain(word);
});
