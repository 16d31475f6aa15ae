/** `holdfast devices plan --here`: what an agent would do on this machine, from a look at real disks that changes nothing. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportHere } from '../../../src/commands/devices/here.ts';
import type { Plan } from '../../../src/commands/devices/plan.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import type { OpenOptions } from '../../../src/kit/host/block-device.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { clusterAccess } from '../../../src/kit/kube/cluster-access.ts';
import { connect } from '../../../src/kit/kube/connect.ts';
import { eventually } from '../../harness/wait.ts';
import { DevicesCluster, fill, hashOf, MIB, NAMESPACE, NodeWorld, run } from './world.ts';

let cluster: DevicesCluster;
beforeAll(async () => {
  cluster = await DevicesCluster.start({ audit: true });
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const worldOf = (node: string) => NodeWorld.create(cluster, node);

/** A node with disks in every state that an agent tells apart, and no agent: `left` is a volume that its owner has left. */
async function everyKind(node: string) {
  const world = await worldOf(node);
  for (const name of ['bound', 'free', 'left']) await world.disk(name, 4 * MIB);
  await world.configure();
  const agent = await world.agent();
  for (const name of ['bound', 'free', 'left']) await world.becomes(name, 'Available');
  await world.claim('bound');
  const claim = await world.claim('left');
  await world.settled(agent);
  await world.kill();
  await world.unclaim(claim);
  await world.becomes('left', 'Released');
  await world.disk('new', 4 * MIB);
  const foreign = await world.disk('foreign', 16 * MIB);
  await run('mkfs.ext4', '-q', foreign.path);
  const mounted = await world.disk('mounted', 16 * MIB);
  await run('mkfs.ext4', '-q', mounted.path);
  const mountPoint = join(world.directory, 'mnt');
  await mkdir(mountPoint);
  await run('mount', '-o', 'ro', mounted.path, mountPoint);
  mounted.undo.defer(async () => void (await run('umount', mountPoint)));
  for (const name of ['bound', 'left']) await fill(world.pathOf(name), 4 * MIB);
  return { world, mountPoint };
}

/** All that could have been changed: each disk, the volumes, the Node, the ConfigMaps and Events, and what the agent keeps. */
async function everything(world: NodeWorld) {
  const { admin } = cluster.plane;
  const names = (await readdir(world.devices)).toSorted();
  const { items } = await admin.get<Awaited<ReturnType<typeof admin.get>> & { items: unknown[] }>(
    `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  );
  return {
    disks: await Promise.all(names.map(async (name) => [name, await hashOf(world.pathOf(name))])),
    volumes: await Promise.all(names.map((name) => world.find(name))),
    node: await admin.get(`/api/v1/nodes/${world.node}`),
    configMaps: items,
    /** Kubernetes tells of the Node as well, in its own time. */
    events: (await world.eventsAbout('Node', world.node)).filter(({ reason }) => reason.startsWith('Device')),
    state: await Promise.all(
      (await readdir(world.stateDir)).map(async (name) => {
        const path = join(world.stateDir, name);
        const { mtimeMs, ino } = await stat(path);
        return [name, await readFile(path, 'utf8'), mtimeMs, ino];
      }),
    ),
  };
}

describe('disks of every kind', () => {
  let world: NodeWorld;
  let mountPoint: string;
  beforeAll(async () => {
    ({ world, mountPoint } = await everyKind('here'));
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test('without an agent it tells what becomes of each disk and why, and changes nothing', async () => {
    const before = await everything(world);
    const { code, stdout } = await world.planHere();
    expect(code).toBe(0);
    const planned = (name: string) => stdout.split('\n').find((line) => line.includes(`${world.pathOf(name)} `));
    expect(stdout).toContain('what an agent would do next on this machine, as it is now');
    expect(planned('new')).toContain('would be made (wiped by zero-head, 4Mi)');
    expect(planned('left')).toContain('would be recycled (wiped by zero-head, 4Mi)');
    expect(planned('foreign')).toMatch(/refused: holds ext4.*holdfast devices approve here .*\/foreign/);
    expect(planned('mounted')).toContain(`refused: is mounted at ${mountPoint}`);
    expect(stdout).toContain('1 to be made, 1 to be recycled, 2 refused; 2 devices stay as they are.');
    expect(stdout).toContain('WHAT NEEDS A LOOK\nnone\n');
    expect(await everything(world)).toEqual(before);
    const writes = (await cluster.plane.auditLog()).filter(
      ({ verb, userAgent }) => userAgent?.startsWith('holdfast-devices-plan') && !['get', 'list'].includes(verb),
    );
    expect(writes).toEqual([]);
  });

  test('no device is opened for anything but to be read', async () => {
    const real = realHost({ clock: systemClock });
    const opened: OpenOptions['access'][] = [];
    const devices = {
      ...real.devices,
      open(path: string, options: OpenOptions) {
        opened.push(options.access);
        return real.devices.open(path, options);
      },
    };
    const { kubeconfig } = cluster.plane;
    const access = await clusterAccess({ clock: systemClock, env: {}, kubeconfig });
    const connection = connect(access, { clock: systemClock, random: Math.random, userAgent: 'test' });
    await using undo = new AsyncDisposableStack();
    undo.defer(() => connection.close());
    const report = await reportHere(
      { client: connection.client, signal: AbortSignal.timeout(60_000) },
      { ...real, devices },
      {
        node: world.node,
        namespace: NAMESPACE,
        stateDir: world.stateDir,
        trustInit: true,
        defaultConfigMap: undefined,
        version: '',
        tell: () => {},
        warn: () => {},
      },
    );
    expect(report.devices).toHaveLength(6);
    expect(opened.length).toBeGreaterThanOrEqual(4);
    expect(new Set(opened)).toEqual(new Set(['read']));
  });

  test('it says the same as an agent with --dry-run reports', async () => {
    const here: Plan = JSON.parse((await world.planHere('-o', 'json')).stdout);
    await world.settled(await world.agent('--dry-run'));
    await eventually(async () => {
      const { stdout } = await world.command('devices', 'plan', world.node, '-o', 'json');
      const reported: Plan = JSON.parse(stdout);
      expect(here.steps).toEqual(reported.steps.map((step) => ({ ...step, byItself: step.does !== 'refuse' })));
      expect(here.untouched).toBe(reported.untouched);
    });
  });
});

test('a wrong ConfigMap, none at all, and one that is partly ignored are told', async () => {
  await using world = await worldOf('faulty');
  await world.disk('disk', 4 * MIB);
  expect((await world.planHere()).stdout).toMatch(/faulty touches no device: the node has no annotation/);
  await world.configure(world.configOf({ volumeMode: 'block' }));
  expect((await world.planHere()).stdout).toMatch(/faulty touches no device: .*volumeMode/);
  await world.configure(world.configOf({ fsType: 'ext4' }));
  const { stdout, stderr } = await world.planHere();
  expect(stderr).toMatch(/fsType/);
  expect(stdout).toContain('1 to be made');
});

test('a ledger that is elsewhere, approvals that cannot be read, and a node that there is not, are told', async () => {
  await using world = await worldOf('astray');
  await world.disk('disk', 4 * MIB);
  await world.configure();
  await world.annotate({ 'holdfast.dev/approved-devices': '{' });
  const { code, stderr } = await world.planHere();
  expect(code).toBe(0);
  expect(stderr).toContain(`there is no directory ${world.stateDir} here`);
  expect(stderr).toContain('--state-dir');
  expect(stderr).toContain('the approvals on the Node cannot be read');
  expect(await world.planHere('--node-name=nobody')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'the cluster has no node nobody: --node-name has to be as kubectl get nodes shows it',
    ),
  });
});
