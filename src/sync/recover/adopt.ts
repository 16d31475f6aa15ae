/**
 * Makes objects that this cluster has exported itself count as restored: so that a cluster which was deposed and follows now takes over what
 * was changed meanwhile. Only what is in the export of the other is adopted. What it does not have exists only here, and is left alone.
 */
import type { Identity } from '../../kit/cache/store.ts';
import { RECOVERY_LABEL } from '../contract.ts';
import type { LocalClaims, LocalVolumes } from './local.ts';
import type { Kind, Patch, Target } from './plan.ts';
import type { Seen } from './seen.ts';
import { Pass, patch, type Writing, type Written } from './writing.ts';

interface Adopted extends Target, Identity {}

export function adoptable({
  outline,
  volumes,
  claims,
}: Pick<Seen, 'outline' | 'volumes' | 'claims'>): readonly Adopted[] {
  return [
    ...ownOf('PersistentVolume', outline.volumes.keys(), volumes),
    ...ownOf('PersistentVolumeClaim', outline.claims.keys(), claims),
  ];
}

function ownOf(kind: Kind, keys: Iterable<string>, view: Pick<LocalVolumes | LocalClaims, 'get' | 'identityOf'>) {
  return [...keys].flatMap((key): readonly Adopted[] => {
    const local = view.get(key);
    const identity = view.identityOf(key);
    const isOwn = local?.captured !== undefined && local.recovery === undefined && !local.isDeleting;
    return isOwn && identity ? [{ kind, key, ...identity }] : [];
  });
}

export async function adopt(writing: Writing, targets: readonly Adopted[]): Promise<Written> {
  const pass = new Pass(writing, targets.length);
  await pass.each('change', targets, (target) => patch(writing, target, target, adoption(target, writing.sync)));
  return pass.written;
}

/** From the moment on that it counts as restored its data stays, whatever a person is told to do about it. */
function adoption({ kind }: Target, sync: string): Patch {
  const metadata = { labels: { [RECOVERY_LABEL]: sync } };
  return kind === 'PersistentVolume' ? { metadata, spec: { persistentVolumeReclaimPolicy: 'Retain' } } : { metadata };
}
