/**
 * The story of the lvm job: volumes are declared on a node with one volume group, written to, grown and deleted, the node loses power,
 * and in the end each that is left is ready with what was written to it, and nothing is left of the others.
 */
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import type { Random } from '../../kit/backoff.ts';
import { SimulatedMachine } from '../../kit/host/simulated/machine.ts';
import { Quantity } from '../../kit/quantity.ts';
import { DEFAULT_MOUNT_BASE, DEFAULT_THIN_LIMITS, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from '../../lvm/contract.ts';
import { lvm } from '../../lvm/controller.ts';
import { SimulatedFileSystems } from '../../lvm/simulated-filesystems.ts';
import { SimulatedLvm } from '../../lvm/simulated-lvm.ts';
import { Oracle } from '../../lvm/simulated-node-oracle.ts';
import { EXTENT } from '../../lvm/simulated-volumes.ts';
import { lvmSpec } from '../../lvm/spec.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import { processOn } from '../../sandbox/simulate/machine.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import { edit, relabelled, removeIfThere, repeated, whenGone } from './acts.ts';

const MINUTES = 60_000;
const NODE = 'node7';
const NAMESPACE = 'default';
const GROUP = 'storage_bulk';
const EXTENTS = 96n;
const VOLUMES = 6;
const LAST_MOVE_MS = 15 * MINUTES;
/** Late enough for whatever the moves and the faults before it have done to be mended. */
const SETTLED_MS = 2 * LAST_MOVE_MS;
const WRONG = `${PREFIX}no-such-option`;

const settings = {
  node: NODE,
  namespace: NAMESPACE,
  mountBase: DEFAULT_MOUNT_BASE,
  storageClasses: [STORAGE_CLASS],
  secretNamespaces: [NAMESPACE],
  autoRelease: false,
  thinLimits: DEFAULT_THIN_LIMITS,
  resyncMs: 10 * MINUTES,
  trashTtlMs: 72 * 60 * MINUTES,
  sanityChecks: false,
};

export const lvmStory: Story = {
  name: 'lvm',
  stage: (simulation) => new LvmStage(simulation),
  storyMs: 20 * MINUTES,
  settleMs: 40 * MINUTES,
  // A volume that is not ready is told anew whenever the reason is another.
  writes: { times: 4, more: 80 },
};

class LvmStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #simulation: Simulation;
  readonly #machine: SimulatedMachine;
  readonly #lvm: SimulatedLvm;
  readonly #fileSystems: SimulatedFileSystems;
  readonly #oracle: Oracle;
  #written = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#machine = new SimulatedMachine(simulation.clock);
    this.#lvm = new SimulatedLvm(this.#machine);
    this.#fileSystems = new SimulatedFileSystems(this.#lvm);
    this.#lvm.addGroup(GROUP, EXTENTS);
    for (const directory of [DEFAULT_MOUNT_BASE, '/run', '/proc']) this.#machine.tree.mkdir(directory);
    const { objects, world } = simulation;
    this.#oracle = new Oracle(this.#lvm, this.#fileSystems, {
      get volumes() {
        return objects.list(PERSISTENT_VOLUMES).filter(isOurs);
      },
      volume: (name) => objects.get(PERSISTENT_VOLUMES, name),
    });
    grant(objects, lvmSpec);
    world.addNode(NODE, { [NODE_ID_LABEL]: NODE });
    this.jobs = [{ job: { name: 'lvm', setUp: this.#setUp }, user: accountOf('lvm') }];
  }

  readonly #setUp: JobProcesses['job']['setUp'] = (parts, life) => {
    life.onDeath(() => this.#lvm.programs.endBound());
    return lvm(parts, settings, processOn(this.#machine, life), { root: '' });
  };

  /** Each is declared and written to; half of them grow; half of them are deleted, but never the first: something is always written. */
  steps(random: Random): readonly Step[] {
    const at = (most: number) => Math.floor(random() * most);
    const cut = { ms: at(LAST_MOVE_MS), what: 'the node loses power', act: () => this.#reboot() };
    const lives = Array.from({ length: VOLUMES }, (_, index) => {
      const name = `logical-${index}`;
      const ms = at(LAST_MOVE_MS / 2);
      const later = () => ms + at(LAST_MOVE_MS / 2);
      return [
        { ms, what: `declares ${name}`, act: () => this.#declare(name) },
        { ms: later(), what: `writes to ${name}`, act: () => this.#write(name) },
        ...(random() < 0.5 ? [{ ms: later(), what: `grows ${name}`, act: () => this.#resize(name, 8n) }] : []),
        ...(random() < 0.5 && index > 0
          ? [{ ms: later(), what: `deletes ${name}`, act: () => this.#delete(name) }]
          : []),
      ];
    });
    const atLast = { ms: SETTLED_MS, what: 'writes to every volume that is left', act: () => this.#writeToAll() };
    return [...lives.flat(), cut, atLast];
  }

  #reboot(): void {
    this.#machine.losePower();
    this.#lvm.reboot();
  }

  changes(random: Random): readonly Change[] {
    const { objects } = this.#simulation;
    const ms = Math.floor((0.2 + random() * 0.4) * LAST_MOVE_MS);
    const name = 'logical-again';
    const identify = (id: string) => edit(objects, NODES, NODE, (node) => relabelled(node, { [NODE_ID_LABEL]: id }));
    return [
      {
        name: 'a volume is deleted and declared anew with the same name',
        steps: [
          { ms, what: `declares ${name}`, act: () => this.#declare(name) },
          { ms: ms + 60_000, what: `writes to ${name}`, act: () => this.#write(name) },
          { ms: ms + 90_000, what: `deletes ${name}`, act: () => this.#delete(name) },
          { ms: ms + 90_001, what: `declares ${name} anew`, act: () => this.#declareAnew(name) },
          { ms: ms + 240_000, what: `writes to ${name}`, act: () => this.#write(name) },
        ],
      },
      {
        name: 'a volume is deleted while it is made, and declared anew',
        steps: [
          { ms, what: `declares ${name}`, act: () => this.#declare(name) },
          { ms: ms + 400, what: `deletes ${name}`, act: () => this.#delete(name) },
          { ms: ms + 401, what: `declares ${name} anew`, act: () => this.#declareAnew(name) },
        ],
      },
      {
        name: 'the claim of a volume is deleted, and another is bound to it',
        steps: [
          { ms, what: `declares ${name} and its claim`, act: () => this.#declareClaimed(name) },
          { ms: ms + 60_000, what: `writes to ${name}`, act: () => this.#write(name) },
          { ms: ms + 90_000, what: `deletes the claim`, act: () => this.#unclaim('one') },
          { ms: ms + 120_000, what: `lets another have ${name}`, act: () => this.#rebind(name, 'other') },
        ],
      },
      {
        name: 'the node is called otherwise',
        steps: [
          { ms, what: 'the node has the name of another', act: () => identify('node8') },
          { ms: ms + 200_000, what: 'the node has its own name', act: () => identify(NODE) },
        ],
      },
      {
        name: 'a rival takes the status away',
        steps: repeated(ms, { times: 12, everyMs: 15_000 }, 'a rival takes the status away', () => this.#strip()),
      },
      {
        name: 'a volume is declared too large, and put right',
        steps: [
          { ms, what: `declares ${name} too large`, act: () => this.#declare(name, 2n * EXTENTS) },
          { ms: ms + 200_000, what: `declares ${name} smaller`, act: () => this.#resize(name, 4n) },
        ],
      },
      {
        name: 'a volume has an option that there is not, and loses it',
        steps: [
          { ms, what: `declares ${name} with a wrong option`, act: () => this.#declare(name, 4n, { [WRONG]: 'yes' }) },
          { ms: ms + 200_000, what: `takes the option away`, act: () => this.#annotate(name, { [WRONG]: undefined }) },
        ],
      },
    ];
  }

  #declareAnew(name: string): void {
    whenGone(this.#simulation, PERSISTENT_VOLUMES, name, () => this.#declare(name));
  }

  /** Retained: it outlives its claim. */
  #declareClaimed(name: string): void {
    this.#declare(name, 4n, {}, 'Retain');
    this.#claim('one', name);
  }

  #claim(claim: string, volumeName: string): void {
    this.#simulation.objects.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: claim, namespace: NAMESPACE },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: STORAGE_CLASS,
        volumeName,
        resources: { requests: { storage: `${4n * EXTENT}` } },
      },
    });
  }

  #unclaim(claim: string): void {
    removeIfThere(this.#simulation.objects, PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claim}`);
  }

  #rebind(name: string, claim: string): void {
    edit(this.#simulation.objects, PERSISTENT_VOLUMES, name, ({ spec: { claimRef: _, ...spec } = {}, ...volume }) => ({
      ...volume,
      spec,
    }));
    this.#claim(claim, name);
  }

  #strip(): void {
    for (const { metadata } of this.#simulation.objects.list(PERSISTENT_VOLUMES).filter(isOurs))
      this.#annotate(metadata.name ?? '', { [`${PREFIX}status`]: undefined, [`${PREFIX}message`]: undefined });
  }

  #annotate(name: string, changed: Readonly<Record<string, string | undefined>>): void {
    edit(this.#simulation.objects, PERSISTENT_VOLUMES, name, ({ metadata, ...volume }) => {
      const all = Object.entries({ ...metadata.annotations, ...changed });
      const left = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
      return { ...volume, metadata: { ...metadata, annotations: Object.fromEntries(left) } };
    });
  }

  #declare(
    name: string,
    extents = 4n,
    annotations: Readonly<Record<string, string>> = {},
    persistentVolumeReclaimPolicy: 'Delete' | 'Retain' = 'Delete',
  ): void {
    const matchExpressions = [{ key: NODE_ID_LABEL, operator: 'In' as const, values: [NODE] }];
    this.#simulation.objects.create(PERSISTENT_VOLUMES, {
      metadata: { name, annotations },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: `${extents * EXTENT}` },
        persistentVolumeReclaimPolicy,
        storageClassName: STORAGE_CLASS,
        local: { path: pathOf(name) },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    });
  }

  /** If it is ready. */
  #write(name: string): void {
    const volume = this.#get(name);
    const isUsed = this.#fileSystems.contentAt(pathOf(name))?.isWhole;
    if (!volume || !isUsed || !isReady(volume) || volume.metadata.deletionTimestamp) return;
    this.#oracle.write(pathOf(name));
    this.#written += 1;
  }

  #writeToAll(): void {
    for (const { metadata } of this.#simulation.objects.list(PERSISTENT_VOLUMES).filter(isOurs))
      this.#write(metadata.name ?? '');
  }

  #resize(name: string, extents: bigint): void {
    const capacity = { storage: `${extents * EXTENT}` };
    edit(this.#simulation.objects, PERSISTENT_VOLUMES, name, (volume) => ({
      ...volume,
      spec: { ...volume.spec, capacity },
    }));
  }

  #delete(name: string): void {
    const volume = this.#get(name);
    if (!volume) return;
    this.#oracle.deletes(volume);
    this.#simulation.objects.remove(PERSISTENT_VOLUMES, name);
  }

  #get(name: string): PersistentVolume | undefined {
    return this.#simulation.objects.get(PERSISTENT_VOLUMES, name);
  }

  outcome(): unknown {
    const { objects } = this.#simulation;
    return {
      volumes: objects
        .list(PERSISTENT_VOLUMES)
        .filter(isOurs)
        .map((volume) => [volume.metadata.name, isReady(volume), volume.spec?.capacity?.storage, claimOf(volume)]),
      logical: this.#lvm.volumes.map(({ name, extents }) => `${name} ${extents}`).toSorted(),
    };
  }

  wrong(): readonly string[] {
    const notReady = this.#simulation.objects
      .list(PERSISTENT_VOLUMES)
      .filter((volume) => isOurs(volume) && !isReady(volume))
      .map(({ metadata }) => `${metadata.name} is not ready: ${metadata.annotations?.[`${PREFIX}message`]}`);
    return [
      ...this.#oracle.violations,
      ...this.#oracle.losses,
      ...this.#oracle.leaks,
      ...notReady,
      ...this.#tooSmall(),
      ...(this.#written > 0 ? [] : ['nothing could be written']),
    ];
  }

  #tooSmall(): readonly string[] {
    const volumes = this.#simulation.objects.list(PERSISTENT_VOLUMES).filter(isOurs);
    return volumes.flatMap(({ metadata: { name }, spec }) => {
      const logical = this.#lvm.volumes.find((each) => each.name === name);
      const isLargeEnough =
        logical && logical.extents * EXTENT >= BigInt(Quantity.parse(spec?.capacity?.storage ?? '0').toBytesCeil());
      return isLargeEnough ? [] : [`${name} is smaller than it should be`];
    });
  }
}

const isOurs = ({ spec }: PersistentVolume): boolean => spec?.storageClassName === STORAGE_CLASS;

const pathOf = (volume: string): string => `${DEFAULT_MOUNT_BASE}/${volume}`;

const claimOf = ({ spec, status }: PersistentVolume): string => `${spec?.claimRef?.name} ${status?.phase}`;

const isReady = ({ metadata }: PersistentVolume): boolean => metadata.annotations?.[`${PREFIX}status`] === 'Processed';
