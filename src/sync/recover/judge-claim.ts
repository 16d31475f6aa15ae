/** What becomes of one claim of an export. Pure. */
import { type DesiredClaim, volumeOf } from './desired.ts';
import { claimDifference, isSameClaim, lastingClaimDifference, wouldGrow } from './difference.ts';
import { contentOf, type LocalClaim } from './local.ts';
import { type Fact, type Refusal, refusal } from './refusals.ts';
import { changeOrNothing, refuse, type Seen, type Verdict } from './seen.ts';

/** `refusedVolumes` says why, of each volume of the export that is not restored. */
export function judgeClaim(seen: Seen, exported: ExportedClaim, refusedVolumes: ReadonlyMap<string, Fact>): Verdict {
  const { key, desired } = exported;
  const local = seen.claims.get(key);
  if (!local) return mayBeCreated(seen, exported, refusedVolumes);
  if (local.recovery !== seen.sync) return isSameClaim(desired(), local) ? { do: 'leave' } : notOurs(key);
  if (local.isDeleting) return refuse(refusal('isBeingDeleted', `claim ${key} is being deleted here`));
  return judgeOurs(seen, desired(), key, local);
}

/** One claim of the export. To read all of it takes long, and what is not here can be judged by its outline. */
export interface ExportedClaim {
  readonly key: string;
  readonly namespace: string;
  readonly desired: () => DesiredClaim;
}

function mayBeCreated(seen: Seen, exported: ExportedClaim, refusedVolumes: ReadonlyMap<string, Fact>): Verdict {
  const volume = volumeOf(exported.key, seen.outline, seen.spec.binding);
  const why = whyNotCreate(seen, exported, volume, refusedVolumes);
  if (why) return refuse(why);
  return volume === undefined ? { do: 'create' } : { do: 'create', needs: { kind: 'PersistentVolume', key: volume } };
}

const notOurs = (key: string): Verdict =>
  refuse(refusal('existsAndIsNotOurs', `claim ${key} is here already, and was not restored by this resource`));

function whyNotCreate(
  { namespaces }: Seen,
  { key, namespace }: ExportedClaim,
  volume: string | undefined,
  refusedVolumes: ReadonlyMap<string, Fact>,
): Refusal | undefined {
  const known = namespaces.get(namespace);
  if (known?.isTerminating)
    return refusal('namespaceIsTerminating', `claim ${key} cannot be made while its namespace is being deleted`);
  if (!known && namespace.startsWith('kube-'))
    return refusal('namespaceIsReserved', `claim ${key} is in a namespace that is not here`);
  const fact = refusedVolumes.get(volume ?? '');
  return fact && refusal('volumeIsNotRestored', `claim ${key} has volume ${volume}, which is refused: ${fact}`);
}

function judgeOurs(seen: Seen, desired: DesiredClaim, key: string, local: LocalClaim): Verdict {
  const content = contentOf(local);
  const lasting = lastingClaimDifference(desired, content);
  if (lasting !== undefined)
    return refuse(refusal('mustBeRecreated', `claim ${key} has another ${lasting} here than in the export`));
  const expands = seen.expandingClasses.has(local.className ?? '');
  const verdict = changeOrNothing(claimDifference(desired, content, expands && local.isBound === true));
  const isHeldBack = verdict.do === 'nothing' && local.isBound && !expands && wouldGrow(desired, content);
  if (!isHeldBack) return verdict;
  return refuse(
    refusal('classDoesNotExpand', tooSmall(key, local), { kind: 'StorageClass', key: local.className ?? '' }),
  );
}

const tooSmall = (key: string, { className = '' }: LocalClaim): string =>
  `claim ${key} asks for more in the export, and its StorageClass ${className} lets no claim grow`;
