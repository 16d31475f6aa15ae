/** What can be done for a volume, one step at a time, and what a decision comes to. */
import type { Mount } from '../kit/host/mounts.ts';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import type { MountUnit } from './mount-units.ts';
import { type Refusal, refusal } from './reasons.ts';
import type { Sight } from './sight.ts';

export interface PoolRoom {
  readonly pool: string;
  readonly atMost: bigint;
}

export type Step =
  /** In a thin pool, of which all volumes may come to so much. */
  | { readonly kind: 'create'; readonly bytes: bigint; readonly in?: PoolRoom | undefined }
  /** In the place of one that was cut off, if there is such. */
  | { readonly kind: 'create-pool'; readonly bytes: bigint }
  | { readonly kind: 'adopt' }
  /** It is used again: that it was in the trash once must not shorten its time there later. */
  | { readonly kind: 'take-out' }
  /** It, or the pool that it is to be in. */
  | { readonly kind: 'activate'; readonly lv: LogicalVolume }
  /** Lets go on what a command of LVM that was cut off has left suspended: whoever touches it waits for ever. */
  | { readonly kind: 'resume'; readonly lv: LogicalVolume }
  | { readonly kind: 'extend'; readonly bytes: bigint; readonly in?: PoolRoom | undefined }
  /** Over nothing, or over the beginning of the same that was found on it. */
  | { readonly kind: 'encrypt'; readonly over: string | undefined }
  | { readonly kind: 'open' }
  | { readonly kind: 'format'; readonly over: string | undefined }
  | { readonly kind: 'mark-ready' }
  | { readonly kind: 'mount'; readonly unit?: MountUnit | undefined }
  | { readonly kind: 'grow-filesystem' }
  /** With other options, while it is in use. */
  | { readonly kind: 'remount' }
  /** Has systemd mount it at every boot from now on. */
  | { readonly kind: 'write-unit'; readonly unit: MountUnit }
  /** Writes on it what is asked for by now, and only matters later. */
  | { readonly kind: 'retag' }
  | { readonly kind: 'unmount' }
  | { readonly kind: 'close' }
  | { readonly kind: 'shred' }
  /** Marked first: from then on it is known what it is, whatever it is called. */
  | { readonly kind: 'trash'; readonly does: 'mark' | 'rename' | 'deactivate'; readonly lv: LogicalVolume }
  /** Gives what was in the trash the name of the volume that takes it over. */
  | { readonly kind: 'take-back'; readonly lv: LogicalVolume }
  | { readonly kind: 'remove'; readonly lv: LogicalVolume };
export type StepKind = Step['kind'];

/** What can be changed of a volume while it is in use. One of them that is refused keeps none of the others waiting. */
export type Matter = 'marks' | 'growth' | 'mountOpts';

/** What a step is done for, if the volume can be used without it. */
export const matterOf = (kind: StepKind): Matter | undefined => MATTERS[kind];
const MATTERS: Readonly<Partial<Record<StepKind, Matter>>> = {
  retag: 'marks',
  'grow-filesystem': 'growth',
  extend: 'growth',
  remount: 'mountOpts',
};

export type Decision =
  | { readonly kind: 'step'; readonly step: Step }
  /** What is on its device has to be looked at first. */
  | { readonly kind: 'look-closer' }
  | (Refusal & { readonly matter?: Matter | undefined })
  /** Nothing is left to be done. */
  | { readonly kind: 'done' };

export const step = (next: Step): Decision => ({ kind: 'step', step: next });
export const done: Decision = { kind: 'done' };

export const covered = ({ mountPoint: path, source }: Mount): Decision =>
  refusal('mountBaseIsCovered', { path, source });

/** A group that is not whole, or that LVM does not let change, stays as it is; what is on it can still be mounted. */
export function unlessImpossible(decision: Decision & { kind: 'step' }, group: VolumeGroup, { lv }: Sight): Decision {
  if (!CHANGES_LVM.has(decision.step.kind)) return decision;
  if (group.missingDisks > 0) return refusal('groupHasLostDisks', { vg: group.name, disks: group.missingDisks });
  const [obstacle] = group.obstacles;
  if (obstacle !== undefined) return refusal('groupCannotBeChanged', { vg: group.name, why: obstacle });
  if (lv && lv.health !== '' && decision.step.kind !== 'remove')
    return refusal('logicalVolumeIsUnwell', { lv: fullName(lv), why: lv.health });
  return decision;
}

const CHANGES_LVM: ReadonlySet<StepKind> = new Set<StepKind>([
  'create',
  'create-pool',
  'adopt',
  'take-out',
  'extend',
  'mark-ready',
  'remount',
  'retag',
  'shred',
  'take-back',
  'trash',
  'remove',
]);

/** It lies beside its origin, and is active and inactive together with it. */
export const isClassicSnapshot = ({ kind, pool }: LogicalVolume): boolean => kind === 'snapshot' && pool === undefined;

export const fullName = ({ group, name }: LogicalVolume): string => `${group}/${name}`;
