/** A month of a cluster with fifty nodes, in which pods, claims and sets come and go all the time: nothing may be left of what has gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { nameOf, type Resource } from '../../kit/kube/resource.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import { Simulation } from '../../sandbox/simulate/simulation.ts';
import type { RemoveOptions } from '../../sandbox/store/objects.ts';
import { PROVISIONER } from '../../sandbox/world/provisioner.ts';
import { CLAIMS, PODS, SETS, type Set as StatefulSet } from '../../sandbox/world/resources.ts';
import { DEFAULT_POLICY, REGION, ZONE } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { topologySpec } from '../../topology/spec.ts';

const HOUR_MS = 3_600_000;
const NODES = 50;
const PODS_AT_ONCE = 20;
const NAMESPACE = 'default';

const settings = { policy: DEFAULT_POLICY, selector: '', resyncMs: HOUR_MS, narrowAfterMs: 30_000, dryRun: false };

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'fast',
  resources: { requests: { storage: '1Gi' } },
};

class Month {
  readonly simulation = new Simulation({ seed: 30, faults: [] });
  #pods = 0;
  #days = 0;

  constructor() {
    const { objects, world } = this.simulation;
    grant(objects, topologySpec);
    for (let index = 0; index < NODES; index++)
      world.addNode(`node-${index}`, { [ZONE]: `zone-${index % 3}`, [REGION]: 'r' });
    objects.create(STORAGE_CLASSES, {
      metadata: { name: 'fast' },
      provisioner: PROVISIONER,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const job = { name: 'topology', setUp: (parts: Parameters<typeof topology>[0]) => topology(parts, settings) };
    this.simulation.start([{ job, user: accountOf('topology') }]);
  }

  /** Every hour a pod comes with a claim, and the oldest goes with its own; every day a node fails for a while, and sets change. */
  async days(count: number): Promise<void> {
    const { world, random } = this.simulation;
    for (const until = this.#days + count; this.#days < until; this.#days++) {
      const node = `node-${Math.floor(random() * NODES)}`;
      world.kubelets.switchOff(node);
      this.#changeSets();
      await this.#comesAndGoes(`hasty-${this.#days}`);
      for (let hour = 0; hour < 24; hour++) {
        this.#comes(`pod-${this.#pods++}`);
        this.#goes(`pod-${this.#pods - PODS_AT_ONCE - 1}`);
        await this.hours(1);
        if (hour === 2) world.kubelets.switchOn(node);
      }
    }
  }

  /** So many in which nobody does anything. */
  async hours(count: number): Promise<void> {
    await this.simulation.pass(count * HOUR_MS);
  }

  /** Everything goes that came since the beginning. */
  clear(): void {
    const { objects } = this.simulation;
    for (const resource of [SETS, PODS, CLAIMS] as readonly Resource[])
      for (const { metadata } of objects.list(resource)) objects.remove(resource, `${NAMESPACE}/${metadata.name}`);
  }

  #comes(name: string): void {
    const { objects } = this.simulation;
    objects.create(CLAIMS, { metadata: { name, namespace: NAMESPACE }, spec: claimSpec });
    const spec = {
      containers: [{ name: 'main', image: 'example.com/any' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    };
    objects.create(PODS, { metadata: { name, namespace: NAMESPACE }, spec });
  }

  /** Somebody loses patience while the pod starts. */
  async #comesAndGoes(name: string): Promise<void> {
    this.#comes(name);
    await this.simulation.pass(1_000);
    this.#goes(name, { gracePeriodSeconds: 0 });
  }

  #goes(name: string, how: RemoveOptions = {}): void {
    const { objects } = this.simulation;
    const key = `${NAMESPACE}/${name}`;
    if (objects.get(PODS, key)) objects.remove(PODS, key, how);
    if (objects.get(CLAIMS, key)) objects.remove(CLAIMS, key);
  }

  /** A set lives for four days: it is made, gets a new image and two more pods, loses three, and goes. */
  #changeSets(): void {
    const { objects } = this.simulation;
    objects.create(SETS, aSet(`set-${this.#days}`));
    this.#change(`set-${this.#days - 1}`, (spec) => ({
      ...spec,
      replicas: 4,
      template: template('example.com/newer'),
    }));
    this.#change(`set-${this.#days - 2}`, (spec) => ({ ...spec, replicas: 1 }));
    const oldest = `${NAMESPACE}/set-${this.#days - 3}`;
    if (objects.get(SETS, oldest)) objects.remove(SETS, oldest);
  }

  #change(name: string, changed: (spec: StatefulSet['spec']) => StatefulSet['spec']): void {
    const { objects } = this.simulation;
    const set = objects.get(SETS, `${NAMESPACE}/${name}`);
    const spec = set && changed(set.spec);
    if (set && spec) objects.update(SETS, { ...set, spec });
  }

  /** How many there are of each kind, and how much is kept of them elsewhere. */
  counted() {
    const { objects, world, clock, site } = this.simulation;
    const kinds = site.cluster.registry.all.map(({ resource }) => [nameOf(resource), objects.list(resource).length]);
    return { ...Object.fromEntries(kinds), remembered: world.remembered, timers: clock.pending };
  }
}

const template = (image: string) => ({
  metadata: { labels: { app: 'set' } },
  spec: { containers: [{ name: 'main', image }] },
});

const aSet = (name: string): StatefulSet => ({
  metadata: { name, namespace: NAMESPACE },
  spec: {
    replicas: 2,
    serviceName: name,
    selector: { matchLabels: { app: 'set' } },
    template: template('example.com/any'),
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
  },
});

function heapMb(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** What the simulation itself keeps grows by so much: the lines of its history, and the calls that it counts. */
const HISTORY_MB = 8;

test('a month later there is no more than after a week, and nothing at all of what is gone', {
  timeout: 300_000,
}, async () => {
  const month = new Month();
  await month.hours(3);
  const before = month.counted();
  await month.days(7);
  const [week, weekMb] = [month.counted(), heapMb()];
  await month.days(23);
  expect(heapMb()).toBeLessThan(weekMb + HISTORY_MB);
  expect(Math.abs(month.counted().timers - week.timers)).toBeLessThan(20);
  month.clear();
  await month.hours(3);
  expect(month.counted()).toEqual(before);
  expect(month.simulation.violations).toEqual([]);
});
