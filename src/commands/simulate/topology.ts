/** The story of the topology job: pods that use volumes move between zones, nodes fail, and in the end each volume says where it is used. */
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { claimsOf, PODS, type Pod } from '../../api/pods.ts';
import type { Random } from '../../kit/backoff.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import type { Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import { DEFAULT_POLICY, REGION, SEPARATOR, ZONE } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { topologySpec } from '../../topology/spec.ts';

const NAMESPACE = 'default';
const ZONES = ['a', 'b', 'c'];
const NODES_PER_ZONE = 2;
const VOLUMES = 8;
const MOVES = 14;
const STORY_MS = 20 * 60_000;
/** After this nobody moves any more. */
const LAST_MOVE_MS = 15 * 60_000;

const settings = { policy: DEFAULT_POLICY, selector: '', resyncMs: 3_600_000, narrowAfterMs: 30_000, dryRun: false };

export const topologyStory: Story = {
  name: 'topology',
  stage: (simulation) => new TopologyStage(simulation),
  storyMs: STORY_MS,
  settleMs: 40 * 60_000,
};

class TopologyStage implements Stage {
  readonly jobs: readonly JobProcesses[] = [
    {
      job: { name: 'topology', election: true, setUp: (parts) => topology(parts, settings) },
      processes: 2,
      user: accountOf('topology'),
    },
  ];
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { objects, world } = simulation;
    grant(objects, topologySpec);
    for (const zone of ZONES)
      for (let index = 0; index < NODES_PER_ZONE; index++)
        world.addNode(`node-${zone}${index}`, { [ZONE]: zone, [REGION]: 'r' });
    for (let index = 0; index < VOLUMES; index++) addVolume(simulation, `pv-${index}`);
    watch(simulation);
  }

  /** Each volume gets a pod; pods move; nodes fail and come back; and at last each volume has a pod in a place that follows from the seed. */
  steps(random: Random): readonly Step[] {
    const volume = () => `pv-${Math.floor(random() * VOLUMES)}`;
    const node = () => `node-${ZONES[Math.floor(random() * ZONES.length)]}${Math.floor(random() * NODES_PER_ZONE)}`;
    const place = (ms: number, pv: string, at: string): Step => ({
      ms,
      what: `the pod of ${pv} moves to ${at}`,
      act: () => move(this.#simulation, pv, at),
    });
    const moves = Array.from({ length: MOVES }, () => place(Math.floor(random() * LAST_MOVE_MS), volume(), node()));
    const failures = Array.from({ length: 2 }, () => this.#failure(Math.floor(random() * LAST_MOVE_MS), node())).flat();
    const last = Array.from({ length: VOLUMES }, (_, index) =>
      place(LAST_MOVE_MS + index * 10_000 + 100_000, `pv-${index}`, node()),
    );
    return [...moves, ...failures, ...last];
  }

  #failure(ms: number, node: string): readonly Step[] {
    const { kubelets } = this.#simulation.world;
    return [
      { ms, what: `${node} fails`, act: () => kubelets.switchOff(node) },
      { ms: ms + 90_000, what: `${node} is back`, act: () => kubelets.switchOn(node) },
    ];
  }

  outcome(): unknown {
    return this.#simulation.objects
      .list(PERSISTENT_VOLUMES)
      .map(({ metadata }) => [metadata.name, metadata.labels?.[ZONE], metadata.labels?.[REGION]]);
  }

  wrong(): readonly string[] {
    return notLabelled(this.#simulation);
  }
}

function addVolume({ objects }: Simulation, name: string): void {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      ...common,
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: name },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  });
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: `claim-of-${name}`, namespace: NAMESPACE },
    spec: { ...common, volumeName: name, resources: { requests: { storage: '1Gi' } } },
  });
}

function move({ objects, clock }: Simulation, volume: string, node: string): void {
  const claimName = `claim-of-${volume}`;
  for (const pod of objects.list<Pod>(PODS))
    if (claimsOf(pod).includes(claimName)) objects.remove(PODS, `${NAMESPACE}/${pod.metadata.name}`);
  objects.create(PODS, {
    metadata: { name: `user-of-${volume}-${Math.floor(clock.monotonic())}`, namespace: NAMESPACE },
    spec: {
      nodeName: node,
      containers: [{ name: 'main', image: 'example.com/any' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    } as Pod['spec'] & object,
  });
}

/** A volume never says that it is where nobody has ever used it. */
function watch(simulation: Simulation): void {
  const { objects } = simulation;
  const used = new Map<string, Set<string>>();
  objects.onChange(PODS, ({ object }) => {
    const zone = objects.get(NODES, object.spec?.nodeName ?? '')?.metadata.labels?.[ZONE];
    for (const claim of claimsOf(object)) {
      const volume = claim.replace('claim-of-', '');
      if (zone) used.set(volume, (used.get(volume) ?? new Set()).add(zone));
    }
  });
  objects.onChange(PERSISTENT_VOLUMES, ({ object: { metadata } }) => {
    const zones = metadata.labels?.[ZONE]?.split(SEPARATOR) ?? [];
    for (const zone of zones)
      if (!used.get(metadata.name ?? '')?.has(zone))
        simulation.violated(`${metadata.name} is said to be in ${zone}, where nobody has used it`);
  });
}

function notLabelled({ objects }: Simulation): readonly string[] {
  return objects.list<Pod>(PODS).flatMap((pod) => {
    const zone = objects.get(NODES, pod.spec?.nodeName ?? '')?.metadata.labels?.[ZONE];
    return claimsOf(pod).flatMap((claim) => {
      const volume = objects.get(PERSISTENT_VOLUMES, claim.replace('claim-of-', ''));
      const isRight = volume?.metadata.labels?.[ZONE] === zone;
      return isRight ? [] : [`${volume?.metadata.name} is used in ${zone} and says ${volume?.metadata.labels?.[ZONE]}`];
    });
  });
}
