/** The commands for people, as they are shipped, on the sandbox: by themselves, as a plugin of the real kubectl, and in a real bash. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from '../../../src/kit/yaml.ts';
import { controlPlaneBinaries } from '../../harness/binaries.ts';
import { BUILT } from '../../harness/built.ts';
import { runHoldfastIn } from '../../harness/holdfast.ts';
import { type Sandbox, startSandbox } from '../../harness/sandbox.ts';
import { eventually } from '../../harness/wait.ts';

const run = promisify(execFile);
const DEPLOY = resolve(import.meta.dirname, '../../../deploy');

let sandbox: Sandbox;
/** Has the program in it, under all of its names, and kubectl. */
let programs: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  programs = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  await writeFile(
    join(programs, 'holdfast'),
    `#!/bin/sh\nHOLDFAST_INVOKED_AS=\${0##*/} exec '${process.execPath}' '${BUILT}' "$@"\n`,
  );
  await chmod(join(programs, 'holdfast'), 0o755);
  for (const name of ['kubectl-holdfast', 'kubectl_complete-holdfast']) await symlink('holdfast', join(programs, name));
  await symlink(join(controlPlaneBinaries(), 'kubectl'), join(programs, 'kubectl'));
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await rm(programs, { recursive: true });
});

const environment = () => ({ PATH: `${programs}:${process.env.PATH}`, KUBECONFIG: sandbox.kubeconfig, HOME: programs });
const holdfast = (...args: readonly string[]) => runHoldfastIn({ KUBECONFIG: sandbox.kubeconfig }, ...args);
const apply = (object: object) => sandbox.kubectlWith(toYaml(object), 'apply', '-f', '-');

const aPool = (name: string, numPVs: number) => ({
  apiVersion: 'pvpool.noobaa.com/v1',
  kind: 'PvPool',
  metadata: { name },
  spec: { image: 'holdfast:1', numPVs, pvSizeGB: 1 },
});

/** A volume that a pod in a zone uses, and that nobody has labelled. */
async function aVolumeInUse(): Promise<void> {
  await apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'used' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'used' } }];
  const spec = { containers: [{ name: 'main', image: 'web' }], volumes };
  await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'user' }, spec });
  await sandbox.kubectl('wait', '--for=condition=Ready', 'pod/user', '--timeout=60s');
}

describe('status and plan', () => {
  test('a cluster in which nothing is set up is shown without a failure', async () => {
    await sandbox.kubectl('delete', 'crd', '--all');
    const { code, stdout } = await holdfast('status');
    expect(stdout).toMatch(/^JOB +HEALTH +WHAT THERE IS\ntopology +\w+ +\d+ volumes/);
    expect(stdout).toMatch(/^devices +absent +no agent has reported$/m);
    for (const job of ['pool', 'sync'])
      expect(stdout).toMatch(new RegExp(`^${job} +absent +its kind of object is not installed`, 'm'));
    const plan = JSON.parse((await holdfast('plan', '-o', 'json')).stdout);
    expect(plan.pool).toEqual({ cannotBePlanned: 'its kind of object is not installed in this cluster' });
    expect(code).toBe(0);
  });

  test('what waits for its zone goes on, and would be labelled', async () => {
    await aVolumeInUse();
    const { stdout } = await holdfast('status');
    expect(stdout).toMatch(/^topology +busy +\d+ volumes?, 0 with their zone$/m);
    expect(stdout).toContain('topology: 1 volume to be labelled: is holdfast topology running?');
    const plan = JSON.parse((await holdfast('plan', '-o', 'json')).stdout);
    expect(plan.topology.changes).toMatchObject([{ claim: 'default/used', outcome: 'wouldBeLabelled' }]);
    expect(plan.devices.steps).toEqual([]);
    expect((await holdfast('plan', 'topology')).stdout).toMatch(
      /topology.kubernetes.io\/zone +- +\S+ .* would be labelled/,
    );
    expect(parse((await holdfast('plan', 'topology', '-o', 'yaml')).stdout)).toEqual(plan.topology);
  });

  test('a pool that nobody looks after needs a person, and the exit code says so when it is asked to', async () => {
    await sandbox.kubectl('apply', '-f', join(DEPLOY, 'crds'));
    await eventually(async () => (await sandbox.kubectlWith(toYaml(aPool('web', 2)), 'apply', '-f', '-')) !== '');
    const { code, stdout } = await holdfast('status', '--exit-code');
    expect(stdout).toMatch(/^pool +needs a person +1 pool, 0 ready$/m);
    expect(stdout).toContain('pool: default/web: its last change has not been looked at: is holdfast pool running?');
    expect(code).toBe(3);
    expect((await holdfast('status')).code).toBe(0);
    expect((await holdfast('status', 'pool', '--exit-code')).code).toBe(3);
    expect((await holdfast('status', 'sync', '--exit-code')).code).toBe(0);
    const plan = (await holdfast('plan', 'pool', '-o', 'wide')).stdout;
    expect(plan).toMatch(/default\/web +0 +2 +createSet +- +make its StatefulSet with 2 agents/);
    expect(plan).not.toContain('Secret');
  });

  test('what takes credentials that nobody has given says which, and how to give them', async () => {
    const spec = { protectedCluster: 'site', mode: 'Recovery', cloudProvider: 'file', retention: 5 };
    await apply({
      apiVersion: 'storage.cndev.nl/v1alpha1',
      kind: 'PersistentVolumeSync',
      metadata: { name: 'site' },
      spec,
    });
    const { code, stdout } = await holdfast('plan');
    expect(stdout).toMatch(
      /── sync ──\n\nit cannot be planned from here: OBJECT_STORAGE_PATH is not set.* --secret NAMESPACE\/NAME/,
    );
    expect(code).toBe(0);
    expect(await holdfast('plan', 'sync')).toMatchObject({ code: 1, stderr: expect.stringContaining('--secret') });
  });

  test('an account without any rights sees for each job that it may not look', async () => {
    await sandbox.kubectl('create', 'serviceaccount', 'nobody');
    const token = (await sandbox.kubectl('create', 'token', 'nobody')).trim();
    const config = parse(await sandbox.kubectl('config', 'view', '--raw', '-o', 'yaml'));
    config.users[0].user = { token };
    const kubeconfig = join(programs, 'nobody.kubeconfig');
    await writeFile(kubeconfig, toYaml(config));
    const { code, stdout } = await holdfast('status', `--kubeconfig=${kubeconfig}`);
    for (const job of ['topology', 'devices', 'lvm', 'pool', 'sync'])
      expect(stdout).toMatch(new RegExp(`^${job} +unknown +.*nobody`, 'm'));
    expect(code).toBe(0);
    expect((await holdfast('status', '--exit-code', `--kubeconfig=${kubeconfig}`)).code).toBe(4);
  });

  test('a word that is no job is answered with the nearest', async () => {
    const { code, stderr } = await holdfast('status', 'topologie');
    expect(stderr).toContain('there is no job "topologie"; did you mean topology');
    expect(code).toBe(2);
  });

  test('a server that finds nothing at all is no cluster, and a failure', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end('not here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const command of ['status', 'plan']) {
      const { code, stdout, stderr } = await holdfast(command, `--master=http://127.0.0.1:${port}`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('not a Kubernetes API server');
    }
    server.close();
  });

  test('a cluster that is not there is a failure', async () => {
    const { code, stderr } = await holdfast('status', '--master=https://127.0.0.1:1');
    expect(stderr).not.toBe('');
    expect(code).toBe(1);
  });
});

describe('on a real terminal', () => {
  /** As util-linux makes one, of this size. Ends with Ctrl-C. */
  const onATerminal = (columns: number, env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const command = ['stty', `cols ${columns} rows 12;`, 'exec', process.execPath, BUILT, ...args].join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...environment(), TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const seen = { text: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      seen.text += chunk.toString();
    });
    return { child, seen };
  };

  test('--watch draws in place, in colours, no line is longer than the terminal is wide, and Ctrl-C ends it well', async () => {
    const { child, seen } = onATerminal(48, {}, 'status', '--watch');
    const exited = once(child, 'exit');
    await eventually(() => seen.text.includes('WHAT THERE IS') && seen.text.split('\u001b[J').length > 2);
    expect(seen.text).toMatch(IN_PLACE);
    expect(seen.text).toMatch(COLOURED);
    const lines = stripVTControlCharacters(seen.text).split(/[\r\n]+/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(48);
    child.stdin.write('\u0003');
    expect(await exited).toEqual([0, null]);
  });

  test('nobody who asks for no colours is given any', async () => {
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { child, seen } = onATerminal(120, env, 'status');
      await once(child, 'close');
      expect(seen.text).toContain('WHAT THERE IS');
      expect(seen.text).not.toMatch(COLOURED);
    }
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal is steered by
const COLOURED = /\u001b\[\d+m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const IN_PLACE = /\r\u001b\[\d+A/;

test('--watch prints what has changed, and Ctrl-C ends it well', async () => {
  const child = spawn(process.execPath, [BUILT, 'status', 'pool', '--watch'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
  });
  await eventually(() => /^--- .*Z\n1 pool\n/.test(seen));
  await apply(aPool('second', 1));
  await eventually(() => /\n--- .*Z\n2 pools\n/.test(seen));
  expect(seen.match(/^---/gm)).toHaveLength(2);
  expect(seen).not.toContain('\u001b');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

describe('as a plugin of kubectl', () => {
  const kubectl = (...args: readonly string[]) => run('kubectl', args, { env: environment() });

  test('it does what it does by itself', async () => {
    const { stdout } = await kubectl('holdfast', 'status', 'pool', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await holdfast('status', 'pool', '-o', 'json')).stdout));
  });

  test('its help is that of a plugin, and its exit code gets through', async () => {
    expect((await kubectl('holdfast', '--help')).stdout).toContain('Usage: kubectl holdfast');
    await expect(kubectl('holdfast', 'status', '--exit-code')).rejects.toMatchObject({ code: 3 });
  });

  test('kubectl completes what follows its name', async () => {
    const { stdout } = await kubectl('__complete', 'holdfast', 'status', 'to');
    expect(stdout).toMatch(/^topology\t/);
    expect(stdout).toMatch(/^:4$/m);
  });
});

describe('in bash', () => {
  /** What Tab would offer at the end of a line. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const script = `source <(holdfast completion bash)
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _holdfast
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', script, 'bash', ...words], { env: environment() });
    return stdout.split('\n').filter((line) => line !== '');
  }

  test.each([
    [['holdfast', 'expl'], ['explain']],
    [
      ['holdfast', 'status', ''],
      ['topology', 'devices', 'lvm', 'pool', 'sync'],
    ],
    [
      ['holdfast', 'status', '--output', '=', ''],
      ['table', 'wide', 'json', 'yaml'],
    ],
    [['holdfast', 'status', '--output', '=', 'j'], ['json']],
    [['holdfast', 'explain', 'groupIsF'], ['groupIsFull']],
    [['holdfast', 'status', '--kubeconfig', ''], []],
  ])('%j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});
