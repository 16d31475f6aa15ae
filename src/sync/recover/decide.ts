/**
 * What is to be done so that this cluster has what an export has: pure, from what is known. Nothing that is not ours is touched, nothing
 * is given to a claim that it does not belong to, and nothing is deleted to be made anew.
 */
import { atOnce } from '../../kit/in-turns.ts';
import { refOf } from '../../kit/kube/resource.ts';
import { tooManyLosses } from './breaker.ts';
import { Collisions } from './collisions.ts';
import { desiredClaim, desiredVolume } from './desired.ts';
import { tiedTo } from './disown.ts';
import { judgeClaim } from './judge-claim.ts';
import { judgeVolume } from './judge-volume.ts';
import type { LocalClaims, LocalVolumes } from './local.ts';
import type { OutlinedVolume } from './outline.ts';
import type { Alteration, Creation, RecoveryPlan, RefusedTarget, Target } from './plan.ts';
import { type Fact, type Refusal, refusal } from './refusals.ts';
import { removals } from './removals.ts';
import { refuse, type Seen, type Verdict } from './seen.ts';

export const decide = (seen: Seen): RecoveryPlan => atOnce(deciding(seen));

/** The same, object by object: there may be a hundred thousand, and others have to get their turn. */
export function* deciding(seen: Seen): Generator<void, RecoveryPlan> {
  const draft = new Draft(seen);
  yield* draft.volumes();
  yield* draft.claims();
  return draft.finished();
}

class Draft {
  readonly #seen: Seen;
  readonly #collisions: Collisions;
  readonly #create: Creation[] = [];
  readonly #change: Alteration[] = [];
  readonly #refused: RefusedTarget[] = [];
  readonly #present: Target[] = [];
  readonly #namespaces = new Set<string>();
  readonly #refusedVolumes = new Map<string, Fact>();
  readonly #same = { volumes: 0, claims: 0 };

  constructor(seen: Seen) {
    this.#seen = seen;
    this.#collisions = new Collisions(seen.outline, seen.spec.mappings, seen.volumes);
  }

  *volumes(): Generator<void> {
    let place = 0;
    for (const [name, outlined] of this.#seen.outline.volumes) {
      this.#volume(name, outlined, place++);
      yield;
    }
  }

  *claims(): Generator<void> {
    let place = 0;
    for (const key of this.#seen.outline.claims.keys()) {
      this.#claim(key, place++);
      yield;
    }
  }

  #volume(name: string, outlined: OutlinedVolume, place: number): void {
    const target: Target = { kind: 'PersistentVolume', key: name };
    const seen = this.#seen;
    const { fault } = outlined;
    const desired = () => desiredVolume(seen.document.volumes.at(place), seen);
    const verdict =
      fault === undefined
        ? judgeVolume(seen, { name, outlined, desired }, this.#collisions)
        : refuse(refusal('specIsInvalid', `volume ${name} cannot be restored: ${fault}`));
    if (verdict.do === 'refuse') {
      this.#refusedVolumes.set(target.key, verdict.fact);
      this.#keepData(target);
    }
    if (verdict.do === 'nothing') this.#same.volumes += 1;
    this.#add(target, verdict, seen.volumes, desired);
  }

  /** Whatever a person does about a volume that is refused, and be it to delete it as he is told he may: the data stays. */
  #keepData(target: Target): void {
    const { volumes, sync } = this.#seen;
    const [local, identity] = [volumes.get(target.key), volumes.identityOf(target.key)];
    const isSafe = local?.recovery !== sync || local.reclaimPolicy === 'Retain';
    if (!isSafe && identity) this.#change.push({ ...target, ...identity, ...RETAINED });
  }

  #claim(key: string, place: number): void {
    const target: Target = { kind: 'PersistentVolumeClaim', key };
    const why = this.#whyNoClaim(target);
    const seen = this.#seen;
    const { outline, namespaces } = seen;
    const { namespace = '' } = refOf(key);
    const desired = () => desiredClaim(seen.document.claims.at(place), seen, outline);
    const verdict = why ? refuse(why) : judgeClaim(seen, { key, namespace, desired }, this.#refusedVolumes);
    if (verdict.do === 'create' && !namespaces.get(namespace)) this.#namespaces.add(namespace);
    if (verdict.do === 'nothing') this.#same.claims += 1;
    this.#add(target, verdict, seen.claims, desired);
  }

  /** What is wrong with the claim as it stands in the export. */
  #whyNoClaim({ key }: Target): Refusal | undefined {
    const { outline, spec } = this.#seen;
    const { fault, volumeName = '' } = outline.claims.get(key) ?? {};
    if (fault !== undefined) return refusal('specIsInvalid', `claim ${key} cannot be restored: ${fault}`);
    const volume = outline.volumes.get(volumeName);
    if (!volume || spec.binding === 'Local') return undefined;
    if (volume.fault !== undefined)
      return refusal('volumeIsNotRestored', `claim ${key} has volume ${volumeName}, which cannot be restored`);
    if (volume.claim === undefined || volume.claim === key) return undefined;
    return refusal('volumeIsAnothers', `claim ${key} names volume ${volumeName}, which belongs to ${volume.claim}`);
  }

  #add(target: Target, verdict: Verdict, local: LocalVolumes | LocalClaims, make: Creation['make']): void {
    const identity = local.identityOf(target.key);
    if (verdict.do === 'create') this.#create.push({ ...target, make, ...(verdict.needs && { needs: verdict.needs }) });
    if (verdict.do === 'leave') this.#present.push(target);
    if (verdict.do === 'refuse') {
      const { do: _, ...why } = verdict;
      this.#refused.push({ ...target, ...why });
    }
    if (verdict.do === 'change' && identity)
      this.#change.push({ ...target, ...identity, patch: verdict.patch, fields: verdict.fields });
  }

  finished(): RecoveryPlan {
    const { sync, volumes, claims, spec } = this.#seen;
    const { remove, refused, losses } = removals(this.#seen);
    const plan: RecoveryPlan = {
      disown: tiedTo(sync, { volumes, claims }),
      namespaces: [...this.#namespaces].toSorted(),
      create: this.#create,
      change: this.#change,
      remove,
      same: this.#same,
      present: this.#present,
      refused: [...this.#refused, ...refused],
    };
    const tooMany = tooManyLosses(losses, spec);
    return tooMany === undefined ? plan : heldBack(plan, tooMany);
  }
}

const RETAINED = {
  patch: { spec: { persistentVolumeReclaimPolicy: 'Retain' } },
  fields: ['spec.persistentVolumeReclaimPolicy'],
} as const;

/** That the data of a volume stays is not on the word of the export, and is never held back. */
const isRetained = ({ patch: { spec } }: Alteration): boolean => spec?.persistentVolumeReclaimPolicy === 'Retain';
const isRetainedOnly = ({ fields }: Alteration): boolean => fields.join() === RETAINED.fields.join();

function heldBack(plan: RecoveryPlan, tooMany: string): RecoveryPlan {
  const { create, remove } = plan;
  const change = plan.change.filter((each) => !isRetainedOnly(each));
  const message = `${tooMany}: nothing is restored, changed or removed`;
  const remedy = 'If they are really gone, set spec.allowMassDeletion until they have been removed';
  return {
    ...plan,
    namespaces: [],
    create: [],
    change: plan.change.filter(isRetained).map((each) => ({ ...each, ...RETAINED })),
    remove: [],
    held: { message, remedy, create, change, remove },
  };
}
