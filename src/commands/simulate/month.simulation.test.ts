/** A month of a cluster with fifty nodes, in which pods come and go all the time: nothing may be left of what has gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import { Simulation } from '../../sandbox/simulate/simulation.ts';
import { PROVISIONER } from '../../sandbox/world/provisioner.ts';
import { CLAIMS, PODS } from '../../sandbox/world/resources.ts';
import { DEFAULT_POLICY, REGION, ZONE } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { topologySpec } from '../../topology/spec.ts';

const HOUR_MS = 3_600_000;
const NODES = 50;
const PODS_AT_ONCE = 20;
const NAMESPACE = 'default';

const settings = { policy: DEFAULT_POLICY, selector: '', resyncMs: HOUR_MS, narrowAfterMs: 30_000, dryRun: false };

class Month {
  readonly simulation = new Simulation({ seed: 30, faults: [] });
  #made = 0;
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

  /** Every hour a pod comes with a claim, and the oldest goes with its own; every day a node fails for a while. */
  async days(count: number): Promise<void> {
    const { world, random } = this.simulation;
    for (const until = this.#days + count; this.#days < until; this.#days++) {
      const node = `node-${Math.floor(random() * NODES)}`;
      world.kubelets.switchOff(node);
      for (let hour = 0; hour < 24; hour++) {
        this.#comes(`pod-${this.#made++}`);
        this.#goes(`pod-${this.#made - PODS_AT_ONCE - 1}`);
        await this.simulation.pass(HOUR_MS);
        if (hour === 2) world.kubelets.switchOn(node);
      }
    }
  }

  #comes(name: string): void {
    const { objects } = this.simulation;
    objects.create(CLAIMS, {
      metadata: { name, namespace: NAMESPACE },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    });
    const spec = {
      containers: [{ name: 'main', image: 'example.com/any' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    };
    objects.create(PODS, { metadata: { name, namespace: NAMESPACE }, spec });
  }

  #goes(name: string): void {
    const { objects } = this.simulation;
    const key = `${NAMESPACE}/${name}`;
    if (objects.get(PODS, key)) objects.remove(PODS, key);
    if (objects.get(CLAIMS, key)) objects.remove(CLAIMS, key);
  }

  /** What would grow if something were left behind. */
  measured() {
    const { objects, clock } = this.simulation;
    collectGarbage();
    return {
      pods: objects.list(PODS).length,
      claims: objects.list(CLAIMS).length,
      volumes: objects.list(PERSISTENT_VOLUMES).length,
      timers: clock.pending,
      heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    };
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
}

test('a month later there is nothing that was not there after a week', { timeout: 300_000 }, async () => {
  const month = new Month();
  await month.days(7);
  const { heapMb, ...week } = month.measured();
  await month.days(23);
  const { heapMb: laterMb, ...later } = month.measured();
  expect(later.pods).toBeLessThanOrEqual(PODS_AT_ONCE + 1);
  expect(later.claims).toBeLessThanOrEqual(PODS_AT_ONCE + 1);
  expect(later.volumes).toBeLessThanOrEqual(PODS_AT_ONCE + 1);
  expect(Math.abs(later.timers - week.timers)).toBeLessThan(50);
  expect(laterMb).toBeLessThan(heapMb * 1.3 + 10);
  expect(month.simulation.violations).toEqual([]);
});
