/** What becomes of one volume of an export. Pure. */
import type { Collisions } from './collisions.ts';
import type { DesiredVolume } from './desired.ts';
import { isSameVolume, lastingVolumeDifference, volumeDifference } from './difference.ts';
import { type Content, contentOf, type LocalVolume } from './local.ts';
import type { OutlinedVolume } from './outline.ts';
import { type Refusal, refusal } from './refusals.ts';
import { changeOrNothing, refuse, type Seen, type Verdict } from './seen.ts';

/** One volume of the export. To read all of it takes long, and what is not here can be judged by its outline. */
export interface ExportedVolume {
  readonly name: string;
  readonly outlined: OutlinedVolume;
  readonly desired: () => DesiredVolume;
}

export function judgeVolume(seen: Seen, exported: ExportedVolume, collisions: Collisions): Verdict {
  const { name, desired } = exported;
  const local = seen.volumes.get(name);
  if (local && local.recovery !== seen.sync) return notOurs(desired(), local);
  const why = nodeVolume(seen, exported);
  if (why) return refuse(why);
  if (!local) return mayBeCreated(seen, exported, collisions);
  if (local.isDeleting) return refuse(refusal('isBeingDeleted', `volume ${name} is being deleted here`));
  return judgeOurs(seen, desired(), local, contentOf(local));
}

function notOurs(desired: DesiredVolume, local: LocalVolume): Verdict {
  if (isSameVolume(desired, local)) return { do: 'leave' };
  const { name } = desired.metadata;
  return refuse(refusal('existsAndIsNotOurs', `volume ${name} is here already, and was not restored by this resource`));
}

function nodeVolume({ spec }: Seen, { name, outlined: { onNode } }: ExportedVolume): Refusal | undefined {
  if (onNode === undefined || spec.allowNodeVolumes) return undefined;
  return refusal('nodeVolume', `volume ${name} is of the type ${onNode}`);
}

function mayBeCreated(seen: Seen, { name, outlined }: ExportedVolume, collisions: Collisions): Verdict {
  const collision = collisions.of(name);
  if (collision) {
    const because =
      collision.other === undefined ? undefined : ({ kind: 'PersistentVolume', key: collision.other } as const);
    return refuse(refusal('handleCollides', `volume ${name}: ${collision.message}`, because));
  }
  const { claim } = outlined;
  const isReserved = claim !== undefined && seen.spec.binding !== 'Local';
  const why = isReserved ? whyNotReserve(seen, name, claim) : undefined;
  return why ? refuse(why) : { do: 'create' };
}

/** Why it must not be reserved for the claim that it belongs to in the export. */
function whyNotReserve(seen: Seen, name: string, key: string): Refusal | undefined {
  const other = seen.outline.claims.get(key)?.volumeName;
  if (other !== undefined && other !== name)
    return refusal('claimHasAnotherVolume', `volume ${name} names claim ${key}, which has volume ${other}`);
  const claim = seen.claims.get(key);
  if (!claim || claim.recovery === seen.sync || claim.volumeName === name) return undefined;
  return refusal(
    'claimIsAnothers',
    `volume ${name} belongs to claim ${key}, and a claim of that name is here that was not restored by this resource`,
    { kind: 'PersistentVolumeClaim', key },
  );
}

function judgeOurs(seen: Seen, desired: DesiredVolume, local: LocalVolume, content: Content): Verdict {
  const { name } = desired.metadata;
  const lasting = lastingVolumeDifference(desired, content, local);
  if (lasting !== undefined)
    return refuse(refusal('mustBeRecreated', `volume ${name} has another ${lasting} here than in the export`));
  const reserving = reservation(seen, desired, local);
  if (reserving.why) return refuse(reserving.why);
  const isBound = local.claimUid !== undefined;
  return changeOrNothing(volumeDifference(desired, content, { isBound, claimRef: reserving.claimRef }));
}

interface Reserving {
  readonly why?: Refusal | undefined;
  readonly claimRef?: Readonly<Record<string, unknown>> | undefined;
}

/** What to write of the claim that it is reserved for: nothing, where it is that claim already. */
function reservation(seen: Seen, desired: DesiredVolume, local: LocalVolume): Reserving {
  const { metadata, spec } = desired;
  if (!spec.claimRef) return {};
  const key = `${spec.claimRef.namespace}/${spec.claimRef.name}`;
  if (local.claim === key && !isLeftBehind(seen, key, local)) return {};
  if (local.claim !== key && local.claimUid !== undefined)
    return {
      why: refusal(
        'volumeIsBound',
        `volume ${metadata.name} belongs to claim ${key}, and is bound to ${local.claim} here`,
      ),
    };
  const why = whyNotReserve(seen, metadata.name, key);
  return why ? { why } : { claimRef: { ...spec.claimRef, uid: null, resourceVersion: null } };
}

/** The claim that it was bound to is gone, and one of the same name that we restore is to have it again. */
function isLeftBehind({ sync, claims }: Seen, key: string, { phase, claimUid }: LocalVolume): boolean {
  if (phase !== 'Released' || claimUid === undefined) return false;
  const claim = claims.get(key);
  return !claim || (claim.recovery === sync && claims.identityOf(key)?.uid !== claimUid);
}
