/**
 * A fresh clone, and nothing but the commands of docs/install.md from the first to the uninstallation, as they stand there, on a real
 * control plane and a real node. It says how long each part took, which the page tells.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Block, blocksOf, commandsOf } from '../../tools/doc-blocks/blocks.ts';
import { controlPlaneBinaries } from '../harness/binaries.ts';
import { helmProgram } from '../integration/chart/helm.ts';
import { Cluster } from './cluster.ts';

const root = resolve(import.meta.dirname, '../..');
const PAGE = 'docs/install.md';
const NAMESPACE = 'holdfast';

let cluster: Cluster;
/** Of somebody who has never been here. Not in memory, as temporary files are. */
let home: string;
beforeAll(async () => {
  cluster = await Cluster.start('none');
  home = await mkdtemp(join(process.env.NODE_STATE ?? tmpdir(), 'stranger-'));
  await mkdir(join(home, 'programs'));
  await symlink(join(controlPlaneBinaries(), 'kubectl'), join(home, 'programs/kubectl'));
  await symlink(helmProgram(), join(home, 'programs/helm'));
}, 900_000);
afterAll(() => cluster?.[Symbol.asyncDispose](), 120_000);

const clone = (): string => join(home, 'holdfast');

/** Nothing of this checkout is on it. */
const pathOfMachine = (): string =>
  (process.env.PATH ?? '')
    .split(':')
    .filter((directory) => !directory.includes('node_modules'))
    .join(':');

/** How the machine reaches others is in it as well. */
const environment = () => ({
  ...process.env,
  NODE_ENV: undefined,
  PATH: `${join(home, 'programs')}:${pathOfMachine()}`,
  TMPDIR: home,
  KUBECONFIG: cluster.plane.kubeconfig,
  // Root may clone what another user has checked out.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
});

/** In the network of the machine what has to be fetched is found, and in that of the node the API server. */
async function run(commands: readonly string[], network: 'of the machine' | 'of the node'): Promise<string> {
  const script = ['set -xeuo pipefail', ...commands].join('\n');
  const enter = network === 'of the machine' ? ['nsenter', `--target=${process.env.NODE_OUTSIDE}`, '--net'] : ['env'];
  const [program = '', ...args] = [...enter, 'bash', '-c', script];
  const shell = spawn(program, args, { cwd: home, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')]);
  expect(code, `${errors}${out}`).toBe(0);
  return out;
}

/** The page says to begin so; each block is a shell of its own here. */
const asBefore = (): readonly string[] => [`cd '${clone()}'`, 'export PATH=$PWD/bin:$PATH'];

/** Those of a section of the page in the clone, with what is below it. */
function blocksIn(section: string): readonly Block[] {
  const [, body = ''] = readFileSync(join(clone(), PAGE), 'utf8').split(`\n## ${section}\n`);
  return blocksOf(PAGE, body.split('\n## ')[0]);
}

const took: [what: string, seconds: number][] = [];
async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await act();
  took.push([what, Math.round((performance.now() - begin) / 1000)]);
  return result;
}
afterAll(() => {
  const total = took.reduce((sum, [, seconds]) => sum + seconds, 0);
  const parts = took.map(([what, seconds]) => `${what} ${seconds} s`);
  console.log(`docs/install.md took ${total} s: ${parts.join(', ')}`);
});

test('get it: the clone has the program and the images, which are brought to the node', async () => {
  // The page of this checkout says how to come by the clone that has it.
  const [, section = ''] = readFileSync(join(root, PAGE), 'utf8').split('\n## Get it\n');
  const [block] = blocksOf(PAGE, section);
  if (!block) throw new Error(`${PAGE} does not say how to get it`);
  const commands = commandsOf(block).map((command) => command.replace('ADDRESS', root));
  expect(commands[0]).toContain('git clone');
  await timed('get it', () => run(commands, 'of the machine'));
  expect(await run([...asBefore(), 'holdfast version'], 'of the node')).toMatch(/^holdfast \d/);
  await timed('bring it to the node', async () => {
    for (const image of ['cluster', 'node'])
      await cluster.node.importImages(join(clone(), `dist/image/holdfast-${image}.tar`));
  });
});

test('install: the pods run on the node, and helm test and the doctor find nothing wrong', async () => {
  const [install, ...rest] = blocksIn('Install').filter(({ run: place }) => place === 'release');
  if (!install) throw new Error(`${PAGE} does not say how to install it`);
  await timed('install, until it runs', async () => {
    await run([...asBefore(), ...commandsOf(install)], 'of the node');
    await cluster.readyPods(NAMESPACE, 'app.kubernetes.io/component=topology');
  });
  await timed('the rest of the page', async () => {
    for (const block of rest) await run([...asBefore(), ...commandsOf(block)], 'of the node');
  });
  const [agent] = await cluster.readyPods(NAMESPACE, 'app.kubernetes.io/component=devices');
  expect(agent?.status.containerStatuses).toMatchObject([{ restartCount: 0 }]);
});

test('uninstall: nothing of it runs any more', async () => {
  const [uninstall] = blocksIn('Uninstall');
  if (!uninstall) throw new Error(`${PAGE} does not say how to uninstall it`);
  await timed('uninstall', async () => {
    await run([...asBefore(), ...commandsOf(uninstall)], 'of the node');
    // What helm test ran has ended by itself, and is kept by helm.
    await cluster.eventually('the pods to go', async () => {
      const left = (await cluster.pods(NAMESPACE)).filter(({ status }) => status.phase !== 'Succeeded');
      if (left.length > 0) throw new Error(`${left.length} are there`);
    });
  });
});
