/** What people are told about: a device, by the name of the volume that it is or becomes, and how it stands. Pure. */
import { contentInWords } from './content-in-words.ts';
import type { Seen } from './decide.ts';
import { type Identity, identityOf, keyOf } from './identity.ts';
import type { Observed } from './observed.ts';
import { type Partitioned, partitionedAs } from './partitions.ts';
import { explainReason, type Reason, remedyOfReason } from './reasons.ts';
import { canBeApproved, explain, type Refusal, remedyOf } from './refusals.ts';
import type { State, Trouble } from './standings.ts';
import type { Volume } from './volume.ts';

export interface Subject extends Partitioned {
  /** Of the volume that it is, or becomes. */
  readonly name: string;
  readonly path: string;
  /** The volume, if there is one. */
  readonly volume?: Pick<Volume, 'name' | 'uid' | 'claim'> | undefined;
  readonly identity?: Identity | undefined;
  /** What approvals name it by. */
  readonly device?: string | undefined;
  /** What is on it, as far as that was looked at. */
  readonly holds?: string | undefined;
}

export function subjectOf({ name, found, volume }: Seen): Subject {
  const path = volume?.path ?? found[0]?.path ?? '';
  const device = found.find((one) => one.path === path)?.device;
  const facts = device && 'facts' in device ? device.facts : undefined;
  const identity = facts ? identityOf(facts) : volume?.identity;
  const subject = { name, path, volume, identity, device: identity && keyOf(identity, path) };
  return facts ? { ...subject, ...partitionedAs(facts) } : subject;
}

/** With what was seen when it was opened. */
export function asSeen(subject: Subject, observed: Observed | undefined): Subject {
  if (!observed) return subject;
  const identity = identityOf(observed.facts);
  const device = keyOf(identity, subject.path);
  return { ...subject, identity, device, holds: contentInWords(observed), ...partitionedAs(observed.facts) };
}

/** The phase that the cluster gives it. */
export function stateOf({ phase }: Volume): State {
  if (phase === 'Bound') return { is: 'bound' };
  return phase === 'Released' ? { is: 'released' } : { is: 'available' };
}

/** Why nothing is done, and what a person can do about it. */
export interface Grievance {
  readonly fact: Trouble;
  readonly why: string;
  readonly remedy: string;
  readonly canBeApproved: boolean;
}

export const grievanceOfReason = (reason: Reason): Grievance => ({
  fact: reason.fact,
  why: explainReason(reason),
  remedy: remedyOfReason(reason),
  canBeApproved: false,
});

/** With the command as it can be typed. */
export const grievanceOf = (refusal: Refusal, node: string, path: string): Grievance => ({
  fact: refusal.fact,
  why: explain(refusal),
  remedy: remedyOf(refusal, { node, path }),
  canBeApproved: canBeApproved(refusal),
});
