/** What is counted: devices by how they stand, refusals by their fact, and what wipes cost. The first two gauges are the original's. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { WIPE_METHODS, type WipeMethod } from './contract.ts';
import type { Standings, State } from './standings.ts';

const STATES: readonly State['is'][] = [
  'available',
  'bound',
  'released',
  'new',
  'wiping',
  'refused',
  'failed',
  'planned',
];

/** From a head on a fast disk to the whole of a slow one. */
const BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 28_800, 86_400];

export interface DevicesMetrics {
  /** Whether there is a configuration that can be used, and how much is wrong with it. */
  configured(is: boolean, faults: number): void;
  wrote(method: WipeMethod, bytes: number): void;
  wiped(method: WipeMethod, outcome: 'verified' | 'failed', seconds: number): void;
}

export function devicesMetrics(registry: Registry, standings: Standings, node: string): DevicesMetrics {
  const registers = [registry];
  countAsTheOriginal(registry, standings, node);
  countStandings(registry, standings);
  const faults = new Gauge({
    name: 'holdfast_devices_configuration_faults',
    help: 'What is wrong with the configuration of the node. No device is touched until it is 0.',
    registers,
  });
  const configured = new Gauge({
    name: 'holdfast_devices_configured',
    help: 'Whether a ConfigMap that can be used says which devices of the node become volumes.',
    registers,
  });
  const bytes = new Counter({
    name: 'holdfast_devices_wiped_bytes_total',
    help: 'Bytes that wipes have gone over.',
    labelNames: ['method'],
    registers,
  });
  const seconds = new Histogram({
    name: 'holdfast_devices_wipe_seconds',
    help: 'How long wipes took, reading back included, by how they ended.',
    labelNames: ['method', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  faults.set(0);
  for (const method of WIPE_METHODS) bytes.inc({ method }, 0);
  return {
    configured(is, count) {
      configured.set(is ? 1 : 0);
      faults.set(count);
    },
    wrote: (method, count) => bytes.inc({ method }, count),
    wiped: (method, outcome, took) => seconds.observe({ method, outcome }, took),
  };
}

/** Each device is one or the other. */
function countAsTheOriginal(registry: Registry, standings: Standings, node: string): void {
  const count = (isError: boolean) =>
    standings.values().filter(({ state }) => isError === (state.is === 'failed' || state.is === 'refused')).length;
  const labelNames = ['node'];
  const registers = [registry];
  new Gauge({
    name: 'local_pv_provisioner_available_devices',
    help: 'Devices of the node that are volumes, or become volumes.',
    labelNames,
    registers,
    collect() {
      this.set({ node }, count(false));
    },
  });
  new Gauge({
    name: 'local_pv_provisioner_error_devices',
    help: 'Devices of the node that cannot be used, or cannot be wiped.',
    labelNames,
    registers,
    collect() {
      this.set({ node }, count(true));
    },
  });
}

/** Counted when somebody asks. */
function countStandings(registry: Registry, standings: Standings): void {
  const registers = [registry];
  new Gauge({
    name: 'holdfast_devices',
    help: 'Devices of the node, by how they stand.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of STATES) this.set({ state }, 0);
      for (const { state } of standings.values()) this.inc({ state: state.is });
    },
  });
  /** A series that was there stays, at 0: one that vanishes keeps its last value on dashboards for a while. */
  const seen = new Set<string>();
  new Gauge({
    name: 'holdfast_devices_refused',
    help: 'Devices that nothing is done to, by the fact that forbids it.',
    labelNames: ['reason'],
    registers,
    collect() {
      for (const reason of seen) this.set({ reason }, 0);
      for (const { state } of standings.values()) {
        if (state.is !== 'refused') continue;
        this.inc({ reason: state.fact });
        seen.add(state.fact);
      }
    },
  });
  new Gauge({
    name: 'holdfast_devices_wipe_progress_ratio',
    help: 'How far the wipe of a volume that is being recycled or made is.',
    labelNames: ['volume'],
    registers,
    collect() {
      this.reset();
      for (const { state, volume } of standings.values()) {
        if (state.is === 'wiping') this.set({ volume }, state.ofBytes === 0 ? 1 : state.doneBytes / state.ofBytes);
      }
    },
  });
}
