/**
 * The story of the devices job: claims come and go on a node with three disks, the node loses power, and in the end each disk is a
 * volume that is whole and somebody's, or clean and nobody's.
 */
import { nobodyGetsAnothersData } from '../../../test/invariants/devices.ts';
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { CONFIG_ANNOTATION, type DevicesSettings } from '../../devices/contract.ts';
import { devices } from '../../devices/controller.ts';
import { BANDWIDTH, DEVICE_DIR, headOf, LEDGER, SimulatedDisks, STATE_DIR } from '../../devices/simulated-disks.ts';
import { Oracle } from '../../devices/simulated-node-oracle.ts';
import { devicesSpec } from '../../devices/spec.ts';
import type { Random } from '../../kit/backoff.ts';
import type { SimulatedDisk } from '../../kit/host/simulated/disk.ts';
import { SimulatedMachine } from '../../kit/host/simulated/machine.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import { hostOf } from '../../sandbox/simulate/machine.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import { edit, relabelled, removeIfThere, repeated, whenGone } from './acts.ts';

const NODE = 'n1';
const NAMESPACE = 'default';
const CLASS = 'local';
const LINKS = ['a', 'b', 'c'];
/** Those who leave again; and those who stay, one disk less than there are. */
const GUESTS = 5;
const TENANTS = LINKS.length - 1;
const LAST_MOVE_MS = 15 * 60_000;
/** How long a disk is open after its claim was deleted. */
const HELD_MS = 45_000;

const settings: DevicesSettings = {
  node: NODE,
  namespace: NAMESPACE,
  pollingMs: 300_000,
  stateDir: STATE_DIR,
  wipesAtOnce: 2,
  wipeBandwidth: BANDWIDTH,
  trustInit: false,
  dryRun: false,
};

export const devicesStory: Story = {
  name: 'devices',
  stage: (simulation) => new DevicesStage(simulation),
  storyMs: 20 * 60_000,
  settleMs: 40 * 60_000,
};

class DevicesStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #simulation: Simulation;
  readonly #machine: SimulatedMachine;
  readonly #disks: SimulatedDisks;
  readonly #oracle: Oracle;
  /** Something of the machine's is mounted from it, and it has a link where disks are looked for. */
  readonly #own: SimulatedDisk;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#machine = new SimulatedMachine(simulation.clock);
    this.#disks = new SimulatedDisks(this.#machine);
    this.#oracle = this.#newOracle();
    const setUp: JobProcesses['job']['setUp'] = (parts, life) =>
      devices(parts, settings, hostOf(this.#machine, life), 'simulated');
    this.jobs = [{ job: { name: 'devices', setUp }, user: accountOf('devices') }];
    for (const link of LINKS) this.#oracle.watch(this.#disks.add(link));
    this.#own = this.#disks.add('own');
    this.#oracle.watch(this.#own);
    this.#mountOwn();
    this.#populate();
  }

  #populate(): void {
    const { objects, world } = this.#simulation;
    grant(objects, devicesSpec);
    const data = { deviceDir: DEVICE_DIR, deviceNameFilter: '.*', volumeMode: 'Block', storageClassName: CLASS };
    objects.create(CONFIG_MAPS, { metadata: { name: 'disks', namespace: NAMESPACE }, data });
    world.addNode(NODE);
    const node = objects.get(NODES, NODE);
    if (!node) throw new Error('there is no node');
    const annotations = { ...node.metadata.annotations, [CONFIG_ANNOTATION]: 'disks' };
    objects.update(NODES, { ...node, metadata: { ...node.metadata, annotations } });
    objects.onChange(PERSISTENT_VOLUME_CLAIMS, ({ object, old }) => {
      if (object.status?.phase === 'Bound' && old?.status?.phase !== 'Bound') this.#movesIn(object);
      if (object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp) this.#movesOut(object);
    });
  }

  #newOracle(): Oracle {
    const { objects } = this.#simulation;
    let isNew: string | undefined;
    const watched: ConstructorParameters<typeof Oracle>[1] = {
      get volumes() {
        return objects.list(PERSISTENT_VOLUMES).filter((each) => isOurs(each) && each.metadata.name !== isNew);
      },
      onCreate: () => {},
      onDelete: () => {},
    };
    objects.onChange(PERSISTENT_VOLUMES, ({ type, object, old }) => {
      if (!isOurs(object)) return;
      isNew = type === 'ADDED' ? object.metadata.name : undefined;
      if (type === 'ADDED') watched.onCreate(object);
      isNew = undefined;
      if (object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp) watched.onDelete(object);
    });
    return new Oracle(this.#machine, watched, LEDGER);
  }

  #movesIn({ metadata, spec }: PersistentVolumeClaim): void {
    const disk = this.#oracle.diskOf(spec?.volumeName ?? '');
    if (!disk) return;
    const { name = '' } = metadata;
    this.#oracle.moveIn(name, disk, headOf(false));
    this.#holds(name, disk);
  }

  /** Until a while after the claim is gone: a pod that ends takes its time. Half of them have it mounted. */
  #holds(name: string, { number: device }: SimulatedDisk): void {
    if (/[02468]$/.test(name)) this.#machine.mount({ device, mountPoint: `/mnt/${name}` });
    else this.#machine.strangers.push({ device, pid: 1, command: name, fd: 3 });
  }

  #letsGo(name: string): void {
    const { mounts, strangers } = this.#machine;
    const [mounted, held] = [
      mounts.findIndex(({ mountPoint }) => mountPoint === `/mnt/${name}`),
      strangers.findIndex(({ command }) => command === name),
    ];
    if (mounted >= 0) mounts.splice(mounted, 1);
    if (held >= 0) strangers.splice(held, 1);
  }

  /** The machine's own is mounted again at once, and others are as soon as their pods run. */
  #reboot(): void {
    this.#disks.reboot();
    this.#mountOwn();
    for (const { metadata, spec, status } of this.#simulation.objects.list(PERSISTENT_VOLUME_CLAIMS)) {
      const disk = this.#oracle.diskOf(spec?.volumeName ?? '');
      if (disk && status?.phase === 'Bound' && !metadata.deletionTimestamp) this.#holds(metadata.name ?? '', disk);
    }
  }

  #mountOwn(): void {
    this.#machine.mount({ device: this.#own.number, mountPoint: '/var/lib/own' });
  }

  #movesOut({ metadata, spec }: PersistentVolumeClaim): void {
    const disk = this.#oracle.diskOf(spec?.volumeName ?? '');
    if (disk) this.#oracle.leave(disk);
    this.#simulation.clock.after(HELD_MS, () => this.#letsGo(metadata.name ?? ''));
  }

  steps(random: Random): readonly Step[] {
    const at = (most: number) => Math.floor(random() * most);
    const guests = Array.from({ length: GUESTS }, (_, index) => {
      const [ms, stays] = [at(LAST_MOVE_MS), 30_000 + at(300_000)];
      return [this.#claims(ms, `guest-${index}`), this.#leaves(Math.min(ms + stays, LAST_MOVE_MS), `guest-${index}`)];
    }).flat();
    const tenants = Array.from({ length: TENANTS }, (_, index) => this.#claims(at(LAST_MOVE_MS), `tenant-${index}`));
    const cut = { ms: at(LAST_MOVE_MS), what: 'the node loses power', act: () => this.#reboot() };
    return [...guests, ...tenants, cut];
  }

  #claims(ms: number, name: string): Step {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      storageClassName: CLASS,
      resources: { requests: { storage: '1Ki' } },
    };
    const claim = { metadata: { name, namespace: NAMESPACE }, spec };
    const act = () => void this.#simulation.objects.create(PERSISTENT_VOLUME_CLAIMS, claim);
    return { ms, what: `${name} wants a disk`, act };
  }

  #leaves(ms: number, name: string): Step {
    const key = `${NAMESPACE}/${name}`;
    const { objects } = this.#simulation;
    return { ms, what: `${name} leaves`, act: () => removeIfThere(objects, PERSISTENT_VOLUME_CLAIMS, key) };
  }

  changes(random: Random): readonly Change[] {
    const { objects } = this.#simulation;
    const ms = Math.floor((0.2 + random() * 0.4) * LAST_MOVE_MS);
    const configure = (data: Readonly<Record<string, string>>) =>
      edit(objects, CONFIG_MAPS, `${NAMESPACE}/disks`, (map) => ({ ...map, data: { ...map.data, ...data } }));
    const annotate = (value: string) =>
      edit(objects, NODES, NODE, ({ metadata, ...node }) => ({
        ...node,
        metadata: { ...metadata, annotations: { ...metadata.annotations, [CONFIG_ANNOTATION]: value } },
      }));
    const hostname = (name: string) =>
      edit(objects, NODES, NODE, (node) => relabelled(node, { 'kubernetes.io/hostname': name }));
    const forAWhile = (name: string, wrong: () => void, right: () => void): Change => ({
      name,
      steps: [
        { ms, what: name, act: wrong },
        { ms: ms + 200_000, what: `${name} no longer`, act: right },
      ],
    });
    return [
      {
        name: 'an offered disk is deleted by somebody',
        steps: repeated(ms, { times: 3, everyMs: 60_000 }, 'deletes a volume that is offered', () => this.#deleteOne()),
      },
      {
        name: 'a claim is deleted and made anew with the same name',
        steps: [
          this.#claims(ms, 'returning'),
          this.#leaves(ms + 100_000, 'returning'),
          { ...this.#leaves(ms + 101_000, 'returning'), what: 'returning comes back', act: () => this.#comesBack() },
          this.#leaves(LAST_MOVE_MS, 'returning'),
        ],
      },
      forAWhile(
        'the filter is no expression',
        () => configure({ deviceNameFilter: '[' }),
        () => configure({ deviceNameFilter: '.*' }),
      ),
      forAWhile(
        'the directory of the disks is another',
        () => configure({ deviceDir: '/dev/elsewhere' }),
        () => configure({ deviceDir: DEVICE_DIR }),
      ),
      forAWhile(
        'the node names a configuration that is not there',
        () => annotate('nowhere'),
        () => annotate('disks'),
      ),
      forAWhile(
        'the node is called otherwise',
        () => hostname('n2'),
        () => hostname(NODE),
      ),
      {
        name: 'a rival edits the labels of volumes back and forth',
        steps: repeated(ms, { times: 12, everyMs: 15_000 }, 'a rival labels all disks', (time) => this.#relabel(time)),
      },
    ];
  }

  #deleteOne(): void {
    const { objects } = this.#simulation;
    const offered = objects.list(PERSISTENT_VOLUMES).find((each) => isOurs(each) && each.status?.phase === 'Available');
    if (offered) this.#oracle.allow(() => objects.remove(PERSISTENT_VOLUMES, offered.metadata.name ?? ''));
  }

  #comesBack(): void {
    const key = `${NAMESPACE}/returning`;
    whenGone(this.#simulation, PERSISTENT_VOLUME_CLAIMS, key, () => this.#claims(0, 'returning').act());
  }

  #relabel(time: number): void {
    const { objects } = this.#simulation;
    for (const { metadata } of objects.list(PERSISTENT_VOLUMES).filter(isOurs))
      edit(objects, PERSISTENT_VOLUMES, metadata.name ?? '', (volume) =>
        relabelled(volume, { rival: time % 2 ? undefined : 'yes' }),
      );
  }

  /** Who has which disk is a matter of time. */
  outcome(): unknown {
    const { objects } = this.#simulation;
    return {
      claims: objects
        .list(PERSISTENT_VOLUME_CLAIMS)
        .filter(({ spec }) => spec?.storageClassName === CLASS)
        .map(({ metadata, status }) => [metadata.name, status?.phase]),
      volumes: objects
        .list(PERSISTENT_VOLUMES)
        .filter(isOurs)
        .map(({ status }) => status?.phase)
        .toSorted(),
    };
  }

  wrong(): readonly string[] {
    const volumes = this.#simulation.objects.list(PERSISTENT_VOLUMES).filter(isOurs);
    const faults = volumes.flatMap(({ metadata: { name = '' }, status }) => {
      const disk = this.#oracle.diskOf(name);
      if (!disk) return [`${name} has no disk`];
      const isBound = status?.phase === 'Bound';
      const [isIntact, isClean] = [this.#oracle.isIntact(disk), this.#oracle.isClean(disk)];
      return nobodyGetsAnothersData({ volume: name, isBound, isIntact, isClean });
    });
    const own = volumes.filter(({ metadata }) => this.#oracle.diskOf(metadata.name ?? '') === this.#own);
    const missing = volumes.length < LINKS.length ? [`${LINKS.length} disks are ${volumes.length} volumes`] : [];
    const bound = volumes.filter(({ status }) => status?.phase === 'Bound').length;
    const homeless = bound === TENANTS ? [] : [`${TENANTS} want a disk, and ${bound} have one`];
    const offered = own.map(({ metadata }) => `${metadata.name} is made of a disk that is mounted`);
    return [...this.#oracle.violations, ...faults, ...missing, ...homeless, ...offered];
  }
}

const isOurs = ({ spec }: PersistentVolume): boolean => spec?.storageClassName === CLASS;
