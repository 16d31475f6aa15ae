/** What becomes of one volume of an export. Pure. */
import type { Collisions } from './collisions.ts';
import type { DesiredVolume } from './desired.ts';
import { isSameVolume, lastingVolumeDifference, volumeDifference } from './difference.ts';
import { type Content, contentOf, type LocalVolume } from './local.ts';
import { type Refusal, refusal } from './refusals.ts';
import { changeOrNothing, refuse, type Seen, type Verdict } from './seen.ts';

export function judgeVolume(seen: Seen, desired: DesiredVolume, collisions: Collisions): Verdict {
  const { name } = desired.metadata;
  const local = seen.volumes.get(name);
  if (local && local.recovery !== seen.sync) return notOurs(desired, local);
  const why = nodeVolume(seen, desired);
  if (why) return refuse(why);
  if (!local) return mayBeCreated(seen, desired, collisions);
  if (local.isDeleting) return refuse(refusal('isBeingDeleted', `volume ${name} is being deleted here`));
  return judgeOurs(seen, desired, local, contentOf(local));
}

function notOurs(desired: DesiredVolume, local: LocalVolume): Verdict {
  if (isSameVolume(desired, local)) return { do: 'leave' };
  const { name } = desired.metadata;
  return refuse(refusal('existsAndIsNotOurs', `volume ${name} is here already, and was not restored by this resource`));
}

function nodeVolume({ spec }: Seen, desired: DesiredVolume): Refusal | undefined {
  const type = (['hostPath', 'local'] as const).find((each) => desired.spec[each] !== undefined);
  if (type === undefined || spec.allowNodeVolumes) return undefined;
  return refusal('nodeVolume', `volume ${desired.metadata.name} is of the type ${type}`);
}

function mayBeCreated(seen: Seen, desired: DesiredVolume, collisions: Collisions): Verdict {
  const { name } = desired.metadata;
  const collision = collisions.of(name);
  if (collision) {
    const because =
      collision.other === undefined ? undefined : ({ kind: 'PersistentVolume', key: collision.other } as const);
    return refuse(refusal('handleCollides', `volume ${name}: ${collision.message}`, because));
  }
  const why = whyNotReserve(seen, desired);
  return why ? refuse(why) : { do: 'create', object: desired };
}

/** Why it must not be reserved for the claim that it belongs to in the export. */
function whyNotReserve(seen: Seen, { metadata: { name }, spec }: DesiredVolume): Refusal | undefined {
  if (!spec.claimRef) return undefined;
  const key = `${spec.claimRef.namespace}/${spec.claimRef.name}`;
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
  const why = whyNotReserve(seen, desired);
  return why ? { why } : { claimRef: { ...spec.claimRef, uid: null, resourceVersion: null } };
}

/** The claim that it was bound to is gone, and one of the same name that we restore is to have it again. */
function isLeftBehind({ sync, claims }: Seen, key: string, { phase, claimUid }: LocalVolume): boolean {
  if (phase !== 'Released' || claimUid === undefined) return false;
  const claim = claims.get(key);
  return !claim || (claim.recovery === sync && claims.identityOf(key)?.uid !== claimUid);
}
