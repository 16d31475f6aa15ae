/** What a recovery would do: what it creates, changes and removes, what it leaves alone and why. It can be shown before it is carried out. */
import type { Identity } from '../../kit/cache/store.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import type { Refusal } from './refusals.ts';

export type Kind = 'PersistentVolume' | 'PersistentVolumeClaim';

/** One object. */
export interface Target {
  readonly kind: Kind;
  /** The name of a volume, `namespace/name` of a claim. */
  readonly key: string;
}

export interface Creation extends Target {
  /** Makes the object out of the export when its turn comes: there may be a hundred thousand of them. */
  readonly make: () => KubeObject;
  /** It is not created if the creation of this one has failed: of a claim, its volume. */
  readonly needs?: Target;
}

/** A merge patch, for the object and the version of it that were seen. */
export interface Alteration extends Target, Identity {
  readonly patch: Patch;
  /** What it changes, for people: `metadata.labels`, `spec.capacity`. */
  readonly fields: readonly string[];
}

export interface Patch {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string | null>> } & Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface Removal extends Target, Identity {
  /** It is not removed if the removal of this one has failed: of a volume, the claim that is bound to it. */
  readonly needs?: Target;
  /** The claim that a volume was bound to when it was seen, which may be another one of the same name by now. */
  readonly claimUid?: string;
  /** The volume of a claim, as it was seen: looked at once more before the claim goes. */
  readonly volumeName?: string;
}

export type RefusedTarget = Target & Refusal;

export interface RecoveryPlan {
  /** Those that the garbage collector would delete with the resource, as the original has it. This comes before all else. */
  readonly disown: readonly Alteration[];
  /** To be made, because claims go there. */
  readonly namespaces: readonly string[];
  /** Volumes before claims. */
  readonly create: readonly Creation[];
  readonly change: readonly Alteration[];
  /** Claims before volumes. */
  readonly remove: readonly Removal[];
  /** How many are as they should be. */
  readonly same: { readonly volumes: number; readonly claims: number };
  /** Those that are there as they should be and are not ours: nothing is done about them. */
  readonly present: readonly Target[];
  readonly refused: readonly RefusedTarget[];
  /** Set when so much would be removed that a person has to say so first. */
  readonly held?: Held;
}

/**
 * What is not done then: nothing at all, but that data is kept. What was restored is not changed or removed on the word of an export that has
 * lost so much; and if what is new in it were created, what it has lost would be a smaller share of all at the next look, until it is no longer too much.
 */
export interface Held extends Pick<RecoveryPlan, 'create' | 'change' | 'remove'> {
  readonly message: string;
  readonly remedy: string;
}
