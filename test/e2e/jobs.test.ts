/** The chart on a real node: agents and operators run from the built images, with nothing of this checkout in them. */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesSource, PoolClient } from '../../src/pool-client/index.ts';
import { BUSYBOX } from '../../tools/node/build.ts';
import type { RawObject } from '../harness/raw-client.ts';
import type { LoopDevice } from '../host/loop-device.ts';
import { CHART } from '../integration/chart/helm.ts';
import { BY_PATH, Cluster, NODE, ZONE } from './cluster.ts';

const NAMESPACE = 'holdfast';
const APPS = 'apps';
const CLASS = 'local-storage';
/** A pool asks for whole gigabytes. */
const DISK_BYTES = 1100 * 2 ** 20;
const { version } = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8'));

const VALUES = {
  image: { pullPolicy: 'Never' },
  topology: { enabled: true },
  devices: {
    enabled: true,
    pvSpecs: { disks: { deviceDir: BY_PATH, deviceNameFilter: '^e2e-', volumeMode: 'Filesystem', fsType: 'ext4' } },
    defaultPvSpecConfigMap: 'disks',
    // Of a machine in whose process 1 nobody may look. It has none of these disks.
    trustInit: true,
  },
  pool: { enabled: true },
};

interface Volume extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly local?: { readonly path: string } };
  readonly status: { readonly phase: string };
}

let cluster: Cluster;
const disks = new Map<string, LoopDevice>();

beforeAll(async () => {
  cluster = await Cluster.start();
  for (const name of [NAMESPACE, APPS]) await cluster.namespace(name);
  await cluster.admin.post('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: CLASS },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  for (const name of ['e2e-1', 'e2e-2', 'e2e-3', 'e2e-4']) disks.set(name, await cluster.disk(name, DISK_BYTES));
  await cluster.install('holdfast', NAMESPACE, VALUES);
}, 900_000);
afterAll(() => cluster?.[Symbol.asyncDispose](), 120_000);

const volumes = async () => (await cluster.admin.list<Volume>('/api/v1/persistentvolumes')).items;
const volume = (name: string) => cluster.admin.get<Volume>(`/api/v1/persistentvolumes/${name}`);

async function available(count: number): Promise<readonly Volume[]> {
  return await cluster.eventually(`${count} volumes to be available`, async () => {
    const all = (await volumes()).filter(({ status }) => status.phase === 'Available');
    if (all.length !== count) throw new Error(`${all.length} are`);
    return all;
  });
}

test('the jobs run, from the images that were built', async () => {
  const images = { topology: version, pool: version, devices: `${version}-node` };
  for (const [job, tag] of Object.entries(images)) {
    const [pod] = await cluster.readyPods(NAMESPACE, `app.kubernetes.io/component=${job}`);
    expect(pod?.status.containerStatuses).toMatchObject([
      { image: `docker.io/library/holdfast:${tag}`, restartCount: 0 },
    ]);
  }
});

test('each disk of the node is offered as a volume', async () => {
  const offered = await available(disks.size);
  expect(offered.map(({ metadata, spec }) => [metadata.name, spec.local?.path]).toSorted()).toEqual(
    [...disks.keys()].map((name) => [`local-${NODE}-${name}`, `${BY_PATH}/${name}`]),
  );
});

test('helm test runs the doctor on the node, which finds nothing wrong', async () => {
  const said = await cluster.test('holdfast', NAMESPACE);
  expect(said).toMatch(/^Phase: +Succeeded$/m);
  expect(said).toContain('two-writers');
});

describe('a volume', () => {
  const claims = `/api/v1/namespaces/${APPS}/persistentvolumeclaims`;
  const podWith = (name: string, script: string) => ({
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: BUSYBOX,
          imagePullPolicy: 'Never',
          command: ['/bin/sh', '-ec', script],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  let taken: Volume;

  test('is used by a pod, whose data the next one reads', async () => {
    await cluster.admin.post(claims, {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: CLASS, resources: { requests: { storage: '1Gi' } } },
    });
    await cluster.output(APPS, podWith('writer', 'echo precious >/data/file; sync; df /data'), 'writer');
    expect(await cluster.output(APPS, podWith('reader', 'cat /data/file'), 'reader')).toBe('precious\n');
    const { spec } = await cluster.admin.get<RawObject & { readonly spec: { readonly volumeName: string } }>(
      `${claims}/data`,
    );
    taken = await volume(spec.volumeName);
    expect(await filesystemOn(diskOf(taken))).toBe(true);
  });

  test('has the zone and the region of its node while a pod uses it', async () => {
    await cluster.admin.post(`/api/v1/namespaces/${APPS}/pods`, podWith('user', 'sleep 3600'));
    const labels = await cluster.eventually('the labels of the volume', async () => {
      const { metadata } = await volume(taken.metadata.name);
      if (!metadata.labels?.['topology.kubernetes.io/zone']) throw new Error('it has no zone');
      return metadata.labels;
    });
    expect(labels).toMatchObject(ZONE);
    await cluster.removePod(APPS, 'user');
  });

  test('is wiped when its claim is gone, and offered again', async () => {
    await cluster.admin.delete(`${claims}/data`);
    await cluster.eventually('another volume of the same disk', async () => {
      const { metadata, status } = await volume(taken.metadata.name);
      if (metadata.uid === taken.metadata.uid || status.phase !== 'Available') throw new Error(`it is ${status.phase}`);
    });
    expect(await filesystemOn(diskOf(taken))).toBe(false);
    await available(disks.size);
  });
});

function diskOf({ spec }: Volume): LoopDevice {
  const found = disks.get(spec.local?.path.slice(BY_PATH.length + 1) ?? '');
  if (!found) throw new Error(`${spec.local?.path} is none of ours`);
  return found;
}

/** Whether the mark of ext4 is where it has to be. */
async function filesystemOn({ backing }: LoopDevice): Promise<boolean> {
  await using file = await open(backing);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 1080);
  return buffer.readUInt16LE() === 0xef53;
}

describe('a pool', () => {
  const pools = `/apis/pvpool.noobaa.com/v1/namespaces/${APPS}/pvpools`;
  const POOL = 'photos';
  const size = (numPVs: number) => cluster.admin.patch(`${pools}/${POOL}`, { spec: { numPVs } });

  async function isReady(count: number): Promise<void> {
    await cluster.eventually(`the pool to be ready with ${count}`, async () => {
      const { status } = await cluster.admin.get<RawObject & { readonly status?: PoolStatus }>(`${pools}/${POOL}`);
      const states = JSON.stringify(status?.countByState ?? {});
      if (status?.phase !== 'Ready' || status.podsInfo?.length !== count)
        throw new Error(`it is ${status?.phase}, ${states}`);
    });
  }

  async function client(): Promise<PoolClient> {
    const secret = await cluster.admin.get<RawObject & { readonly data: { readonly token: string } }>(
      `/api/v1/namespaces/${APPS}/secrets/${POOL}-token`,
    );
    const agents = async () =>
      (await cluster.pods(APPS, `pv-pool=${POOL}`)).map(({ metadata: { name }, status }) => ({
        name,
        url: `http://${status.podIP ?? '127.255.255.254'}:8080`,
      }));
    return new PoolClient({ agents, token: Buffer.from(secret.data.token, 'base64').toString() });
  }

  const contentOf = (key: string): Buffer => Buffer.from(`${key} `.repeat(20_000));
  const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `photo-${from + index}`);

  async function everythingIsThere(pool: PoolClient, expected: readonly string[]): Promise<void> {
    const listed: string[] = [];
    for await (const { key } of pool.list()) listed.push(key);
    expect(listed.toSorted()).toEqual(expected.toSorted());
    for (const key of expected) {
      const found = await pool.get(key);
      const chunks = await Array.fromAsync(found?.body ?? []);
      expect(Buffer.concat(chunks).equals(contentOf(key)), key).toBe(true);
    }
  }

  test('of real agents grows and shrinks, and nothing of its data is lost', async () => {
    await cluster.admin.post(pools, {
      apiVersion: 'pvpool.noobaa.com/v1',
      kind: 'PvPool',
      metadata: { name: POOL },
      spec: {
        image: `holdfast:${version}-storage-agent`,
        numPVs: 1,
        pvSizeGB: 1,
        storageClass: CLASS,
        claims: { whenScaled: 'Delete' },
      },
    });
    await isReady(1);
    using pool = await client();
    for (const key of keys(0, 10)) await pool.put(key, bytesSource(contentOf(key)));

    await size(3);
    await isReady(3);
    for (const key of keys(10, 40)) await pool.put(key, bytesSource(contentOf(key)));
    const holders = new Set(await Promise.all(keys(10, 40).map(async (key) => (await pool.get(key))?.agent)));
    expect(holders.size).toBe(3);
    await everythingIsThere(pool, keys(0, 40));

    await size(1);
    await isReady(1);
    expect((await cluster.pods(APPS, `pv-pool=${POOL}`)).map(({ metadata }) => metadata.name)).toEqual([
      `${POOL}-sts-0`,
    ]);
    await everythingIsThere(pool, keys(0, 40));
  });

  test('gives back the disks of the agents that left', async () => {
    await available(disks.size - 1);
  });
});

interface PoolStatus {
  readonly phase?: string;
  readonly podsInfo?: readonly unknown[];
  readonly countByState?: Readonly<Record<string, number>>;
}
