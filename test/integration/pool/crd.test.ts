/** The kind PvPool on a real API server: what the original took is taken, and what cannot work is refused with the reason. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { Answer, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { kubectl as kubectlAs, type Said } from './kubectl.ts';
import { addPools, aPool, poolsIn, type RawPool } from './shipped.ts';

const POOLS = poolsIn('default');

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
  await addPools(plane);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

const kubectl = (...args: readonly string[]): Promise<Said> => kubectlAs(plane.kubeconfig, ...args);
const look = (name: string): Promise<RawPool> => plane.admin.get<RawPool>(`${POOLS}/${name}`);

/** Asks for the verdict only. */
const verdict = (pool: object): Promise<Answer<RawObject & { message?: string }>> =>
  plane.admin.request('POST', `${POOLS}?dryRun=All`, pool);

describe("the original's manifest", () => {
  const SAMPLE = `apiVersion: pvpool.noobaa.com/v1
kind: PvPool
metadata:
  name: pvpool-1
  namespace: pv-pool-operator-system
spec:
  image: kfirpayne/storage-agent:1
  numPVs: 3
  pvSizeGB: 5
`;

  test('is taken as it is, and stored without anything added', async () => {
    await plane.admin.post('/api/v1/namespaces', { metadata: { name: 'pv-pool-operator-system' } });
    const file = join(plane.directory, 'sample.yaml');
    await writeFile(file, SAMPLE);
    expect(await kubectl('apply', '-f', file)).toMatchObject({
      stdout: 'pvpool.pvpool.noobaa.com/pvpool-1 created\n',
      stderr: '',
    });
    const { spec } = await plane.admin.get<RawPool>(`${poolsIn('pv-pool-operator-system')}/pvpool-1`);
    expect(spec).toEqual({ image: 'kfirpayne/storage-agent:1', numPVs: 3, pvSizeGB: 5 });
    expect(await kubectl('apply', '-f', file)).toMatchObject({
      stdout: 'pvpool.pvpool.noobaa.com/pvpool-1 unchanged\n',
    });
  });

  test('may name a class, or say with an empty name that it has none', async () => {
    for (const storageClass of ['fast', ''])
      expect((await verdict(aPool('classy', { storageClass }))).status).toBe(201);
  });

  test('has its status written as the original writes it', async () => {
    await plane.admin.post(POOLS, aPool('told'));
    const status = {
      phase: 'ScalingUp',
      podsInfo: [{ podName: 'told-sts-0', podStatus: 'unknown' }],
      countByState: { unknown: 1 },
      usedPercentage: 0,
    };
    await plane.admin.patch(`${POOLS}/told/status`, { status });
    expect((await look('told')).status).toEqual(status);
  });
});

test('everything of ours is kept as it was written', async () => {
  const spec = {
    image: 'holdfast:1',
    numPVs: 0,
    pvSizeGB: 65_536,
    storageClass: 'fast',
    args: ['storage-agent', '--log-level=debug'],
    resources: { requests: { cpu: '1', memory: '200M' }, limits: { memory: '1Gi' } },
    securityContext: 'Image',
    claims: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    autoscaling: {
      minPVs: 1,
      maxPVs: 1_000,
      targetUsedPercent: 80,
      tolerancePercent: 15,
      scaleUpAfterSeconds: 0,
      scaleDownAfterSeconds: 3_600,
    },
    drain: { bandwidth: '50Mi' },
  } as const;
  await plane.admin.post(POOLS, aPool('whole', spec));
  expect((await look('whole')).spec).toEqual(spec);
  const status = {
    phase: 'ScalingDown',
    podsInfo: [{ podName: 'whole-sts-0', podStatus: 'Decommissioning' }],
    countByState: { Decommissioning: 1 },
    usedPercentage: 12,
    observedGeneration: 1,
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'ScalingDown',
        message: 'one agent drains',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-31T12:00:00Z',
      },
    ],
    replicas: 1,
    readyReplicas: 1,
    selector: 'pv-pool=whole',
    capacityBytes: 70_368_744_177_664,
    usedBytes: 8_444_249_301_319,
    forecast: { timeToFull: '3 weeks' },
    operation: {
      kind: 'ScaleDown',
      generation: 7,
      from: 1,
      to: 0,
      since: '2026-01-31T12:00:00.123Z',
      members: [{ name: 'whole-sts-0', podUid: 'a', claimUid: 'b', countsBlobs: true }],
      drained: false,
      cancelling: true,
      progress: 'draining whole-sts-0: 1 of 2 GiB',
    },
    lastGeneration: 7,
    cancelledGeneration: 1,
    autoscaling: { desiredPVs: 1, lastScaleTime: '2026-01-31T12:00:00Z' },
  };
  await plane.admin.patch(`${POOLS}/whole/status`, { status });
  expect((await look('whole')).status).toEqual(status);
});

describe('what cannot be is refused, and it is said why', () => {
  const scaling = (autoscaling: object) => ({ autoscaling: { minPVs: 1, maxPVs: 9, ...autoscaling } });
  test.each([
    ['fewer than none', { numPVs: -1 }, 'numPVs has to be from 0 to 1000: there cannot be fewer than none'],
    ['absurdly many', { numPVs: 1_001 }, 'more agents than that do not fit in one pool'],
    [
      'volumes of nothing',
      { pvSizeGB: 0 },
      'pvSizeGB has to be from 1 to 65536: a volume cannot be smaller than nothing',
    ],
    ['negative volumes', { pvSizeGB: -5 }, 'pvSizeGB has to be from 1 to 65536'],
    ['absurdly large volumes', { pvSizeGB: 65_537 }, 'one of more than 64 TiB is a mistake'],
    ['a number that is none', { numPVs: 'three' }, 'spec.numPVs in body must be of type integer: "string"'],
    ['no image', { image: '' }, 'spec.image in body should be at least 1 chars long'],
    ['a least above the most', scaling({ minPVs: 5, maxPVs: 4 }), 'minPVs must not be more than maxPVs'],
    ['a least of none', scaling({ minPVs: 0 }), 'how much of a pool of none is used, nobody can tell'],
    ['too high a most', scaling({ maxPVs: 1_001 }), 'maxPVs has to be from 1 to 1000'],
    ['a target of everything', scaling({ targetUsedPercent: 100 }), 'targetUsedPercent has to be from 1 to 99'],
    ['a target that cannot be undercut', scaling({ targetUsedPercent: 10 }), 'the pool could never shrink'],
    ['no tolerance', scaling({ tolerancePercent: 0 }), 'the pool would shrink and grow by turns'],
    ['a wait of years', scaling({ scaleDownAfterSeconds: 99_999_999 }), 'scaleDownAfterSeconds is a number of seconds'],
    ['another retention', { claims: { whenScaled: 'Keep' } }, 'supported values: "Retain", "Delete"'],
    ['another context', { securityContext: 'Root' }, 'supported values: "Restricted", "Image"'],
    ['a bandwidth of nothing', { drain: { bandwidth: '0' } }, 'spec.drain.bandwidth in body should match'],
    ['a bandwidth with which no drain ends', { drain: { bandwidth: '9Ki' } }, 'drain.bandwidth has to be 10k or more'],
    [
      'an amount that is none',
      { resources: { limits: { cpu: 'much' } } },
      'spec.resources.limits.cpu in body should match',
    ],
  ])('%s', async (_, spec, sentence) => {
    const { status, body } = await verdict(aPool('wrong', spec as object));
    expect([status, body.message]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test.each(['1-pool', 'a.pool', 'a'.repeat(49)])(
    'the name %s, which its Service or its pods could not have',
    async (name) => {
      const { status, body } = await verdict(aPool(name));
      expect([status, body.message]).toEqual([
        422,
        expect.stringContaining('its Service and its pods are named after it'),
      ]);
    },
  );

  test('the longest name and the shortest are taken', async () => {
    for (const name of ['a'.repeat(48), 'b']) expect((await verdict(aPool(name))).status).toBe(201);
  });

  test('a size that shrinks, while one that grows or stays is taken', async () => {
    await plane.admin.post(POOLS, aPool('sized'));
    const refusal = plane.admin.patch(`${POOLS}/sized`, { spec: { pvSizeGB: 4 } });
    await expect(refusal).rejects.toThrow(
      'pvSizeGB cannot shrink: volumes only grow. Make a smaller pool beside this one',
    );
    expect((await look('sized')).spec.pvSizeGB).toBe(5);
    await plane.admin.patch(`${POOLS}/sized`, { spec: { pvSizeGB: 5, numPVs: 2 } });
    await plane.admin.patch(`${POOLS}/sized`, { spec: { pvSizeGB: 6 } });
    expect((await look('sized')).spec.pvSizeGB).toBe(6);
  });
});

describe('the scale subresource', () => {
  beforeAll(async () => {
    await plane.admin.post(POOLS, aPool('scaled'));
    await plane.admin.patch(`${POOLS}/scaled/status`, { status: { replicas: 3, selector: 'pv-pool=scaled' } });
  });

  test('tells autoscalers how many there should be, how many there are, and which pods', async () => {
    expect(await plane.admin.get(`${POOLS}/scaled/scale`)).toMatchObject({
      spec: { replicas: 3 },
      status: { replicas: 3, selector: 'pv-pool=scaled' },
    });
  });

  test('lets kubectl scale a pool', async () => {
    expect(await kubectl('scale', 'pvpool', 'scaled', '--replicas=7')).toMatchObject({ code: 0, stderr: '' });
    expect((await look('scaled')).spec.numPVs).toBe(7);
  });

  test('has the same limits', async () => {
    const { code, stderr } = await kubectl('scale', 'pvpool', 'scaled', '--replicas=1001');
    expect([code, stderr]).toEqual([1, expect.stringContaining('more agents than that do not fit in one pool')]);
    const below = plane.admin.patch(`${POOLS}/scaled/scale`, { spec: { replicas: -1 } });
    await expect(below).rejects.toThrow('numPVs has to be from 0 to 1000');
    expect((await look('scaled')).spec.numPVs).toBe(7);
  });
});

describe('people see', () => {
  test("the original's columns first, then how much is used, and how old it is", async () => {
    await plane.admin.post(POOLS, aPool('shown'));
    const operation = {
      kind: 'ScaleDown',
      generation: 1,
      from: 3,
      to: 2,
      since: '2026-01-31T12:00:00Z',
      members: [],
      progress: 'draining shown-sts-2: 41 of 120 GiB, 2 min left',
    };
    await plane.admin.patch(`${POOLS}/shown/status`, {
      status: { phase: 'ScalingDown', usedPercentage: 42, operation },
    });
    const [header, row] = (await kubectl('get', 'pvpool', 'shown')).stdout.split('\n');
    expect(header?.split(/ {2,}/)).toEqual(['NAME', 'NUMBER OF PVS', 'PV SIZE GB', 'PHASE', 'USED %', 'AGE']);
    expect(row?.split(/ {2,}/)).toEqual(['shown', '3', '5', 'ScalingDown', '42', expect.stringMatching(/^\d+[ms]/)]);
    expect((await kubectl('get', 'pvpool', 'shown', '-o', 'wide')).stdout).toContain(operation.progress);
  });

  test('what each field is for', async () => {
    const { stdout } = await kubectl('explain', 'pvpool.spec');
    expect(stdout).toContain('The image of the storage agents.');
    expect(stdout).toMatch(/args\s+<\[\]string>/);
  });
});

test('pools that an earlier kind has let in can still be changed where they are wrong already', async () => {
  const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/pvpools.pvpool.noobaa.com';
  const { spec } = await plane.admin.get<RawObject & { spec: { versions: readonly { schema: object }[] } }>(crd);
  const [version] = spec.versions;
  const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await plane.admin.patch(crd, { spec: { versions: [{ ...version, schema: anything }] } });
  const huge = aPool('huge', { pvSizeGB: 70_000 });
  await eventually(async () => (await plane.admin.request('POST', POOLS, huge)).status === 201);
  await plane.admin.patch(crd, { spec: { versions: [version] } });
  await eventually(async () => (await verdict(aPool('other', { pvSizeGB: 70_000 }))).status === 422);
  await plane.admin.patch(`${POOLS}/huge`, { spec: { numPVs: 4 } });
  expect((await look('huge')).spec).toMatchObject({ numPVs: 4, pvSizeGB: 70_000 });
});
