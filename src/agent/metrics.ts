/** What is counted of an agent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { AgentState } from '../pool-client/protocol.ts';
import type { StoreTotals } from './store.ts';

/** From a small blob in memory to a large one over a slow network. */
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600];
const STATES: readonly AgentState[] = ['Initializing', 'Ready', 'Decommissioning', 'Decommissioned'];
const METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export interface AgentMetrics {
  served(method: string, exchange: { status: number; bytesIn: number; bytesOut: number }, seconds: number): void;
  /** Someone was cut off for being slow. */
  slow(): void;
  corrupt(): void;
  scrubbed(bytes: number): void;
  scrubEnded(at: Date): void;
  /** What is looked at when the page is. */
  shows(agent: { readonly state: AgentState; totals(): StoreTotals; readonly uploads: number }): void;
}

export function agentMetrics(registry: Registry): AgentMetrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'holdfast_agent_requests_total',
    help: 'Requests by method and by what they were answered.',
    labelNames: ['method', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'holdfast_agent_request_seconds',
    help: 'How long requests took, with their bodies.',
    labelNames: ['method'],
    buckets: SECONDS,
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const bytesIn = counter('holdfast_agent_received_bytes_total', 'Bytes of blobs that have come in.');
  const bytesOut = counter('holdfast_agent_sent_bytes_total', 'Bytes of blobs that have gone out.');
  const slow = counter('holdfast_agent_slow_clients_total', 'Connections that were cut off for being slow.');
  const corrupt = counter(
    'holdfast_agent_corrupt_found_total',
    'Blobs that were found to be no longer what was stored.',
  );
  const scrubbed = counter('holdfast_agent_scrubbed_bytes_total', 'Bytes that the scrub has looked at.');
  const scrubEnded = new Gauge({
    name: 'holdfast_agent_last_scrub_timestamp_seconds',
    help: 'When the scrub had last looked at everything.',
    registers,
  });
  return {
    served(method, { status, bytesIn: into, bytesOut: out }, took) {
      const known = METHODS.has(method) ? method : 'other';
      requests.inc({ method: known, code: status });
      seconds.observe({ method: known }, took);
      bytesIn.inc(into);
      bytesOut.inc(out);
    },
    slow: () => slow.inc(),
    corrupt: () => corrupt.inc(),
    scrubbed: (bytes) => scrubbed.inc(bytes),
    scrubEnded: (at) => scrubEnded.set(at.getTime() / 1000),
    shows: (agent) => showStore(registers, agent),
  };
}

function showStore(
  registers: Registry[],
  agent: { readonly state: AgentState; totals(): StoreTotals; readonly uploads: number },
): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('holdfast_agent_blobs', 'Blobs that are stored.', () => agent.totals().blobs);
  gauge('holdfast_agent_bytes', 'Bytes of the blobs that are stored.', () => agent.totals().bytes);
  gauge('holdfast_agent_corrupt', 'Blobs that were put aside, and wait for a person.', () => agent.totals().corrupt);
  gauge('holdfast_agent_uploads', 'Blobs that are coming in.', () => agent.uploads);
  new Gauge({
    name: 'holdfast_agent_state',
    help: 'In which state the agent is.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of STATES) this.set({ state }, agent.state === state ? 1 : 0);
    },
  });
}
