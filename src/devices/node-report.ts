/** What the agent of a node tells everybody who may read it: a ConfigMap for each node, since only the node itself can look at its devices. */
import { z } from 'zod';
import type { ConfigMap } from '../api/config-maps.ts';
import { identitySchema } from './identity.ts';
import type { Standing, State } from './standings.ts';

export interface NodeReport {
  readonly node: string;
  /** When it was written. */
  readonly at: string;
  readonly version: string;
  /** Nothing is done, only planned. */
  readonly isDryRun: boolean;
  /** What is wrong with the configuration, or that there is none; then no device is touched. */
  readonly faults: readonly string[];
  /** What of the device directory could not be looked at. */
  readonly unseen: readonly string[];
  /** Sorted by path. */
  readonly devices: readonly Standing[];
  /** How many more there are than fit. */
  readonly leftOut: number;
}

/** Tells reports from other ConfigMaps, so that no agent has to read those of the other nodes. */
export const REPORT_LABEL = 'holdfast.dev/report';
export const REPORT_VALUE = 'devices';
const KEY = 'report.json';

/** An object may have a megabyte and a half; a report of a thousand devices has less than half of this. */
const MOST_BYTES = 900_000;
const MOST_DEVICES = 2_000;

/** The names of nodes are names of ConfigMaps, too, if they are not much too long. */
export const reportNameOf = (node: string): string => `holdfast-devices-${node}`;

export function reportMap(report: NodeReport, namespace: string): ConfigMap {
  return {
    metadata: { name: reportNameOf(report.node), namespace, labels: { [REPORT_LABEL]: REPORT_VALUE } },
    data: { [KEY]: formatted(report) },
  };
}

/** Rather fewer devices than none. */
function formatted(report: NodeReport): string {
  let devices = report.devices.slice(0, MOST_DEVICES);
  for (;;) {
    const leftOut = report.devices.length - devices.length;
    const text = JSON.stringify({ ...report, devices, leftOut });
    if (Buffer.byteLength(text) <= MOST_BYTES || devices.length === 0) return text;
    devices = devices.slice(0, Math.floor(devices.length / 2));
  }
}

/** As it is read by whoever shows it, who need not know every fact that a newer agent names. */
export interface ReadReport extends Omit<NodeReport, 'devices'> {
  readonly devices: readonly ReadStanding[];
}

export interface ReadStanding extends Omit<Standing, 'state'> {
  readonly state: ReadState;
}

type Refused = Extract<State, { is: 'refused' }>;
export type ReadState = Exclude<State, Refused> | (Omit<Refused, 'fact'> & { readonly fact: string });

const count = z.int().nonnegative();
const state = z.discriminatedUnion('is', [
  z.object({ is: z.literal('available') }),
  z.object({ is: z.literal('bound') }),
  z.object({ is: z.literal('released') }),
  z.object({ is: z.literal('new') }),
  z.object({ is: z.literal('wiping'), doneBytes: count, ofBytes: count }),
  z.object({
    is: z.literal('refused'),
    fact: z.string(),
    why: z.string(),
    remedy: z.string(),
    canBeApproved: z.boolean(),
  }),
  z.object({ is: z.literal('failed'), why: z.string() }),
  z.object({ is: z.literal('planned'), what: z.enum(['make', 'recycle']), method: z.string(), ofBytes: count }),
]);
/** The names of all volumes are like this, and people are asked to type them. */
const volumeName = z.string().regex(/^[a-z0-9.-]+$/);
const schema = z.object({
  node: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  isDryRun: z.boolean(),
  faults: z.array(z.string()),
  unseen: z.array(z.string()),
  devices: z.array(
    z.object({
      volume: volumeName,
      path: z.string(),
      state,
      sizeBytes: count.optional(),
      device: z.string().optional(),
      identity: identitySchema.optional(),
      holds: z.string().optional(),
      claim: z.string().optional(),
    }),
  ),
  leftOut: count,
});

/** Nothing for a ConfigMap that is no report, or one of another version, or one on another node than its name says. */
export function parseReport({ metadata, data }: ConfigMap): ReadReport | undefined {
  try {
    const report: ReadReport = schema.parse(JSON.parse(data?.[KEY] ?? ''));
    return metadata.name === reportNameOf(report.node) ? report : undefined;
  } catch {
    return undefined;
  }
}
