/** What the whole agent holds in memory while it wipes, in a pod's surroundings. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WIPE_METHODS, type WipeMethod } from '../../src/devices/contract.ts';
import { type ControlPlane, startControlPlane } from '../../test/harness/control-plane.ts';
import type { RawObject } from '../../test/harness/raw-client.ts';
import { eventually } from '../../test/harness/wait.ts';
import { aLoopDevice } from '../../test/host/loop-device.ts';
import { Cgroup, type Limits } from '../measure/cgroup.ts';
import { median } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import type { Row } from '../measure/row.ts';
import { Job } from '../world/job.ts';

const run = promisify(execFile);
const MIB = 2 ** 20;
const DEVICES = 8;
const NAMESPACE = 'default';
const VOLUMES = '/api/v1/persistentvolumes';
const TIMEOUT_MS = 600_000;

/** Of a container that is given as much as the cluster-side jobs. */
const LIMITS: Limits = { memoryBytes: 128 * MIB, cpuMillis: 2_000 };

export const agentMemory: Benchmark = {
  name: 'memory of the agent',
  about:
    'runs the bundle as a pod does, in a cgroup with 128 Mi of memory, on a copy of Node.js that nobody else has in memory, so that the pages ' +
    'of its code are charged to it as well; lets it find 8 devices of 2 GiB, wipe all of them at once, and make their volumes. ' +
    'The peak is what was resident at any moment, from the start on. Memory of its own is the part of it that the kernel cannot take back, ' +
    'as the highest of samples taken ten times a second; the pages of its program it can. ' +
    'Of a Node.js that was read as a whole before, the kernel maps some 25 to 30 MB more: see docs/limitations.md.',
  async run(bench) {
    await using plane = await startControlPlane();
    const rows: Row[] = [];
    for (const method of WIPE_METHODS) rows.push(...(await whileWiping(method, plane, bench)));
    return rows;
  },
};

async function whileWiping(method: WipeMethod, plane: ControlPlane, bench: Bench): Promise<readonly Row[]> {
  const runs: Held[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    const sizeBytes = (bench.quick ? 64 : 2048) * MIB;
    const held = await inCgroup({ node: `${method}-${round}`, method, sizeBytes, plane });
    runs.push(held);
    const figures = `${held.peakMb.toFixed(0)} MB, ${held.ownMb.toFixed(0)} MB of its own, ${held.seconds.toFixed(1)} s`;
    bench.progress(`  round ${round} of ${bench.rounds}: ${method}: ${figures}`);
  }
  const row = (figure: string, unit: string, of: (held: Held) => number, oursAtMost?: number): Row => ({
    what: `the agent, ${method}, ${DEVICES} devices at once`,
    figure,
    unit,
    ours: median(runs.map(of)),
    ...(oursAtMost !== undefined && { target: { oursAtMost } }),
  });
  return [
    row('times killed for memory', '', ({ oomKills }) => oomKills, 0),
    row('memory of its own', 'MB', ({ ownMb }) => ownMb),
    row('peak with the pages of its program', 'MB', ({ peakMb }) => peakMb, 100),
    row('time on the wall', 's', ({ seconds }) => seconds),
  ];
}

interface Held {
  readonly peakMb: number;
  readonly ownMb: number;
  readonly seconds: number;
  readonly oomKills: number;
}

interface Order {
  readonly node: string;
  readonly method: WipeMethod;
  readonly sizeBytes: number;
  readonly plane: ControlPlane;
}

async function inCgroup(order: Order): Promise<Held> {
  const made = Cgroup.create(`holdfast-bench-${process.pid}`, LIMITS);
  if (typeof made === 'string') throw new Error(made);
  await using cgroup = made;
  const held = await ofOneRun(order, cgroup);
  return { ...held, oomKills: cgroup.charged().oomKills };
}

async function ofOneRun({ node, method, sizeBytes, plane }: Order, cgroup: Cgroup): Promise<Omit<Held, 'oomKills'>> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const devices = join(directory, 'by-path');
  await mkdir(devices);
  for (let index = 0; index < DEVICES; index++) {
    const { path } = stack.use(await aLoopDevice(sizeBytes));
    await run('losetup', ['--direct-io=on', path]); // or the page cache behind it would be charged to the cgroup
    await symlink(path, join(devices, `disk-${index}`));
  }
  await configure({ node, method, devices }, plane);
  const place = ['--node-name', node, '--namespace-name', NAMESPACE, '--state-dir', join(directory, 'state')];
  const flags = [...place, '--trust-init', '--wipes-at-once', `${DEVICES}`];
  const started = performance.now();
  const job = stack.use(await Job.start({ plane, name: 'devices', inPod: true, flags, cgroup }));
  let ownMb = 0;
  await eventually(
    async () => {
      ownMb = Math.max(ownMb, job.ownMb());
      if (!job.isRunning) return;
      const { items } = await plane.admin.get<{ items: readonly RawObject[] } & RawObject>(
        `${VOLUMES}?labelSelector=local-pv-provisioner.cybozu.io/node=${node}`,
      );
      if (items.length < DEVICES) throw new Error(`${items.length} of ${DEVICES} volumes\n${job.lastWords()}`);
    },
    { timeout: TIMEOUT_MS, interval: 100 },
  );
  const seconds = (performance.now() - started) / 1000;
  return { peakMb: job.peakMb(), ownMb, seconds };
}

interface Configuration {
  readonly node: string;
  readonly method: WipeMethod;
  readonly devices: string;
}

async function configure({ node, method, devices }: Configuration, { admin }: ControlPlane): Promise<void> {
  const data = {
    deviceDir: devices,
    deviceNameFilter: '.*',
    volumeMode: 'Block',
    storageClassName: node,
    wipeMethod: method,
  };
  await admin.post(`/api/v1/namespaces/${NAMESPACE}/configmaps`, { metadata: { name: node }, data });
  const annotations = { 'local-pv-provisioner.cybozu.io/pv-spec-configmap': node };
  await admin.post('/api/v1/nodes', {
    metadata: { name: node, annotations, labels: { 'kubernetes.io/hostname': node } },
  });
}
