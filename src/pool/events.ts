/** What people are told in Events: what is wrong, and how a scale down goes. */
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import { PV_POOLS, type PvPool } from './contract.ts';
import type { Fact, Note } from './reasons.ts';

/** Of what is no fact. Each is explained in explanations.ts, as the facts are. */
export type EventReason =
  | 'ScaleDownBegan'
  | 'ScaleDownCancelled'
  | 'ScaledDown'
  | 'ScaledUp'
  | 'RolloutBegan'
  | 'Autoscaled'
  | 'ClaimDeleted';

type Told = Occurrence<EventReason | Fact>;

const occurrence = (
  pool: PvPool,
  type: Occurrence['type'],
  reason: EventReason | Fact,
  action: string,
  text: string,
): Told => ({
  regarding: referenceTo(PV_POOLS, pool),
  type,
  reason,
  action,
  note: text,
});

export const wrong = (pool: PvPool, { fact, message }: Note): Told =>
  occurrence(pool, 'Warning', fact, 'Reconcile', sentence(message));

export const began = (pool: PvPool, from: number, to: number): Told =>
  occurrence(
    pool,
    'Normal',
    'ScaleDownBegan',
    'ScaleDown',
    `From ${from} to ${to} PVs: the agents that leave are drained first.`,
  );

export const cancelled = (pool: PvPool): Told =>
  occurrence(pool, 'Normal', 'ScaleDownCancelled', 'ScaleDown', 'The agents are told to go on.');

export const lowered = (pool: PvPool, from: number, to: number): Told =>
  occurrence(
    pool,
    'Normal',
    'ScaledDown',
    'ScaleDown',
    `From ${from} to ${to} PVs: those that left held nothing any more.`,
  );

export const raised = (pool: PvPool, from: number, to: number): Told =>
  occurrence(pool, 'Normal', 'ScaledUp', 'ScaleUp', `From ${from} to ${to} PVs.`);

export const rolling = (pool: PvPool): Told =>
  occurrence(pool, 'Normal', 'RolloutBegan', 'RollOut', 'The agents are brought up to date one by one.');

export const autoscaled = (pool: PvPool, desired: number): Told =>
  occurrence(pool, 'Normal', 'Autoscaled', 'Autoscale', `${desired} PVs are wanted by how full the pool is.`);

export const claimDeleted = (pool: PvPool, claim: string): Told =>
  occurrence(
    pool,
    'Normal',
    'ClaimDeleted',
    'ScaleDown',
    `Claim ${claim} was drained and is deleted, as claims.whenScaled says.`,
  );

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
