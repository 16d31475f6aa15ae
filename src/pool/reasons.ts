/** What is to be told of a pool: each is named after the fact that it rests on, and is told in a sentence that names the object. */

/** `degraded`: a person should look. `waiting`: it goes on by itself. `held`: as a person has chosen. */
export const FACTS = {
  ObjectIsForeign: 'degraded',
  WriteFailed: 'degraded',
  PodIsMissing: 'waiting',
  PodIsRefused: 'degraded',
  PodIsStarting: 'waiting',
  PodIsNotReady: 'degraded',
  AgentDoesNotAnswer: 'degraded',
  AgentIsNotReady: 'waiting',
  AgentCannotGoOn: 'degraded',
  ClaimIsMissing: 'degraded',
  ClaimIsGoing: 'degraded',
  ClaimWasReplaced: 'degraded',
  NoPeerIsReady: 'degraded',
  NowhereToGo: 'degraded',
  DoesNotFit: 'degraded',
  HoldsCorruptBlobs: 'degraded',
  BlobsAreDamaged: 'degraded',
  DrainIsStuck: 'degraded',
  AgentContradictsItself: 'degraded',
  OrderWasRefused: 'degraded',
  ScaledBehindOurBack: 'degraded',
  ClassDoesNotExpand: 'degraded',
  ResizeFailed: 'degraded',
  StatefulSetIsGoing: 'waiting',
  Creating: 'waiting',
  ScalingUp: 'waiting',
  ScalingWaits: 'waiting',
  Draining: 'waiting',
  Drained: 'waiting',
  Cancelling: 'waiting',
  ClaimsAreGoing: 'waiting',
  RollingOut: 'waiting',
  SetIsUnobserved: 'waiting',
  Growing: 'waiting',
  ScaleDownIsCancelled: 'held',
} as const;

export type Fact = keyof typeof FACTS;

export interface Note {
  readonly fact: Fact;
  readonly message: string;
}

export const note = (fact: Fact, message: string): Note => ({ fact, message });

export const severityOf = ({ fact }: Note): (typeof FACTS)[Fact] => FACTS[fact];
