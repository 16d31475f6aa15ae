/** Every right of a job is needed: without any one of them, something that the job does is refused. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NAMESPACES } from '../../api/namespaces.ts';
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { SECRETS } from '../../api/secrets.ts';
import { controllers } from '../../controllers.ts';
import { CONFIG_ANNOTATION } from '../../devices/contract.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { rolesOf, runtimeRoles } from '../../kit/manifests/rbac.ts';
import { annotation, DEFAULT_MOUNT_BASE, NODE_ID_LABEL, STORAGE_CLASS } from '../../lvm/contract.ts';
import { CANCEL_ANNOTATION, PV_POOLS, type PvPoolSpec } from '../../pool/contract.ts';
import { hearRefusals, type Right, rightsIn, takeAway } from '../../sandbox/removed-right.ts';
import { accountOf } from '../../sandbox/rights.ts';
import { seeded } from '../../sandbox/seeded.ts';
import type { Fault } from '../../sandbox/simulate/fault.ts';
import type { Stage, Step } from '../../sandbox/simulate/simulate.ts';
import { Simulation } from '../../sandbox/simulate/simulation.ts';
import type { Site } from '../../sandbox/simulate/site.ts';
import { SYNC_ENABLED, SYNC_LABEL } from '../../sync/contract.ts';
import { ZONE } from '../../topology/contract.ts';
import { ownNode } from '../lvm/here.ts';
import { STORIES } from './stories.ts';

const SEED = 1;
const MINUTES = 60_000;
/** How often it is looked whether there was a refusal. */
const LOOK_MS = 10_000;

/** Somebody was faster: the object is looked at again. */
const FAULTS: readonly Fault[] = [1, 2].map((nth) => ({
  at: 'call',
  kind: 'conflict',
  job: 'recovery',
  call: 'PATCH /api/v1/namespaces/apps/persistentvolumeclaims/data',
  nth,
}));

/** What is no story, and the test that shows for each of its rights what it is for. */
const WITHOUT_STORY: Readonly<Record<string, string>> = { console: 'src/console/needed-rights.test.ts' };

test('every job has a story, or a test of its rights elsewhere', () => {
  const without = controllers.filter(({ name }) => !STORIES.has(name)).map(({ name }) => name);
  expect(without).toEqual(Object.keys(WITHOUT_STORY));
  for (const file of Object.values(WITHOUT_STORY))
    expect(existsSync(join(import.meta.dirname, '../../..', file))).toBe(true);
});

/** What no job asks for by itself, and the test that shows what it is for. */
const SHOWN_ELSEWHERE: Readonly<Record<string, readonly Right[]>> = {
  'test/integration/pool/owner-rights.test.ts': ['update pvpools/finalizers'],
};

describe.each(controllers.filter(({ name }) => STORIES.has(name)).map((spec) => [spec.name, spec] as const))(
  '%s',
  (job, spec) => {
    const elsewhere = Object.values(SHOWN_ELSEWHERE).flat();
    const rights = rightsIn(rolesOf(spec)).filter((right) => !elsewhere.includes(right));

    test.each(rights)('is refused something without the right to %s', async (right) => {
      expect(await refusedWithout(job, right)).toBe(true);
    });
  },
);

/** The roles of the runtime are the same for all. */
describe('the runtime', () => {
  test.each(rightsIn(runtimeRoles()))('is refused something without the right to %s', async (right) => {
    expect(await refusedWithout('topology', right)).toBe(true);
  });
});

test.each(Object.entries(SHOWN_ELSEWHERE))('what %s shows is a right of a job', (file, rights) => {
  expect(existsSync(join(import.meta.dirname, '../../..', file))).toBe(true);
  const all = controllers.flatMap((spec) => rightsIn(rolesOf(spec)));
  expect(rights.filter((right) => !all.includes(right))).toEqual([]);
});

/** Plays the story of the job without this right, until something is refused or the story is over. */
async function refusedWithout(job: string, right: Right): Promise<boolean> {
  const story = STORIES.get(job);
  if (!story) throw new Error(`there is no story ${job}`);
  const simulation = new Simulation({ seed: SEED, faults: FAULTS });
  const stage = story.stage(simulation);
  const refusals = new Set<Right>();
  for (const site of sitesOf(simulation, stage)) {
    takeAway(site, right);
    hearRefusals(site.cluster, refusals);
  }
  simulation.start(stage.jobs);
  await play(simulation, [...stage.steps(seeded(SEED)), ...besides(job, simulation)], story.storyMs, () =>
    refusals.has(right),
  );
  expect([...refusals].filter((other) => other !== right)).toEqual([]);
  return refusals.has(right);
}

const sitesOf = ({ site: first }: Simulation, { jobs }: Stage): ReadonlySet<Site> =>
  new Set([first, ...jobs.map(({ site = first }) => site)]);

async function play(simulation: Simulation, steps: readonly Step[], storyMs: number, isOver: () => boolean) {
  const waiting = steps.toSorted((a, b) => a.ms - b.ms);
  while (!isOver() && simulation.clock.monotonic() < storyMs) {
    const now = simulation.clock.monotonic();
    while (waiting[0] && waiting[0].ms <= now) waiting.shift()?.act();
    await simulation.pass(Math.min(LOOK_MS, Math.max(1, (waiting[0]?.ms ?? Number.POSITIVE_INFINITY) - now)));
  }
}

/** What the stories leave out: rare, or done by people. */
function besides(job: string, simulation: Simulation): readonly Step[] {
  const at = (minutes: number, what: string, act: () => void): Step => ({ ms: minutes * MINUTES, what, act });
  switch (job) {
    case 'topology':
      return [2, 3, 4, 5, 6].map((minute) => at(minute, 'writes a zone', () => writeZones(simulation)));
    case 'devices':
      return [1, 2, 3, 4].map((minute) =>
        at(minute, 'chooses a configuration', () => configure(simulation, minute % 2 === 1 ? 'none' : 'disks')),
      );
    case 'lvm':
      return [
        at(1, 'wants an encrypted volume', () => encrypt(simulation)),
        at(1, 'runs a command in the pod of the agent', () => void lookAtNode(simulation)),
      ];
    case 'pool':
      return [
        at(2, 'wants larger claims that go with the pool, and another image', () =>
          declare(simulation, {
            image: 'holdfast:2',
            pvSizeGB: 2,
            claims: { whenScaled: 'Delete', whenDeleted: 'Delete' },
          }),
        ),
        at(4, 'wants one agent', () => declare(simulation, { numPVs: 1 })),
        at(8, 'wants two agents, and to give up what runs', () => cancel(simulation)),
      ];
    case 'sync':
      return [
        at(1, 'makes a volume and a claim in another namespace', () => protect(simulation)),
        at(5, 'labels the claim', () => relabel(simulation)),
      ];
    default:
      return [];
  }
}

function writeZones({ objects }: Simulation): void {
  for (const { metadata, ...volume } of objects.list(PERSISTENT_VOLUMES))
    objects.update(PERSISTENT_VOLUMES, {
      ...volume,
      metadata: { ...metadata, labels: { ...metadata.labels, [ZONE]: 'wrong' } },
    });
}

function configure({ objects }: Simulation, name: string): void {
  for (const { metadata, ...node } of objects.list(NODES)) {
    const annotations = { ...metadata.annotations, [CONFIG_ANNOTATION]: name };
    objects.update(NODES, { ...node, metadata: { ...metadata, annotations } });
  }
}

function encrypt({ objects }: Simulation): void {
  const name = 'secret';
  objects.create(SECRETS, { metadata: { name: 'key', namespace: 'default' }, data: { key: 'c2VjcmV0' } });
  const [node] = objects.list(NODES);
  const matchExpressions = [
    { key: NODE_ID_LABEL, operator: 'In' as const, values: [node?.metadata.labels?.[NODE_ID_LABEL] ?? ''] },
  ];
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name, annotations: { [annotation('cryptSecret')]: 'default/key' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '64Mi' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: STORAGE_CLASS,
      local: { path: `${DEFAULT_MOUNT_BASE}/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
}

async function lookAtNode({ site, clock, random, objects }: Simulation): Promise<void> {
  const transport = site.cluster.transport(accountOf('lvm'));
  const client = new KubeClient({ transport, clock, random, userAgent: 'holdfast' });
  const [node] = objects.list(NODES);
  await ownNode({ client, signal: new AbortController().signal }, node?.metadata.name ?? '', '').catch(() => {});
}

function declare({ objects }: Simulation, spec: Partial<PvPoolSpec>): void {
  for (const pool of objects.list(PV_POOLS)) objects.update(PV_POOLS, { ...pool, spec: { ...pool.spec, ...spec } });
}

function cancel({ objects }: Simulation): void {
  for (const { metadata, ...pool } of objects.list(PV_POOLS)) {
    const annotations = { ...metadata.annotations, [CANCEL_ANNOTATION]: 'true' };
    objects.update(PV_POOLS, { ...pool, metadata: { ...metadata, annotations } });
  }
}

const SYNCED = { labels: { [SYNC_LABEL]: SYNC_ENABLED } };

function protect({ objects }: Simulation): void {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  objects.create(NAMESPACES, { metadata: { name: 'apps' } });
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'data', ...SYNCED },
    spec: {
      ...common,
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: 'data' },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  });
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'data', namespace: 'apps', ...SYNCED },
    spec: { ...common, volumeName: 'data', resources: { requests: { storage: '1Gi' } } },
  });
}

function relabel({ objects }: Simulation): void {
  const claim = objects.get(PERSISTENT_VOLUME_CLAIMS, 'apps/data');
  if (!claim) throw new Error('there is no claim');
  const labels = { ...claim.metadata.labels, tier: 'gold' };
  objects.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, labels } });
}
