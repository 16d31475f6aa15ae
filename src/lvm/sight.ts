/** What there is on the node for one volume, out of what was seen of the whole node. Whoever could not look has no sight: it never lies. */
import { dirname } from 'node:path';
import { Retry } from '../kit/controller/outcome.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { coverOf } from './cover.ts';
import type { LogicalVolume, Lvm, VolumeGroup } from './facts.ts';
import { type FoundUnit, unitNameOf } from './mount-units.ts';
import { type Owner, ownerOf } from './tags.ts';

/** The whole node, at one moment. */
export interface Look {
  readonly lvm: Lvm;
  /** As the host sees them, each with the number of the device that its source is, also where the filesystem has one of its own. */
  readonly mounts: readonly Mount[];
  /** Encrypted volumes that are open. */
  readonly mappings: readonly Mapping[];
  /** Where the node has systemd. */
  readonly systemd?: Systemd | undefined;
}

export interface Systemd {
  /** The mount units that people and programs have written, by name. */
  readonly units: ReadonlyMap<string, FoundUnit>;
  /** Whether volumes are to have one. */
  readonly makesUnits: boolean;
}

export interface Mapping {
  readonly name: string;
  readonly device: DeviceNumber;
  /** What it lies on. */
  readonly over: readonly DeviceNumber[];
}

export interface Sight {
  readonly group?: VolumeGroup | undefined;
  /** The logical volume of its name, whoever made it. */
  readonly lv?: LogicalVolume | undefined;
  readonly owner?: Owner | undefined;
  /** Logical volumes that carry its uid, under other names or in other groups. */
  readonly strays: readonly LogicalVolume[];
  readonly mapping?: Mapping | undefined;
  /** What is mounted where it belongs, the uppermost last. */
  readonly atPath: readonly Mount[];
  /** Where its device is mounted, its own place included. */
  readonly ofDevice: readonly Mount[];
  /** What hides the directory that it is mounted in, with all that is mounted there. */
  readonly cover?: Mount | undefined;
  readonly snapshots: readonly LogicalVolume[];
  /** The unit of systemd that mounts something where it belongs. */
  readonly unit?: FoundUnit | undefined;
  /** Whether it is to have one. */
  readonly makesUnits?: boolean | undefined;
}

export interface Place {
  readonly name: string;
  readonly uid: string;
  readonly path: string;
  readonly vg: string;
}

const OPENED_BY_US = 'holdfast-';

/** The name that an open encrypted volume has in /dev/mapper. */
export const mappingName = (uid: string): string => `${OPENED_BY_US}${uid}`;

export function sightOf({ name, uid, path, vg }: Place, look: Look): Sight {
  const { lvm, systemd } = look;
  const index = indexOf(look);
  const group = lvm.groups.get(vg);
  const lv = group?.volumes.get(name);
  const mapping = index.mappingsByName.get(mappingName(uid)) ?? index.mappingsOver.get(lv?.device)?.find(isOpenedByUs);
  const devices = [lv?.device, mapping?.device].filter((device) => device !== undefined);
  return {
    group,
    lv,
    owner: lv && ownerOf(lv),
    strays: (index.byUid.get(uid) ?? []).filter((each) => each !== lv),
    mapping,
    atPath: index.mountsAt.get(path) ?? [],
    ofDevice: devices.flatMap((device) => index.mountsOf.get(device) ?? []),
    cover: index.coverOf(dirname(path)),
    snapshots: (lv && index.snapshots.get(fullNameOf(lv.group, lv.name))) ?? [],
    unit: systemd?.units.get(unitNameOf(path) ?? ''),
    makesUnits: systemd?.makesUnits,
  };
}

/** So that all volumes of a node are found in one look without going through all of it for each. */
interface Index {
  readonly byUid: ReadonlyMap<string | undefined, readonly LogicalVolume[]>;
  /** By the full name of what they are of. */
  readonly snapshots: ReadonlyMap<string, readonly LogicalVolume[]>;
  readonly mountsAt: ReadonlyMap<string, readonly Mount[]>;
  readonly mountsOf: ReadonlyMap<DeviceNumber | undefined, readonly Mount[]>;
  readonly coverOf: (directory: string) => Mount | undefined;
  readonly mappingsByName: ReadonlyMap<string, Mapping>;
  readonly mappingsOver: ReadonlyMap<DeviceNumber | undefined, readonly Mapping[]>;
}

const INDEXES = new WeakMap<Look, Index>();

function indexOf(look: Look): Index {
  const known = INDEXES.get(look);
  if (known) return known;
  const { lvm, mounts, mappings } = look;
  const all = [...lvm.groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
  const over = mappings.flatMap((mapping) => mapping.over.map((device) => ({ device, mapping })));
  const mappingsOver = Map.groupBy(over, ({ device }) => device);
  const index: Index = {
    byUid: Map.groupBy(all, (each) => ownerOf(each)?.uid),
    snapshots: Map.groupBy(
      all.filter(({ origin }) => origin !== undefined),
      ({ group, origin = '' }) => fullNameOf(group, origin),
    ),
    mountsAt: Map.groupBy(mounts, ({ mountPoint }) => mountPoint),
    mountsOf: Map.groupBy(mounts, ({ device }) => device),
    coverOf: remembered((directory) => coverOf(look, directory)),
    mappingsByName: new Map(mappings.map((mapping) => [mapping.name, mapping])),
    mappingsOver: new Map([...mappingsOver].map(([device, each]) => [device, each.map(({ mapping }) => mapping)])),
  };
  INDEXES.set(look, index);
  return index;
}

/** Almost all volumes are mounted in the same directory. */
function remembered<T>(find: (key: string) => T): (key: string) => T {
  const found = new Map<string, { readonly value: T }>();
  return (key) => {
    const known = found.get(key) ?? { value: find(key) };
    found.set(key, known);
    return known.value;
  };
}

const fullNameOf = (group: string, name: string): string => `${group}/${name}`;

/** Also under the name of the volume that it belonged to before it was taken over. */
const isOpenedByUs = ({ name }: Mapping): boolean => name.startsWith(OPENED_BY_US);

/** What its filesystem is on. */
export const upperDevice = ({ lv, mapping }: Sight, isEncrypted: boolean): DeviceNumber | undefined =>
  isEncrypted ? mapping?.device : lv?.device;

export function there({ lv }: Sight): LogicalVolume {
  if (!lv) throw new Retry('its logical volume is not there');
  return lv;
}
