/** What the agent of a node reports: the volume groups that it has, and how each of its volumes stands. */
import * as z from 'zod';
import { NodeReports, type ReportHead } from '../kit/reports/node-reports.ts';
import type { LogicalVolume, Lvm, VolumeGroup } from './facts.ts';
import type { Standing, State } from './standings.ts';

export interface NodeReport extends ReportHead {
  /** What could not be looked at. */
  readonly unseen: readonly string[];
  /** Sorted by name. Nothing as long as nobody has looked. */
  readonly groups: readonly ReportedGroup[];
  /** Sorted by name. */
  readonly volumes: readonly ReportedVolume[];
}

export interface ReportedGroup {
  readonly name: string;
  readonly sizeBytes: number;
  readonly freeBytes: number;
  readonly missingDisks: number;
  readonly pools: readonly ReportedPool[];
}

export interface ReportedPool {
  readonly name: string;
  readonly sizeBytes: number;
  /** What its volumes have together. */
  readonly promisedBytes: number;
  /** Where the kernel tells. */
  readonly dataPercent?: number | undefined;
  readonly metadataPercent?: number | undefined;
}

export interface ReportedVolume extends Omit<Standing, 'bytes'> {
  readonly sizeBytes?: number | undefined;
}

const bytes = z.number().nonnegative();
const percent = z.number().nonnegative().optional();
const state: z.ZodType<State> = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ready') }),
  z.object({ is: z.literal('working'), step: z.string() }),
  z.object({ is: z.literal('removing'), step: z.string(), percent: z.number().optional() }),
  z.object({ is: z.literal('waiting'), why: z.string() }),
  z.object({ is: z.literal('refused'), fact: z.string(), why: z.string(), remedy: z.string() }),
  z.object({ is: z.literal('failed'), why: z.string() }),
]);
/** The names of all volumes are like this. */
const volumeName = z.string().regex(/^[a-z0-9.-]+$/);
const schema: z.ZodType<NodeReport> = z.object({
  node: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  unseen: z.array(z.string()),
  groups: z.array(
    z.object({
      name: z.string(),
      sizeBytes: bytes,
      freeBytes: bytes,
      missingDisks: z.int().nonnegative(),
      pools: z.array(
        z.object({
          name: z.string(),
          sizeBytes: bytes,
          promisedBytes: bytes,
          dataPercent: percent,
          metadataPercent: percent,
        }),
      ),
    }),
  ),
  volumes: z.array(
    z.object({
      volume: volumeName,
      state,
      vg: z.string().optional(),
      path: z.string().optional(),
      sizeBytes: bytes.optional(),
      claim: z.string().optional(),
    }),
  ),
  leftOut: z.int().nonnegative(),
});

export const lvmReports = new NodeReports({ job: 'lvm', rows: 'volumes', schema });

export const reportedGroups = ({ groups }: Lvm): readonly ReportedGroup[] =>
  [...groups.values()].map(reportedGroup).toSorted(byName);

function reportedGroup({ name, sizeBytes, freeBytes, missingDisks, volumes }: VolumeGroup): ReportedGroup {
  const all = [...volumes.values()];
  const pools = all.filter(({ kind }) => kind === 'thin-pool').map((pool) => reportedPool(pool, all));
  return {
    name,
    sizeBytes: Number(sizeBytes),
    freeBytes: Number(freeBytes),
    missingDisks,
    pools: pools.toSorted(byName),
  };
}

function reportedPool(pool: LogicalVolume, all: readonly LogicalVolume[]): ReportedPool {
  const { name, sizeBytes, dataPercent, metadataPercent } = pool;
  const promised = all.filter((each) => each.pool === name).reduce((sum, each) => sum + each.sizeBytes, 0n);
  return {
    name,
    sizeBytes: Number(sizeBytes),
    promisedBytes: Number(promised),
    ...(dataPercent !== undefined && { dataPercent }),
    ...(metadataPercent !== undefined && { metadataPercent }),
  };
}

export const reportedVolumes = (standings: readonly Standing[]): readonly ReportedVolume[] =>
  standings
    .map(({ bytes: size, ...standing }) => ({
      ...standing,
      ...(size !== undefined && { sizeBytes: Number(size) }),
    }))
    .toSorted((one, other) => (one.volume < other.volume ? -1 : 1));

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;
