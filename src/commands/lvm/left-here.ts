/** What is left on this machine of volumes that are deleted or lost: read from its LVM and its mounts, and from the cluster. */
import { clusterUid } from '../../api/namespaces.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { silentLog } from '../../kit/observe/log.ts';
import type { NodeLabels } from '../../lvm/home.ts';
import { type Claimant, isWanted, type Orphan, orphansIn, type Searched } from '../../lvm/orphans.ts';
import { RealMachine } from '../../lvm/real-machine.ts';
import { type Trashed, trashIn } from '../../lvm/trash.ts';
import { type Volume, volumeOf } from '../../lvm/volume.ts';
import type { OptionsOf } from '../flags/options.ts';
import { readAll } from '../reports/read.ts';
import type { Visitor } from '../visit.ts';
import { type hereFlags, hostOf, mountBaseOf, ownNode } from './here.ts';

export interface LeftHere {
  readonly node: NodeLabels;
  readonly cluster: string;
  readonly machine: RealMachine;
  readonly mountBase: string;
}

export interface Left {
  readonly orphans: readonly Orphan[];
  /** Only of this cluster, what another one has in its trash is an orphan; and without what a volume is to take back. */
  readonly trash: readonly Trashed[];
  readonly volumes: readonly Volume[];
}

export async function hereOf(visitor: Visitor, options: OptionsOf<typeof hereFlags>): Promise<LeftHere> {
  const { client, signal } = visitor;
  const [host, viewpoint] = hostOf(options);
  const cluster = await clusterUid(client, signal);
  const node = await ownNode(visitor, options.nodeName, 'this has to run on a node, and --node-name says which');
  const parts = { host, viewpoint, clock: systemClock, log: silentLog, client, cluster, saw: () => {} };
  return {
    node,
    cluster,
    machine: new RealMachine(parts),
    mountBase: mountBaseOf(options),
  };
}

/** The node first: who is made after that is not taken for lost. */
export async function leftOn({ machine, mountBase, cluster }: LeftHere, visitor: Visitor): Promise<Left> {
  using _here = machine.join();
  const before = await volumesNow(visitor);
  const look = await machine.look();
  const names = await machine.namesIn(mountBase);
  const volumes = [...before, ...(await volumesNow(visitor))];
  return { ...leftIn({ look, names, mountBase, cluster }, volumes), volumes };
}

export const volumesNow = (visitor: Visitor): Promise<readonly Volume[]> =>
  readAll({ visitor, tell: () => {} }, PERSISTENT_VOLUMES, {}, volumeOf);

export function leftIn(searched: Searched, volumes: readonly Claimant[]): Omit<Left, 'volumes'> {
  const trash = trashIn(searched.look.lvm, searched.cluster).filter(({ lv }) => !isWanted(lv, volumes));
  return { orphans: orphansIn(searched, volumes), trash };
}
