/** What people should know about agents, whatever their job is: those that are not heard, and those that are heard twice. Pure. */
import { ago, inUnits } from '../in-words.ts';
import type { ReportHead } from './node-reports.ts';

export interface Reported<Read extends ReportHead = ReportHead> {
  readonly report: Read;
  /** Where it stands; nothing for one that was not read but made. */
  readonly namespace?: string | undefined;
}

/** What there is to know it from. */
export interface Heard<R extends Reported = Reported> {
  readonly reports: readonly R[];
  /** All nodes; nothing when they may not be read. */
  readonly nodes?: readonly string[] | undefined;
}

/** The agent writes at least every 5 minutes. One that was not heard twice in a row has a problem. */
const SILENT_AFTER_MS = 10 * 60_000;
export const isSilent = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) > SILENT_AFTER_MS;

/** Clocks differ, by less than this if all is well. */
const AHEAD_MS = 60_000;

/** Each as the end of a sentence that begins with the node. */
export function remarksOnAgent(
  { report: { node, at }, namespace }: Reported,
  { reports, nodes }: Heard,
  now: Date,
): readonly string[] {
  const others = reports.filter((each) => each.report.node === node && each.namespace !== namespace);
  return [
    ...(nodes && !nodes.includes(node) ? ['is no node of this cluster any more'] : []),
    ...others.map((each) => `has another report, in the namespace ${each.namespace}: only one of them is its agent's`),
    ...silence(now.getTime() - Date.parse(at)),
  ];
}

function silence(ageMs: number): readonly string[] {
  if (ageMs > SILENT_AFTER_MS) return [`was last heard ${ago(ageMs)}: what is shown may not be so any more`];
  return ageMs < -AHEAD_MS ? [`has a clock that is ${inUnits(-ageMs)} ahead of the cluster's`] : [];
}

export interface Sorted<R extends Reported> {
  readonly reports: readonly R[];
  /** Nodes that have volumes, and of which nobody reports. */
  readonly silent: readonly string[];
  /** Nodes that nothing at all is known of. */
  readonly withoutReport: readonly string[];
}

/** The nodes that are meant, all if none is named, by what is known of them. */
export function sortedByNews<R extends Reported>(
  { reports: all, nodes = [] }: Heard<R>,
  withVolumes: Iterable<string>,
  only: readonly string[],
): Sorted<R> {
  const isMeant = (node: string) => only.length === 0 || only.includes(node);
  const reports = all.filter(({ report }) => isMeant(report.node));
  const reported = new Set(reports.map(({ report }) => report.node));
  const silent = new Set([...withVolumes].filter((node) => isMeant(node) && !reported.has(node)));
  const withoutReport = new Set([...nodes, ...only].filter(isMeant)).difference(reported).difference(silent);
  return { reports, silent: [...silent], withoutReport: [...withoutReport].toSorted() };
}

/** Of a node that has volumes, and whose agent says nothing. */
export const noReport = (job: string): string => `has volumes and no report: does holdfast ${job} run there?`;

export const byNode = <T extends { readonly node: string; readonly namespace?: string | undefined }>(
  one: T,
  other: T,
): number => compare(one.node, other.node) || compare(one.namespace ?? '', other.namespace ?? '');

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
