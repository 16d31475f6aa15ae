/** The machines under the nodes of the demo: two with raw disks, which are sparse files, and one with a volume group. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { NODES } from '../../api/nodes.ts';
import { CONFIG_ANNOTATION, type DevicesSettings } from '../../devices/contract.ts';
import { devices } from '../../devices/controller.ts';
import { DEVICE_DIR, headOf, SimulatedDisks, STATE_DIR } from '../../devices/simulated-disks.ts';
import { devicesSpec } from '../../devices/spec.ts';
import type { SimulatedDisk } from '../../kit/host/simulated/disk.ts';
import { FileBytes } from '../../kit/host/simulated/file-bytes.ts';
import { SimulatedMachine } from '../../kit/host/simulated/machine.ts';
import { DEFAULT_MOUNT_BASE, DEFAULT_THIN_LIMITS, NODE_ID_LABEL, STORAGE_CLASS } from '../../lvm/contract.ts';
import { lvm } from '../../lvm/controller.ts';
import { SimulatedFileSystems } from '../../lvm/simulated-filesystems.ts';
import { SimulatedLvm } from '../../lvm/simulated-lvm.ts';
import { lvmSpec } from '../../lvm/spec.ts';
import type { DemoSite } from './site.ts';

const MIB = 2 ** 20;
/** So large that somebody can watch how it is wiped. */
const LARGE_DISK = 64 * MIB;
const SMALL_DISK = 8 * MIB;
/** So slow that somebody can watch it. */
const WIPE_BANDWIDTH = 16 * MIB;
const EXTENTS = 1024n;
export const DISK_CLASS = 'local-disks';
export const GROUP = 'storage_bulk';

/** Those of the story, and those that are there besides. */
export const STORY_DISKS: DiskSet = { configuration: 'disks', storageClass: DISK_CLASS, sizeBytes: LARGE_DISK };
export const OTHER_DISKS: DiskSet = { configuration: 'fast-disks', storageClass: 'fast-disks', sizeBytes: SMALL_DISK };

interface DiskSet {
  /** The name of its ConfigMap. */
  readonly configuration: string;
  readonly storageClass: string;
  readonly sizeBytes: number;
}

/** The raw disks of a node, and the agent that makes volumes of them. */
export class DiskNode implements Disposable {
  readonly name: string;
  readonly machine: SimulatedMachine;
  readonly #disks = new Map<string, SimulatedDisk>();
  readonly #files: FileBytes[] = [];

  /** `used` are links of disks that somebody has made a filesystem on already: those are not touched before a person says so. */
  constructor(
    site: DemoSite,
    name: string,
    {
      set,
      links,
      used = [],
    }: { readonly set: DiskSet; readonly links: readonly string[]; readonly used?: readonly string[] },
    directory: string,
  ) {
    const { sizeBytes } = set;
    this.name = name;
    this.machine = new SimulatedMachine(site.clock, name);
    const disks = new SimulatedDisks(this.machine);
    mkdirSync(join(directory, name), { recursive: true });
    for (const link of [...links, ...used]) {
      const content = new FileBytes(join(directory, name, link), sizeBytes);
      this.#files.push(content);
      this.#disks.set(link, disks.add(link, { sizeBytes, wwid: `naa.${name}-${link}`, content }));
    }
    for (const link of used) this.disk(link).write(headOf(false), 0);
    configure(site, name, set);
    const settings: DevicesSettings = {
      node: name,
      namespace: 'default',
      pollingMs: 30_000,
      stateDir: STATE_DIR,
      wipesAtOnce: 8,
      wipeBandwidth: WIPE_BANDWIDTH,
      trustInit: false,
      dryRun: false,
    };
    site.run({
      spec: devicesSpec,
      node: name,
      setUp: (parts) => devices(parts, settings, this.machine.host(), 'demo'),
    });
  }

  disk(link: string): SimulatedDisk {
    const disk = this.#disks.get(link);
    if (!disk) throw new Error(`${this.name} has no disk ${link}`);
    return disk;
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]();
  }
}

function configure({ objects }: DemoSite, name: string, { configuration, storageClass }: DiskSet): void {
  const data = {
    deviceDir: DEVICE_DIR,
    deviceNameFilter: '.*',
    volumeMode: 'Block',
    storageClassName: storageClass,
    wipeMethod: 'zero-all',
  };
  if (!objects.get(CONFIG_MAPS, `default/${configuration}`))
    objects.create(CONFIG_MAPS, { metadata: { name: configuration, namespace: 'default' }, data });
  const node = objects.get(NODES, name);
  if (!node) throw new Error(`there is no node ${name}`);
  const annotations = { ...node.metadata.annotations, [CONFIG_ANNOTATION]: configuration };
  objects.update(NODES, { ...node, metadata: { ...node.metadata, annotations } });
}

/** A node with a volume group, and the agent that makes logical volumes in it. */
export class GroupNode {
  readonly name: string;
  readonly lvm: SimulatedLvm;
  readonly fileSystems: SimulatedFileSystems;

  constructor(site: DemoSite, name: string) {
    this.name = name;
    const machine = new SimulatedMachine(site.clock, name);
    this.lvm = new SimulatedLvm(machine);
    this.fileSystems = new SimulatedFileSystems(this.lvm);
    this.lvm.addGroup(GROUP, EXTENTS);
    for (const directory of [DEFAULT_MOUNT_BASE, '/run', '/proc']) machine.tree.mkdir(directory);
    const settings = {
      node: name,
      namespace: 'default',
      mountBase: DEFAULT_MOUNT_BASE,
      storageClasses: [STORAGE_CLASS],
      secretNamespaces: ['default'],
      autoRelease: false,
      thinLimits: DEFAULT_THIN_LIMITS,
      resyncMs: 600_000,
      trashTtlMs: 259_200_000,
      sanityChecks: false,
    };
    site.run({ spec: lvmSpec, node: name, setUp: (parts) => lvm(parts, settings, machine.host(), { root: '' }) });
  }
}

export const groupLabels = (name: string): Readonly<Record<string, string>> => ({ [NODE_ID_LABEL]: name });
