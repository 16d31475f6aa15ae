/** What the agent of a node tells everybody who may read it: a ConfigMap for each node, since only the node itself can look at its devices. */
import { z } from 'zod';
import type { ConfigMap } from '../api/config-maps.ts';
import { identitySchema } from './identity.ts';
import type { Standing } from './standings.ts';

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

const state = z.discriminatedUnion('is', [
  z.object({ is: z.literal('available') }),
  z.object({ is: z.literal('bound') }),
  z.object({ is: z.literal('released') }),
  z.object({ is: z.literal('new') }),
  z.object({ is: z.literal('wiping'), doneBytes: z.number(), ofBytes: z.number() }),
  z.object({
    is: z.literal('refused'),
    fact: z.string(),
    why: z.string(),
    remedy: z.string(),
    canBeApproved: z.boolean(),
  }),
  z.object({ is: z.literal('failed'), why: z.string() }),
  z.object({
    is: z.literal('planned'),
    what: z.enum(['make', 'recycle']),
    method: z.string(),
    ofBytes: z.number(),
  }),
]);
const schema = z.object({
  node: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  isDryRun: z.boolean(),
  faults: z.array(z.string()),
  unseen: z.array(z.string()),
  devices: z.array(
    z.object({
      volume: z.string(),
      path: z.string(),
      state,
      sizeBytes: z.number().optional(),
      device: z.string().optional(),
      identity: identitySchema.optional(),
      holds: z.string().optional(),
      claim: z.string().optional(),
    }),
  ),
  leftOut: z.number(),
});

/** As it is read by whoever shows it, who need not know every fact that a newer agent names. */
export type ReadReport = z.infer<typeof schema>;

/** Nothing for a ConfigMap that is no report, or one of another version. */
export function parseReport({ data }: ConfigMap): ReadReport | undefined {
  try {
    return schema.parse(JSON.parse(data?.[KEY] ?? ''));
  } catch {
    return undefined;
  }
}
