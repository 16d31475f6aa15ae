/** The story of the topology job: pods that use volumes move between zones, nodes fail, and in the end each volume says where it is used. */
import {
  aVolumeIsOnlySaidToBeWhereItWasUsed,
  aVolumeSaysWhereItIsUsed,
  aZoneIsNeverGivenUpWhileItIsUsed,
} from '../../../test/invariants/topology.ts';
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { claimsOf, PODS, type Pod } from '../../api/pods.ts';
import type { Random } from '../../kit/backoff.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import type { Objects } from '../../sandbox/store/objects.ts';
import { DEFAULT_POLICY, REGION, SEPARATOR, ZONE } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { topologySpec } from '../../topology/spec.ts';
import { edit, relabelled, removeIfThere, repeated, whenGone } from './acts.ts';

const NAMESPACE = 'default';
const ZONES = ['a', 'b', 'c'];
const NODES_PER_ZONE = 2;
const VOLUMES = 8;
const MOVES = 14;
const STORY_MS = 20 * 60_000;
/** After this nobody moves any more. */
const LAST_MOVE_MS = 15 * 60_000;
/** Who has been in a zone for so long is known to a job that was paused, or whose watches lag or hide something. */
const KNOWN_AFTER_MS = 4 * 60_000;

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
  readonly #watcher: ZoneWatcher;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#watcher = new ZoneWatcher(simulation);
    const { objects, world } = simulation;
    grant(objects, topologySpec);
    for (const zone of ZONES)
      for (let index = 0; index < NODES_PER_ZONE; index++)
        world.addNode(`node-${zone}${index}`, { [ZONE]: zone, [REGION]: 'r' });
    for (let index = 0; index < VOLUMES; index++) addVolume(simulation, nameOf(index));
  }

  /** Each volume gets a pod; pods move; nodes fail and come back; and at last each volume has a pod in a place that follows from the seed. */
  steps(random: Random): readonly Step[] {
    const volume = () => nameOf(Math.floor(random() * VOLUMES));
    const node = () => `node-${ZONES[Math.floor(random() * ZONES.length)]}${Math.floor(random() * NODES_PER_ZONE)}`;
    const place = (ms: number, pv: string, at: string): Step => ({
      ms,
      what: `the pod of ${pv} moves to ${at}`,
      act: () => move(this.#simulation, pv, at),
    });
    const moves = Array.from({ length: MOVES }, () => place(Math.floor(random() * LAST_MOVE_MS), volume(), node()));
    const failures = Array.from({ length: 2 }, () => this.#failure(Math.floor(random() * LAST_MOVE_MS), node())).flat();
    const last = Array.from({ length: VOLUMES }, (_, index) =>
      place(LAST_MOVE_MS + index * 10_000 + 100_000, nameOf(index), node()),
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

  changes(random: Random): readonly Change[] {
    const { objects } = this.#simulation;
    const ms = Math.floor((0.2 + random() * 0.5) * LAST_MOVE_MS);
    const [victim, one, other] = [nameOf(0), nameOf(1), nameOf(2)];
    const atLast = LAST_MOVE_MS + 10_000;
    const label = (node: string, zone: string | undefined) =>
      edit(objects, NODES, node, (known) => relabelled(known, { [ZONE]: zone }));
    const labelAll = (labelled: (zone: string) => string | undefined) => {
      for (const zone of ZONES)
        for (let index = 0; index < NODES_PER_ZONE; index++) label(`node-${zone}${index}`, labelled(zone));
    };
    return [
      {
        name: 'a volume is deleted and made anew with the same name',
        steps: [
          { ms: atLast, what: `deletes ${victim} and its claim`, act: () => this.#remove(victim) },
          { ms: atLast + 5_000, what: `makes ${victim} anew`, act: () => this.#makeAnew(victim) },
        ],
      },
      {
        name: 'two claims are bound to the volume of the other',
        steps: [
          { ms: atLast, what: 'deletes two claims', act: () => this.#release(one, other) },
          { ms: atLast + 20_000, what: 'makes them anew', act: () => this.#swap(one, other) },
        ],
      },
      {
        name: 'a node is moved to another zone',
        steps: [{ ms, what: 'node-a0 is in zone d', act: () => label('node-a0', 'd') }],
      },
      {
        name: 'a node is called otherwise for a while',
        steps: [
          { ms, what: 'node-a0 is called node-a9', act: () => this.#rename('node-a0', 'node-a9') },
          { ms: ms + 200_000, what: 'node-a9 is called node-a0', act: () => this.#rename('node-a9', 'node-a0') },
        ],
      },
      {
        name: 'a rival edits the label of a volume back and forth',
        steps: repeated(ms, { times: 12, everyMs: 20_000 }, `a rival labels ${one}`, (time) =>
          this.#watcher.allow(() =>
            edit(objects, PERSISTENT_VOLUMES, one, (known) =>
              relabelled(known, { [ZONE]: time % 2 ? 'elsewhere' : undefined }),
            ),
          ),
        ),
      },
      {
        name: 'the nodes lose their zones and get them back',
        steps: [
          { ms, what: 'no node has a zone', act: () => labelAll(() => undefined) },
          { ms: ms + 200_000, what: 'every node has its zone', act: () => labelAll((zone) => zone) },
        ],
      },
      {
        name: 'a second pod uses a volume in another zone',
        steps: ZONES.map((zone, index) => ({
          ms: ms + index * 90_000,
          what: `one more pod uses ${victim} in ${zone}`,
          act: () => addUser(this.#simulation, victim, `node-${zone}0`, `guest-in-${zone}`),
        })),
      },
    ];
  }

  /** Whoever was there has to go: a machine joins under another name as another node. */
  #rename(from: string, to: string): void {
    const { objects, world } = this.#simulation;
    removeIfThere(objects, NODES, from);
    world.addNode(to, { [ZONE]: 'a', [REGION]: 'r' });
  }

  #remove(volume: string): void {
    this.#release(volume);
    removeIfThere(this.#simulation.objects, PERSISTENT_VOLUMES, volume);
  }

  #makeAnew(volume: string): void {
    const simulation = this.#simulation;
    whenGone(simulation, PERSISTENT_VOLUMES, volume, () =>
      whenGone(simulation, PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claimOf(volume)}`, () =>
        addVolume(simulation, volume),
      ),
    );
  }

  /** With all who use it. */
  #release(...volumes: readonly string[]): void {
    const { objects } = this.#simulation;
    for (const claim of volumes.map(claimOf)) {
      for (const pod of usersOf(objects, claim))
        objects.remove(PODS, `${NAMESPACE}/${pod.metadata.name}`, { gracePeriodSeconds: 0 });
      removeIfThere(objects, PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claim}`);
    }
  }

  #swap(one: string, other: string): void {
    const { objects } = this.#simulation;
    for (const volume of [one, other])
      edit(objects, PERSISTENT_VOLUMES, volume, ({ spec: { claimRef: _, ...spec } = {}, ...known }) => ({
        ...known,
        spec,
      }));
    addClaim(this.#simulation, claimOf(one), other);
    addClaim(this.#simulation, claimOf(other), one);
  }

  outcome(): unknown {
    return this.#simulation.objects
      .list(PERSISTENT_VOLUMES)
      .filter(isOurs)
      .map(({ metadata }) => [metadata.name, metadata.labels?.[ZONE], metadata.labels?.[REGION]]);
  }

  wrong(): readonly string[] {
    return this.#watcher.wrong();
  }
}

const nameOf = (index: number): string => `zonal-${index}`;

const claimOf = (volume: string): string => `claim-of-${volume}`;

const isOurs = ({ metadata }: KubeObject): boolean => metadata.name?.startsWith(nameOf(0).slice(0, -1)) === true;

const COMMON = { accessModes: ['ReadWriteOnce'], storageClassName: '' };

function addVolume(simulation: Simulation, name: string): void {
  simulation.objects.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      ...COMMON,
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: name },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  });
  addClaim(simulation, claimOf(name), name);
}

function addClaim({ objects }: Simulation, name: string, volumeName: string): void {
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace: NAMESPACE },
    spec: { ...COMMON, volumeName, resources: { requests: { storage: '1Gi' } } },
  });
}

const usersOf = (objects: Objects, claim: string): readonly Pod[] =>
  objects.list<Pod>(PODS).filter((pod) => claimsOf(pod).includes(claim));

function move(simulation: Simulation, volume: string, node: string): void {
  const { objects, clock } = simulation;
  for (const pod of usersOf(objects, claimOf(volume))) objects.remove(PODS, `${NAMESPACE}/${pod.metadata.name}`);
  addUser(simulation, volume, node, `user-of-${volume}-${Math.floor(clock.monotonic())}`);
}

function addUser({ objects }: Simulation, volume: string, node: string, name: string): void {
  objects.create(PODS, {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      nodeName: node,
      containers: [{ name: 'main', image: 'example.com/any' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claimOf(volume) } }],
    } as Pod['spec'] & object,
  });
}

/** Knows where each volume is used, and has been, and sees what is said about it. */
class ZoneWatcher {
  readonly #simulation: Simulation;
  /** By volume, the zones in which anybody has ever used it. */
  readonly #used = new Map<string, Set<string>>();
  /** By pod, since when it has been ready where it is. */
  readonly #readySince = new Map<string, number>();
  #isSomebodyElse = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { objects } = simulation;
    objects.onChange(PODS, ({ type, key, object }) => this.#podChanges(key, object, type === 'DELETED'));
    objects.onChange(NODES, ({ object, old }) => {
      if (zoneOf(object) !== (old && zoneOf(old))) this.#nodeMoves(object.metadata.name ?? '');
    });
    objects.onChange(PERSISTENT_VOLUMES, ({ type, key, object, old }) => {
      if (type === 'DELETED') this.#used.delete(key);
      else this.#isLabelled(key, zonesOf(object), old ? zonesOf(old) : []);
    });
  }

  /** What somebody else than the job does. */
  allow(act: () => void): void {
    this.#isSomebodyElse = true;
    act();
    this.#isSomebodyElse = false;
  }

  wrong(): readonly string[] {
    const { objects } = this.#simulation;
    return objects.list<Pod>(PODS).flatMap((pod) =>
      this.#volumesOf(pod)
        .filter((volume) => volume.startsWith('zonal-'))
        .flatMap((volume) => {
          const label = objects.get(PERSISTENT_VOLUMES, volume)?.metadata.labels?.[ZONE];
          return aVolumeSaysWhereItIsUsed({ volume, zone: this.#zoneOf(pod), label });
        }),
    );
  }

  #zoneOf({ spec }: Pod): string | undefined {
    const node = this.#simulation.objects.get(NODES, spec?.nodeName ?? '');
    return node && zoneOf(node);
  }

  #volumesOf(pod: Pod): readonly string[] {
    return claimsOf(pod).flatMap((claim) => {
      const { spec } = this.#simulation.objects.get(PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claim}`) ?? {};
      return spec?.volumeName ? [spec.volumeName] : [];
    });
  }

  #podChanges(key: string, pod: Pod, isGone: boolean): void {
    if (isGone || !isReady(pod)) this.#readySince.delete(key);
    else if (!this.#readySince.has(key)) this.#readySince.set(key, this.#simulation.clock.monotonic());
    const zone = this.#zoneOf(pod);
    if (zone)
      for (const volume of this.#volumesOf(pod))
        this.#used.set(volume, (this.#used.get(volume) ?? new Set()).add(zone));
  }

  /** Whoever is there is now elsewhere. */
  #nodeMoves(node: string): void {
    for (const pod of this.#simulation.objects.list<Pod>(PODS)) {
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      if (pod.spec?.nodeName !== node) continue;
      this.#readySince.delete(key);
      this.#podChanges(key, pod, false);
    }
  }

  #isLabelled(volume: string, after: readonly string[], before: readonly string[]): void {
    if (this.#isSomebodyElse) return;
    const wrong = [
      ...aVolumeIsOnlySaidToBeWhereItWasUsed({ volume, zones: after, used: this.#used.get(volume) ?? new Set() }),
      ...aZoneIsNeverGivenUpWhileItIsUsed({ volume, before, after, used: this.#usedForLong(volume) }),
    ];
    for (const each of wrong) this.#simulation.violated(each);
  }

  #usedForLong(volume: string): ReadonlySet<string> {
    const { objects, clock } = this.#simulation;
    const isLong = (pod: Pod) => {
      const since = this.#readySince.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
      return since !== undefined && clock.monotonic() - since > KNOWN_AFTER_MS;
    };
    const users = objects.list<Pod>(PODS).filter((pod) => this.#volumesOf(pod).includes(volume) && isLong(pod));
    return new Set(users.map((pod) => this.#zoneOf(pod)).filter((zone) => zone !== undefined));
  }
}

const zoneOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[ZONE];

const zonesOf = ({ metadata }: KubeObject): readonly string[] => metadata.labels?.[ZONE]?.split(SEPARATOR) ?? [];

const isReady = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp &&
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
