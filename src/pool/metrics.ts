/** What is counted of pools: how large and how full they are, how their members stand, and what is done and refused. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { removeSeries } from '../kit/observe/remove-series.ts';
import { AGENT_STATES } from '../pool-client/protocol.ts';
import type { PvPoolStatus } from './contract.ts';
import type { Action } from './plan.ts';
import type { Fact } from './reasons.ts';

export type Operation = Exclude<Action['do'], 'order'> | 'decommission' | 'recommission';

export interface PoolMetrics {
  saw(pool: string, status: PvPoolStatus): void;
  did(pool: string, operation: Operation): void;
  drained(pool: string, bytes: number): void;
  /** Something was found that keeps it from going on. */
  refused(pool: string, fact: Fact): void;
  gone(pool: string): void;
}

export function poolMetrics(registry: Registry): PoolMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, ...others: string[]) =>
    new Gauge({ name, help, labelNames: ['pool', ...others], registers });
  const counter = (name: string, help: string, ...others: string[]) =>
    new Counter({ name, help, labelNames: ['pool', ...others], registers });
  const capacity = gauge('holdfast_pool_capacity_bytes', 'How much a pool can hold.');
  const used = gauge('holdfast_pool_used_bytes', 'How much of a pool is used.');
  const members = gauge('holdfast_pool_members', 'Members of a pool, by the state of their agents.', 'state');
  const ready = gauge('holdfast_pool_ready', 'Whether a pool is as it should be.');
  const operations = counter('holdfast_pool_operations_total', 'What was done for a pool.', 'operation');
  const drained = counter('holdfast_pool_drained_bytes_total', 'Bytes that agents have moved while they were drained.');
  const refusals = counter(
    'holdfast_pool_refusals_total',
    'Facts that kept a pool from going on, when they were found.',
    'fact',
  );
  const all = [capacity, used, members, ready, operations, drained, refusals];
  return {
    saw(pool, { capacityBytes = 0, usedBytes = 0, countByState = {}, phase }) {
      capacity.set({ pool }, capacityBytes);
      used.set({ pool }, usedBytes);
      ready.set({ pool }, phase === 'Ready' ? 1 : 0);
      for (const state of AGENT_STATES) members.set({ pool, state }, countByState[state] ?? 0);
    },
    did: (pool, operation) => operations.inc({ pool, operation }),
    drained: (pool, bytes) => drained.inc({ pool }, bytes),
    refused: (pool, fact) => refusals.inc({ pool, fact }),
    gone(pool) {
      void removeSeries(all, 'pool', pool);
    },
  };
}
