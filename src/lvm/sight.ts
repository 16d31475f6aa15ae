/** What there is on the node for one volume, out of what was seen of the whole node. Whoever could not look has no sight: it never lies. */
import { Retry } from '../kit/controller/outcome.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Mount } from '../kit/host/mounts.ts';
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

export function sightOf({ name, uid, path, vg }: Place, { lvm, mounts, mappings, systemd }: Look): Sight {
  const group = lvm.groups.get(vg);
  const lv = group?.volumes.get(name);
  const all = [...lvm.groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
  const mapping = mappings.find((each) => each.name === mappingName(uid)) ?? mappings.find((each) => isOpen(lv, each));
  const devices = [lv?.device, mapping?.device];
  return {
    group,
    lv,
    owner: lv && ownerOf(lv),
    strays: all.filter((each) => each !== lv && ownerOf(each)?.uid === uid),
    mapping,
    atPath: mounts.filter(({ mountPoint }) => mountPoint === path),
    ofDevice: mounts.filter(({ device }) => devices.includes(device)),
    snapshots: lv ? all.filter(({ origin, group: of }) => origin === lv.name && of === lv.group) : [],
    unit: systemd?.units.get(unitNameOf(path) ?? ''),
    makesUnits: systemd?.makesUnits,
  };
}

/** Also under the name of the volume that it belonged to before it was taken over. */
const isOpen = (lv: LogicalVolume | undefined, { name, over }: Mapping): boolean =>
  lv?.device !== undefined && over.includes(lv.device) && name.startsWith(OPENED_BY_US);

/** What its filesystem is on. */
export const upperDevice = ({ lv, mapping }: Sight, isEncrypted: boolean): DeviceNumber | undefined =>
  isEncrypted ? mapping?.device : lv?.device;

export function there({ lv }: Sight): LogicalVolume {
  if (!lv) throw new Retry('its logical volume is not there');
  return lv;
}
