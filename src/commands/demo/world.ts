/** The world of the demo: a protected and a recovery cluster, nodes in three zones, all five jobs, real storage agents, and an object store. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock/clock.ts';
import { pool } from '../../pool/controller.ts';
import { poolSpec } from '../../pool/spec.ts';
import { sync } from '../../sync/controller.ts';
import { NO_KEYS } from '../../sync/export/keys.ts';
import { syncSpec } from '../../sync/spec.ts';
import { openStore } from '../../sync/store/open.ts';
import { DEFAULT_POLICY, REGION, ZONE } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { topologySpec } from '../../topology/spec.ts';
import { DemoAgents } from './agents.ts';
import { addApplications, addLogicalVolumes } from './life.ts';
import { DiskNode, GroupNode, groupLabels, OTHER_DISKS, STORY_DISKS } from './machines.ts';
import { DemoSite } from './site.ts';

export interface DemoOptions {
  readonly clock: Clock;
  /** Everything that the demo writes is below it. */
  readonly directory: string;
  readonly kubeconfigs: string;
  /** Of the protected cluster's API server; the other one has the next. */
  readonly port: number;
}

const ZONES = ['a', 'b', 'c'];
const NODES_PER_ZONE = 2;

export class DemoWorld implements AsyncDisposable {
  readonly protectedSite: DemoSite;
  readonly recoverySite: DemoSite;
  readonly agents: DemoAgents;
  readonly disks: DiskNode;
  readonly group: GroupNode;
  /** The directory that is the object store of both. */
  readonly store: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    sites: readonly [DemoSite, DemoSite],
    agents: DemoAgents,
    disks: DiskNode,
    group: GroupNode,
    store: string,
    stack: AsyncDisposableStack,
  ) {
    [this.protectedSite, this.recoverySite] = sites;
    this.agents = agents;
    this.disks = disks;
    this.group = group;
    this.store = store;
    this.#stack = stack;
  }

  static async open({ clock, directory, kubeconfigs, port }: DemoOptions): Promise<DemoWorld> {
    await using stack = new AsyncDisposableStack();
    const store = join(directory, 'store');
    await mkdir(store, { recursive: true });
    const diskNodes: DiskNode[] = [];
    stack.defer(() => {
      for (const node of diskNodes) node[Symbol.dispose](); // after the jobs that use them
    });
    const common = { clock, directory: kubeconfigs };
    const next = port === 0 ? 0 : port + 1;
    const protectedSite = stack.use(await DemoSite.open({ ...common, name: 'protected', port }));
    const recoverySite = stack.use(await DemoSite.open({ ...common, name: 'recovery', port: next }));
    for (const site of [protectedSite, recoverySite]) addNodes(site);
    const agents = stack.use(await DemoAgents.open(protectedSite, directory));
    startCluster(protectedSite, agents, store);
    startCluster(recoverySite, agents, store);
    const place = join(directory, 'disks');
    const disks = new DiskNode(protectedSite, 'node-a2', { set: STORY_DISKS, links: ['disk-1', 'disk-2'] }, place);
    const others = { set: OTHER_DISKS, links: ['fast-1', 'fast-2'], used: ['fast-3'] };
    diskNodes.push(disks, new DiskNode(protectedSite, 'node-c1', others, place));
    const group = new GroupNode(protectedSite, 'node-b2');
    new GroupNode(protectedSite, 'node-c2');
    addLogicalVolumes(protectedSite, 'node-c2');
    addApplications(protectedSite);
    return new DemoWorld([protectedSite, recoverySite], agents, disks, group, store, stack.move());
  }

  /** What has ended that should not have. */
  get failure(): Error | undefined {
    return this.protectedSite.failure ?? this.recoverySite.failure ?? this.agents.failure;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

function addNodes({ world }: DemoSite): void {
  for (const zone of ZONES)
    for (let index = 1; index <= NODES_PER_ZONE; index++) {
      const name = `node-${zone}${index}`;
      world.addNode(name, { [ZONE]: `zone-${zone}`, [REGION]: 'region-1', ...groupLabels(name) });
    }
}

/** The jobs that a cluster has once. */
function startCluster(site: DemoSite, agents: DemoAgents, store: string): void {
  const settings = { policy: DEFAULT_POLICY, selector: '', resyncMs: 3_600_000, narrowAfterMs: 30_000, dryRun: false };
  const secret = (bytes: number) => crypto.getRandomValues(Buffer.alloc(bytes)).toString('hex');
  const env = { OBJECT_STORAGE_PATH: store };
  site.run({ spec: topologySpec, setUp: (parts) => topology(parts, settings) });
  site.run({ spec: poolSpec, setUp: (parts) => pool(parts, { secret, agents: agents.asked(site.clock) }) });
  site.run({
    spec: syncSpec,
    setUp: (parts) => sync(parts, { openStore: (provider) => openStore(provider, env), keys: () => NO_KEYS }),
  });
}
