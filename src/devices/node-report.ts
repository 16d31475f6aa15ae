/** What the agent of a node reports on its devices. */
import * as z from 'zod';
import { NodeReports, type ReportHead } from '../kit/reports/node-reports.ts';
import { identitySchema } from './identity.ts';
import type { Stock } from './inventory.ts';
import type { Standing, State } from './standings.ts';

export interface NodeReport extends ReportHead {
  /** Nothing is done, only planned. */
  readonly isDryRun: boolean;
  /** What is wrong with the configuration, or that there is none; then no device is touched. */
  readonly faults: readonly string[];
  /** What of the device directory could not be looked at. */
  readonly unseen: readonly string[];
  /** Sorted by path. */
  readonly devices: readonly Standing[];
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
const partition = z.object({
  name: z.string(),
  startBytes: count,
  sizeBytes: count,
  heldBy: z.string().optional(),
});
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
      partitions: z.array(partition).optional(),
      partitionCount: count.optional(),
    }),
  ),
  leftOut: count,
});

export const devicesReports = new NodeReports<ReadReport, 'devices'>({
  job: 'devices',
  rows: 'devices',
  leftOutFirst: 'partitions',
  schema,
});

/** What is reported of what was found, and of how it stands. */
export const reportOn = (
  stock: Stock | undefined,
  standings: readonly Standing[],
  head: Pick<NodeReport, 'node' | 'at' | 'version' | 'isDryRun'>,
): NodeReport => ({
  ...head,
  faults: stock ? faultsOf(stock) : [],
  unseen: stock?.unseen ?? [],
  devices: standings.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  leftOut: 0,
});

function faultsOf({ configuration }: Stock): readonly string[] {
  if (configuration.is === 'wrong') return configuration.faults;
  return configuration.is === 'none' ? [configuration.why] : [];
}
