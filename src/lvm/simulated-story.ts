/** For tests: the life of one volume from its declaration to its removal, and what is to be seen of it at every station. */

import type { Operation } from '../kit/host/simulated/operation.ts';
import type { OptionKey } from './contract.ts';
import { MADE_ANNOTATION } from './contract.ts';
import { UNITS, WANTED } from './mount-units.ts';
import type { Content } from './simulated-devices.ts';
import { SimulatedNode } from './simulated-node.ts';

export interface Way {
  readonly kind: string;
  readonly options: Partial<Record<OptionKey, string>>;
  /** Whether systemd mounts it. */
  readonly hasSystemd?: boolean;
  /** Others that are asked for at the same moments. */
  readonly beside?: readonly string[];
}

export const WAYS: readonly Way[] = [
  { kind: 'a plain volume', options: {} },
  { kind: 'a plain volume that systemd mounts', options: {}, hasSystemd: true },
  { kind: 'a plain volume with xfs', options: { fsType: 'xfs' } },
  { kind: 'a plain volume with btrfs', options: { fsType: 'btrfs' } },
  { kind: 'a thin volume, whose pool has to be made', options: { thinPool: 'pool', thinPoolSize: '80Mi' } },
  { kind: 'an encrypted volume', options: { cryptSecret: 'key' } },
  {
    kind: 'an encrypted thin volume',
    options: { cryptSecret: 'holdfast/key', thinPool: 'pool', thinPoolSize: '80Mi' },
  },
];

export const VOLUME = 'data';
export const TOGETHER: Way = { kind: 'three volumes at once', options: {}, beside: ['cache', 'logs'] };
export const namesOf = ({ beside = [] }: Way): readonly string[] => [VOLUME, ...beside];

export const nodeOf = ({ hasSystemd = false }: Way): SimulatedNode => new SimulatedNode({ hasSystemd });

/** Gives back what was to be seen at each station. Whenever the agent dies, the next one goes on. */
export async function story(node: SimulatedNode, way: Way, quietMs?: number): Promise<readonly object[]> {
  const { options } = way;
  const names = namesOf(way);
  const pictures: object[] = [];
  const untilAtRest = async () => {
    if (!(await node.rest(quietMs))) throw new Error('it does not come to rest');
    pictures.push(pictureOf(node));
  };
  for (const name of names) node.declare(name, { options });
  await untilAtRest();
  for (const name of names) node.write(name);
  for (const name of names) node.grow(name, 12n);
  await untilAtRest();
  for (const name of names) node.annotate(name, { mountOpts: 'nodev,nosuid' });
  await untilAtRest();
  for (const name of names) node.delete(name);
  await untilAtRest();
  return pictures;
}

/** Everything that people and pods can see, without what differs from one process to the next. */
function pictureOf({ lvm, machine, cluster, fileSystems }: SimulatedNode): object {
  return {
    logicalVolumes: byName(lvm.volumes).map(({ name, kind, extents, tags, content, mapped }) => ({
      name,
      kind,
      extents,
      tags: [...tags].sort(),
      isActive: kind === 'thin-pool' || mapped !== undefined,
      content: seen(content),
    })),
    mounts: machine.mounts
      .toSorted((one, other) => (one.mountPoint < other.mountPoint ? -1 : 1))
      .map(({ mountPoint, source, fsType, options }) => ({
        ...{ mountPoint, source, fsType },
        options: [...options].sort(),
      })),
    opened: machine.tree
      .list('/dev/mapper')
      .filter((name) => name.startsWith('holdfast-'))
      .toSorted(),
    units: [UNITS, WANTED].flatMap((directory) => filesIn(machine, directory)),
    directories: machine.tree.list('/mnt/pv').toSorted(),
    immutable: [...fileSystems.immutable].sort(),
    volumes: cluster.volumes.map(({ metadata, spec, status }) => ({
      metadata: { ...metadata, resourceVersion: undefined, annotations: withoutUuid(metadata.annotations) },
      spec,
      status,
    })),
  };
}

/** Of a directory that need not be there. */
function filesIn({ tree }: SimulatedNode['machine'], directory: string): readonly string[] {
  try {
    return tree.list(directory).toSorted();
  } catch {
    return [];
  }
}

const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
  all.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** What was not wiped to the end is made anew, and then has another one. */
const withoutUuid = ({ [MADE_ANNOTATION]: uuid, ...others }: Readonly<Record<string, string>> = {}) => ({
  ...others,
  isMade: uuid !== undefined,
});

function seen({ signature, isWhole, fsBytes, data, slots, inside, formatted }: Content): object {
  const isFileSystem = signature !== undefined && inside === undefined;
  return {
    ...{ signature, isWhole, fsBytes, data, slots: [...slots], inside: inside && seen(inside) },
    ...(isFileSystem && { formatted }),
  };
}

export interface Rehearsal {
  readonly pictures: readonly object[];
  /** Every call of the story, in the order in which they began. */
  readonly calls: readonly Operation[];
}

export async function rehearsed(way: Way): Promise<Rehearsal> {
  const node = nodeOf(way);
  const calls: Operation[] = [];
  node.machine.faults.when(
    (operation) => {
      calls.push(operation);
      return false;
    },
    { kind: 'fail' },
  );
  return { pictures: await story(node, way), calls };
}
