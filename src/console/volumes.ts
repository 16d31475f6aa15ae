/** How a volume is shown: worked out from the volume, and from what each job says of it. Pure. */
import type { DeviceStatus } from '../devices/status.ts';
import type { VolumeStatus as LogicalVolume } from '../lvm/status.ts';
import { isTrouble } from '../topology/events.ts';
import type { VolumeStatus as Placement } from '../topology/status.ts';
import type { Activity, Health, Need, VolumeRow } from './model.ts';
import { type Shown, sentence } from './shown.ts';
import type { SeenVolume } from './views.ts';

export interface KnownOfVolume {
  readonly volume: SeenVolume;
  /** Nothing where it cannot be placed. */
  readonly placement?: Placement | undefined;
  /** Whether pods, claims and nodes are read: otherwise nobody can say whether its zone is right. */
  readonly canBePlaced: boolean;
  /** Whether somebody labels volumes here at all: otherwise it means nothing that one is not labelled. */
  readonly isTopologyInUse: boolean;
  readonly device?: { readonly node: string; readonly status: DeviceStatus; readonly doubt?: string } | undefined;
  /** Without a node where no node makes it. */
  readonly logical?:
    | { readonly node?: string | undefined; readonly status: LogicalVolume; readonly doubt?: string }
    | undefined;
  readonly isOfPool: boolean;
  readonly pods: readonly UsingPod[];
  /** An export holds it, as far as anybody says. */
  readonly isExported: boolean;
}

export interface UsingPod {
  /** `namespace/name`. */
  readonly pod: string;
  readonly node?: string | undefined;
}

const MOST_PODS = 5;

interface Standing {
  readonly health: Health;
  readonly note?: string;
}

export function volumeShown(known: KnownOfVolume): Shown<VolumeRow> {
  const { volume, pods, device, logical } = known;
  const { claim, storageClass, zone } = volume;
  const { health, note } = standingOf(known);
  const node = device?.node ?? logical?.node ?? onlyNodeOf(pods);
  const sync = syncOf(known);
  const row: VolumeRow = {
    name: volume.name,
    health,
    ...(note !== undefined && { note }),
    phase: volume.phase,
    capacityBytes: volume.capacityBytes,
    ...(claim !== undefined && { claim }),
    ...(storageClass !== undefined && { storageClass }),
    ...(zone !== undefined && { zone }),
    ...(node !== undefined && { node }),
    source: sourceOf(known),
    createdAt: volume.createdAt,
    ...(pods.length > 0 && { pods: pods.slice(0, MOST_PODS).map(({ pod }) => pod) }),
    ...(sync && { sync }),
  };
  return { row, needs: needsOf(known), activities: activitiesOf(known) };
}

/** What is worst comes first: the first that has something to say has the word. */
const standingOf = (known: KnownOfVolume): Standing =>
  ofPhase(known) ??
  doubted(known.device?.doubt, ofDevice(known)) ??
  doubted(known.logical?.doubt, ofLogicalVolume(known)) ??
  ofDeletion(known) ??
  ofPlacement(known) ??
  WELL;

/** What was wrong when its agent was heard last is told as long as nobody knows better; what was well is not. */
const doubted = (doubt: string | undefined, standing: Standing | undefined): Standing | undefined =>
  doubt === undefined || standing?.health === 'failed' || standing?.health === 'attention'
    ? standing
    : { health: 'unknown', note: doubt };

const WELL: Standing = { health: 'well' };

function ofPhase({ volume: { phase } }: KnownOfVolume): Standing | undefined {
  if (phase === 'Failed') return { health: 'failed', note: 'Kubernetes could not reclaim it' };
  return phase === 'Pending' ? { health: 'busy', note: 'is being made' } : undefined;
}

function ofDevice({ device }: KnownOfVolume): Standing | undefined {
  if (!device) return undefined;
  const { state, stands } = device.status;
  switch (state.is) {
    case 'available':
    case 'bound':
      return undefined;
    case 'failed':
      return { health: 'failed', note: stands };
    case 'refused':
      return { health: 'attention', note: stands };
    case 'released':
      return { health: 'busy', note: 'released: it is about to be wiped' };
    default:
      return { health: 'busy', note: stands };
  }
}

function ofLogicalVolume({ logical }: KnownOfVolume): Standing | undefined {
  if (!logical) return undefined;
  const { state, stands } = logical.status;
  switch (state.is) {
    case 'ready':
      return undefined;
    case 'failed':
      return { health: 'failed', note: stands };
    case 'refused':
      return { health: 'attention', note: stands };
    case 'unreported':
      return { health: 'unknown', note: stands };
    default:
      return { health: 'busy', note: stands };
  }
}

const ofDeletion = ({ volume: { isDeleting } }: KnownOfVolume): Standing | undefined =>
  isDeleting ? { health: 'busy', note: 'is being deleted' } : undefined;

function ofPlacement({ placement, canBePlaced, isTopologyInUse, volume }: KnownOfVolume): Standing | undefined {
  if (!canBePlaced && isTopologyInUse && volume.claim !== undefined)
    return { health: 'unknown', note: 'whether its zone is right cannot be said: not all that uses it can be seen' };
  if (placement && placement.state !== 'toBeLabelled' && isTrouble(placement.state))
    return { health: 'attention', note: placement.why };
  if (placement?.state === 'toBeLabelled' && isTopologyInUse) return { health: 'busy', note: placement.why };
  return volume.phase === 'Released'
    ? { health: 'well', note: 'released: its claim is gone, and its data is kept' }
    : undefined;
}

function sourceOf({ volume, device, logical, isOfPool }: KnownOfVolume): VolumeRow['source'] {
  if (device || volume.isLocalDisk) return 'device';
  if (logical) return 'lvm';
  return isOfPool ? 'pool' : 'other';
}

export function syncOf({ volume, isExported }: Pick<KnownOfVolume, 'volume' | 'isExported'>): VolumeRow['sync'] {
  if (volume.restoredFor !== undefined) return 'restored';
  if (isExported) return 'exported';
  return volume.isToBeExported ? 'to be exported' : undefined;
}

function onlyNodeOf(pods: readonly UsingPod[]): string | undefined {
  const [node, ...others] = new Set(pods.flatMap((pod) => pod.node ?? []));
  return others.length === 0 ? node : undefined;
}

export const linkTo = (volume: string): string => `#/volumes/${encodeURIComponent(volume)}`;

/** What devices and volume groups need is told of their nodes. */
function needsOf({ volume, placement, logical }: KnownOfVolume): readonly Need[] {
  const { name, phase } = volume;
  const link = linkTo(name);
  return [
    ...(phase === 'Failed'
      ? [
          {
            id: `volume-failed:${name}`,
            job: 'topology' as const,
            severity: 'urgent' as const,
            what: `The volume ${name} could not be reclaimed.`,
            remedy: 'Its Events tell why. Save what is on it before you delete it.',
            command: `kubectl describe pv ${name}`,
            link,
          },
        ]
      : []),
    ...(placement && placement.state !== 'toBeLabelled' && isTrouble(placement.state)
      ? [
          {
            id: `topology:${name}`,
            job: 'topology' as const,
            severity: 'soon' as const,
            what: `The volume ${name} does not carry its zone.`,
            remedy: sentence(placement.why),
            command: 'holdfast status topology',
            link,
          },
        ]
      : []),
    ...(logical && logical.node === undefined && logical.status.state.is === 'unreported'
      ? [
          {
            id: `lvm-nowhere:${name}`,
            job: 'lvm' as const,
            severity: 'soon' as const,
            what: `No node makes the volume ${name}: ${logical.status.state.why}.`,
            remedy: 'Name a node in its node affinity, by the value of its node id.',
            link,
          },
        ]
      : []),
  ];
}

function activitiesOf({ volume, logical, device }: KnownOfVolume): readonly Activity[] {
  if (logical) return logicalActivity(volume, logical);
  if (volume.isDeleting && !device)
    return [
      {
        id: `remove:${volume.name}`,
        job: 'topology',
        kind: 'remove',
        subject: volume.name,
        detail: 'is being deleted',
        link: linkTo(volume.name),
      },
    ];
  return [];
}

function logicalActivity(
  { name }: SeenVolume,
  { status: { state, stands } }: NonNullable<KnownOfVolume['logical']>,
): readonly Activity[] {
  if (state.is !== 'working' && state.is !== 'removing') return [];
  const progress = state.is === 'removing' && state.percent !== undefined ? state.percent / 100 : undefined;
  return [
    {
      id: `lvm:${name}`,
      job: 'lvm',
      kind: state.is === 'removing' ? 'remove' : /grow|exten|resiz/.test(state.step) ? 'grow' : 'make',
      subject: name,
      detail: stands,
      ...(progress !== undefined && { progress }),
      link: linkTo(name),
    },
  ];
}
