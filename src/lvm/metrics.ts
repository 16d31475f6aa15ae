/** What is counted: volumes by how they stand, steps by how long they take and why they fail, and how full groups and pools are. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CommandEnd } from '../kit/host/counted-commands.ts';
import type { Lvm } from './facts.ts';
import type { Orphan } from './orphans.ts';
import { STATES, type Standings } from './standings.ts';
import type { StepKind } from './steps.ts';

/** From a tag to the shredding of a large disk. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200];

export interface LvmMetrics {
  /** A program was run. */
  ran(program: string, end: CommandEnd): void;
  took(step: StepKind, outcome: 'done' | 'failed', seconds: number): void;
  failed(reason: string): void;
  /** How much of this kind belongs to no volume. */
  orphans(kind: Orphan['kind'], count: number): void;
  /** What the last look has shown. */
  saw(lvm: Lvm): void;
}

export function lvmMetrics(registry: Registry, standings: Standings): LvmMetrics {
  const registers = [registry];
  new Gauge({
    name: 'holdfast_lvm_volumes',
    help: 'Volumes of the node, by how they stand.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of STATES) this.set({ state }, 0);
      for (const { state } of standings.values()) this.inc({ state: state.is });
    },
  });
  const seconds = new Histogram({
    name: 'holdfast_lvm_step_seconds',
    help: 'How long the steps for volumes took, by how they ended.',
    labelNames: ['step', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const commands = new Counter({
    name: 'holdfast_lvm_commands_total',
    help: 'Programs that were run, by how they ended.',
    labelNames: ['program', 'end'],
    registers,
  });
  const failures = new Counter({
    name: 'holdfast_lvm_failures_total',
    help: 'How often something was refused or failed, by the reason.',
    labelNames: ['reason'],
    registers,
  });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers });
  const orphans = gauge(
    'holdfast_lvm_orphans',
    'Mount points, and logical volumes with our tags, that belong to no volume.',
    'kind',
  );
  const groupSize = gauge('holdfast_lvm_group_size_bytes', 'How large a volume group is.', 'vg');
  const groupFree = gauge('holdfast_lvm_group_free_bytes', 'How much of a volume group is free.', 'vg');
  const poolSize = gauge('holdfast_lvm_thin_pool_size_bytes', 'How large a thin pool is.', 'vg', 'pool');
  const promised = gauge(
    'holdfast_lvm_thin_pool_promised_bytes',
    'How much the volumes of a thin pool have together.',
    'vg',
    'pool',
  );
  const data = gauge('holdfast_lvm_thin_pool_data_percent', 'How full the data of a thin pool are.', 'vg', 'pool');
  const metadata = gauge(
    'holdfast_lvm_thin_pool_metadata_percent',
    'How full the metadata of a thin pool are.',
    'vg',
    'pool',
  );
  return {
    ran: (program, end) => commands.inc({ program, end }),
    took: (step, outcome, took) => seconds.observe({ step, outcome }, took),
    failed: (reason) => failures.inc({ reason }),
    orphans: (kind, count) => orphans.set({ kind }, count),
    saw({ groups }) {
      for (const each of [groupSize, groupFree, poolSize, promised, data, metadata]) each.reset();
      for (const [vg, { sizeBytes, freeBytes, volumes }] of groups) {
        groupSize.set({ vg }, Number(sizeBytes));
        groupFree.set({ vg }, Number(freeBytes));
        for (const lv of volumes.values()) {
          const labels = { vg, pool: lv.name };
          if (lv.pool !== undefined) promised.inc({ vg, pool: lv.pool }, Number(lv.sizeBytes));
          if (lv.kind !== 'thin-pool') continue;
          poolSize.set(labels, Number(lv.sizeBytes));
          if (lv.dataPercent !== undefined) data.set(labels, lv.dataPercent);
          if (lv.metadataPercent !== undefined) metadata.set(labels, lv.metadataPercent);
        }
      }
    },
  };
}
