/**
 * What the agent of a node tells everybody who may read it: a ConfigMap for each job and node, since only the node itself can look at
 * what it has.
 */
import type { z } from 'zod';
import type { KubeObject } from '../kube/resource.ts';

/** What stands in every report. */
export interface ReportHead {
  readonly node: string;
  /** When it was written. */
  readonly at: string;
  readonly version: string;
  /** How many more there are than fit. */
  readonly leftOut: number;
}

/** As much of a ConfigMap as a report is. */
export interface ReportMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface ReportKind<Read, Rows extends string> {
  /** As in `holdfast JOB`. */
  readonly job: string;
  /** The name of its list: where a report does not fit, some of that are left out. */
  readonly rows: Rows;
  /** A field of its rows that these can do without: where a report does not fit, all have it or none. */
  readonly leftOutFirst?: string;
  /** What it is for a reader, who need not know all that a newer agent says. */
  readonly schema: z.ZodType<Read>;
}

type WithRows<Rows extends string> = ReportHead & Readonly<Record<Rows, readonly object[]>>;

/** Tells reports from other ConfigMaps, so that no agent has to read those of the other nodes. */
export const REPORT_LABEL = 'holdfast.dev/report';
const KEY = 'report.json';

/** An object may have a megabyte and a half; a report of a thousand devices has less than half of this. */
const MOST_BYTES = 900_000;
const MOST_ROWS = 2_000;

/** As much as every report says, of whatever job and version it is. Nothing for a ConfigMap that is no report. */
export function reportHead({
  metadata,
  data,
}: ReportMap): (Partial<ReportHead> & { readonly job: string }) | undefined {
  const job = metadata.labels?.[REPORT_LABEL];
  if (job === undefined) return undefined;
  try {
    const said = Object(JSON.parse(data?.[KEY] ?? '')) as Readonly<Record<string, unknown>>;
    const texts = ['node', 'at', 'version'].filter((field) => typeof said[field] === 'string');
    return { job, ...Object.fromEntries(texts.map((field) => [field, said[field]])) };
  } catch {
    return { job };
  }
}

/** The reports of one job. */
export class NodeReports<Read extends ReportHead, Rows extends string> {
  readonly #kind: ReportKind<Read, Rows>;

  constructor(kind: ReportKind<Read, Rows>) {
    this.#kind = kind;
  }

  get job(): string {
    return this.#kind.job;
  }

  /** Of all nodes. */
  get labelSelector(): string {
    return `${REPORT_LABEL}=${this.job}`;
  }

  /** The names of nodes are names of ConfigMaps, too, if they are not much too long. */
  nameOf(node: string): string {
    return `holdfast-${this.job}-${node}`;
  }

  mapOf<Written extends WithRows<Rows>>(report: Written, namespace: string): ReportMap {
    return {
      metadata: { name: this.nameOf(report.node), namespace, labels: { [REPORT_LABEL]: this.job } },
      data: { [KEY]: this.#formatted(report) },
    };
  }

  /** Nothing for a ConfigMap that is no report, or one of another version, or one on another node than its name says. */
  parse({ metadata, data }: ReportMap): Read | undefined {
    try {
      const report = this.#kind.schema.parse(JSON.parse(data?.[KEY] ?? ''));
      return metadata.name === this.nameOf(report.node) ? report : undefined;
    } catch {
      return undefined;
    }
  }

  /** Rather rows that say less than fewer rows, and rather fewer rows than none. */
  #formatted(report: WithRows<Rows>): string {
    const { rows: name, leftOutFirst = '' } = this.#kind;
    const all = report[name];
    let rows = all.slice(0, MOST_ROWS);
    for (let isWhole = true; ; isWhole = false) {
      const text = JSON.stringify({ ...report, [name]: rows, leftOut: all.length - rows.length });
      if (Buffer.byteLength(text) <= MOST_BYTES || rows.length === 0) return text;
      rows = isWhole
        ? rows.map((row) => ({ ...row, [leftOutFirst]: undefined }))
        : rows.slice(0, Math.floor(rows.length / 2));
    }
  }
}
