/** `holdfast status`: all jobs on one screen. Is all well, what needs a person, and what goes on now? */
import { hasReason } from '../../kit/kube/api-error.ts';
import { ConnectionError } from '../../kit/kube/transport.ts';
import { JOBS } from '../jobs.ts';
import type { Terminal } from '../line/command.ts';
import { type Page, type Tone, toned } from '../page/page.ts';
import { shown } from '../page/render.ts';
import type { Where } from '../reports/read.ts';
import type { TimedVisitor } from '../visit.ts';
import { devices } from './devices.ts';
import { lvm } from './lvm.ts';
import { pool } from './pool.ts';
import { asSentence, type Health, type JobStatus, type Need, type Summary, unseen } from './summary.ts';
import { sync } from './sync.ts';
import { topology } from './topology.ts';

export interface Overview {
  /** Whether a person has to do anything, as far as it could be looked at. */
  readonly needsAPerson: boolean;
  readonly jobs: readonly Summary[];
}

/** Each job is looked at by itself: what is wrong with one keeps nobody from seeing the others. */
export async function lookAtAll(visitor: TimedVisitor, where: Where, terminal: Terminal): Promise<Overview> {
  const looks = { topology, devices, lvm, pool, sync };
  const jobs = await Promise.all(
    JOBS.map((job) => summaryFor(looks[job] as JobStatus<unknown>, visitor, where, terminal)),
  );
  return { needsAPerson: jobs.some(({ needs }) => needs.length > 0), jobs };
}

/** A cluster that does not answer, does not know us, or is none, is nothing that could be said of one job. */
async function summaryFor<S>(
  { job, look, summary }: JobStatus<S>,
  visitor: TimedVisitor,
  where: Where,
  terminal: Terminal,
): Promise<Summary> {
  try {
    return summary(await look(visitor, where, terminal));
  } catch (error) {
    visitor.signal.throwIfAborted();
    if (error instanceof ConnectionError || hasReason(error, 'Unauthorized')) throw error;
    return unseen(job, error);
  }
}

const TONES: Readonly<Record<Health, Tone>> = {
  well: 'good',
  busy: 'warn',
  'needs a person': 'bad',
  absent: 'dim',
  unknown: 'bad',
};

const MOST_LINES = 20;

export function overviewPage({ jobs }: Overview): Page {
  const needs = jobs.flatMap((each) => each.needs);
  const now = jobs.flatMap((each) => each.now.map((line) => `${each.job}: ${shown(line)}`));
  return [
    {
      columns: ['JOB', 'HEALTH', 'WHAT THERE IS'],
      rows: jobs.map(({ job, health, sentence }) => [job, toned(health, TONES[health]), sentence]),
    },
    { title: 'NEEDS A PERSON', sentences: limited(needs.map(inWords), 'holdfast status JOB shows all') },
    { title: 'GOING ON NOW', sentences: limited(now, 'holdfast status JOB shows all') },
  ];
}

const limited = (lines: readonly string[], more: string): readonly string[] =>
  lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more: ${more}`];

/** `devices: node-1: /dev/sdb is mounted at /data. Unmount it. (holdfast explain isMounted)`. */
function inWords({ job, what, remedy, code }: Need): string {
  const said = asSentence(shown(what));
  const toDo = what.includes(remedy.replace(/\.$/, '')) ? '' : ` ${shown(remedy)}`;
  const hint = code === undefined ? '' : ` (holdfast explain ${shown(code)})`;
  return `${job}: ${said}${toDo}${hint}`;
}
