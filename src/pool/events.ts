/** What people are told in Events: what is wrong, and how a scale down goes. */
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import { PV_POOLS, type PvPool } from './contract.ts';
import type { Note } from './reasons.ts';

const occurrence = (
  pool: PvPool,
  type: Occurrence['type'],
  reason: string,
  action: string,
  text: string,
): Occurrence => ({
  regarding: referenceTo(PV_POOLS, pool),
  type,
  reason,
  action,
  note: text,
});

export const wrong = (pool: PvPool, { fact, message }: Note): Occurrence =>
  occurrence(pool, 'Warning', fact, 'Reconcile', sentence(message));

export const began = (pool: PvPool, from: number, to: number): Occurrence =>
  occurrence(
    pool,
    'Normal',
    'ScaleDownBegan',
    'ScaleDown',
    `From ${from} to ${to} PVs: the agents that leave are drained first.`,
  );

export const cancelled = (pool: PvPool): Occurrence =>
  occurrence(pool, 'Normal', 'ScaleDownCancelled', 'ScaleDown', 'The agents are told to go on.');

export const lowered = (pool: PvPool, from: number, to: number): Occurrence =>
  occurrence(
    pool,
    'Normal',
    'ScaledDown',
    'ScaleDown',
    `From ${from} to ${to} PVs: those that left held nothing any more.`,
  );

export const raised = (pool: PvPool, from: number, to: number): Occurrence =>
  occurrence(pool, 'Normal', 'ScaledUp', 'ScaleUp', `From ${from} to ${to} PVs.`);

export const rolling = (pool: PvPool): Occurrence =>
  occurrence(pool, 'Normal', 'RolloutBegan', 'RollOut', 'The agents are brought up to date one by one.');

export const autoscaled = (pool: PvPool, desired: number): Occurrence =>
  occurrence(pool, 'Normal', 'Autoscaled', 'Autoscale', `${desired} PVs are wanted by how full the pool is.`);

export const claimDeleted = (pool: PvPool, claim: string): Occurrence =>
  occurrence(
    pool,
    'Normal',
    'ClaimDeleted',
    'ScaleDown',
    `Claim ${claim} was drained and is deleted, as claims.whenScaled says.`,
  );

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
