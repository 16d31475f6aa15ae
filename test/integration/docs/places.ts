/** The places in which blocks of the documentation are run, each made ready as the pages take it for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Block, Place } from '../../../tools/doc-blocks/blocks.ts';
import { BUILT } from '../../harness/built.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { INSTALLED } from '../../originals/originals.ts';
import { installOriginal } from '../chart/install-original.ts';
import { addMonitoringKinds } from '../chart/monitoring-kinds.ts';
import { PoolWorld } from '../pool/world.ts';
import { type Meant, Session } from './session.ts';

export interface Prepared extends AsyncDisposable {
  readonly session: Session;
  /** What has to be so before a block. */
  before?(block: Block): Promise<void>;
}

/** A word that stands for a name, and is no variable of the shell. */
const word = (name: string): RegExp => new RegExp(`(?<![$\\w-])${name}(?![\\w-])`, 'g');

export const PREPARED: Readonly<Record<Exclude<Place, 'make'>, () => Promise<Prepared>>> = {
  machine: onMachine,
  demo: onDemo,
  pool: onPool,
  release: () => onServer(),
  kubectl: () => onServer(),
  originals: onOriginals,
};

/** Without a cluster. */
async function onMachine(): Promise<Prepared> {
  const session = await Session.open(undefined, []);
  return { session, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}

const NODE_OF_DEVICES = 'node-c1';
const NODE_OF_LVM = 'node-c2';

/** Both clusters of `holdfast demo`, with all jobs at work. */
async function onDemo(): Promise<Prepared> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const demo = spawn(process.execPath, [BUILT, 'demo', '--no-story', '--kubeconfig-out', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TMPDIR: directory },
  });
  for await (const line of createInterface(demo.stdout)) if (line.startsWith('Both clusters stay')) break;
  demo.stdout.resume();
  const kubeconfig = join(directory, 'protected.yaml');
  const session = await Session.open(kubeconfig, meantOnDemo(kubeconfig));
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      const ended = once(demo, 'exit');
      demo.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Nothing is served, since others may have the port that people have. The second annotation would be one too many on a node that has one. */
const meantOnDemo = (kubeconfig: string): Meant => [
  [/KUBECONFIG=…/g, `KUBECONFIG=${kubeconfig}`],
  [/--kubeconfig=…/g, `--kubeconfig=${kubeconfig}`],
  [/--context production/g, '--context holdfast-sandbox'],
  [/^bin\/holdfast topology/g, 'bin/holdfast topology --metrics-bind-address=0'],
  [/annotate node worker-1/g, 'annotate node node-b1'],
  [/(status lvm) NODE/g, `$1 ${NODE_OF_LVM}`],
  [word('NODE'), NODE_OF_DEVICES],
  [word('worker-1'), NODE_OF_DEVICES],
  [/\/dev\/disk\/by-path\/pci-0000:00:1f.2-nvme-1/g, '/dev/disks/fast-3'],
  [word('VOLUME'), 'logs'],
  [word('JOB'), 'topology'],
];

/** A real API server with the operator of pools, and real agents: docs/pool.md has a pool of three in the namespace storage. */
async function onPool(): Promise<Prepared> {
  const world = await PoolWorld.start();
  await world.namespace('storage');
  const pool = await world.pool('photos', { numPVs: 3 }, 'storage');
  await pool.isReady(3);
  const [agent] = await pool.agents();
  const session = await Session.open(world.plane.kubeconfig, [
    [/http:\/\/10\.0\.0\.7:8080/g, agent?.url ?? ''],
    [word('NAMESPACE'), 'storage'],
    [word('POOL'), 'photos'],
  ]);
  await writeFile(join(session.directory, 'cat.jpg'), 'a cat');
  return {
    session,
    async before() {
      await pool.change({ numPVs: 3 });
      await pool.isReady(3);
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

const VOLUME = {
  metadata: { name: 'data-0' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    nfs: { server: 'nfs.example.com', path: '/data-0' },
  },
};
const CLAIM = {
  metadata: { name: 'data-0' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const LEASE = { metadata: { name: 'holdfast-topology' }, spec: { holderIdentity: 'a pod' } };

/** A real API server, with a volume, its claim and a lease in it, and the kinds of the Prometheus operator. */
async function onServer(): Promise<Prepared> {
  const plane = await startControlPlane({ controllers: true });
  await addMonitoringKinds(plane);
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await plane.admin.post('/api/v1/persistentvolumes', VOLUME);
  await plane.admin.post('/api/v1/namespaces/shop/persistentvolumeclaims', CLAIM);
  await plane.admin.post('/apis/coordination.k8s.io/v1/namespaces/default/leases', LEASE);
  const session = await Session.open(plane.kubeconfig, [[word('NAMESPACE'), 'default']]);
  await writeFile(join(session.directory, 'values.yaml'), 'topology:\n  enabled: true\n  replicas: 2\n');
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
}

/** A real API server with all five originals in it. */
async function onOriginals(): Promise<Prepared> {
  const plane = await startControlPlane({ controllers: true });
  const { release, namespace } = INSTALLED['k8s-local-pv'];
  const session = await Session.open(plane.kubeconfig, [
    [word('RELEASE'), release ?? ''],
    [word('NAMESPACE'), namespace],
  ]);
  for (const installed of Object.values(INSTALLED)) await installOriginal(plane, session.directory, installed);
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
}
