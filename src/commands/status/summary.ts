/** How a job stands, in short: what `holdfast status` shows of each. */
import { hasReason } from '../../kit/kube/api-error.ts';
import type { Job } from '../jobs.ts';
import type { Terminal } from '../line/command.ts';
import type { Verdict } from '../line/verdict.ts';
import { notInstalled } from '../not-installed.ts';
import type { Page } from '../page/page.ts';
import type { Where } from '../reports/read.ts';
import type { TimedVisitor } from '../visit.ts';

/** `busy`: something goes on by itself. `absent`: it does not run here. `unknown`: it could not be looked at. */
export type Health = 'well' | 'busy' | 'needs a person' | 'absent' | 'unknown';

/** What only a person can do. */
export interface Need {
  readonly job: Job;
  /** What is so, of which object, as a sentence without its full stop: `node-1: /dev/sdb is mounted at /data`. */
  readonly what: string;
  /** As a sentence. */
  readonly remedy: string;
  /** For `holdfast explain`. */
  readonly code?: string | undefined;
}

export interface Summary {
  readonly job: Job;
  readonly health: Health;
  readonly sentence: string;
  readonly needs: readonly Need[];
  /** What goes on now, a line for each. */
  readonly now: readonly string[];
}

/** All that the commands have to know of a job to show how it stands. */
export interface JobStatus<Status> {
  readonly job: Job;
  /** What may not be read, and can be done without, is said on standard error. */
  readonly look: (visitor: TimedVisitor, where: Where, terminal: Terminal) => Promise<Status>;
  readonly page: (status: Status) => Page;
  readonly summary: (status: Status) => Summary;
}

/** With the health that follows from what there is to tell. */
export function summaryOf(job: Job, sentence: string, needs: readonly Need[], now: readonly string[] = []): Summary {
  const health = needs.length > 0 ? 'needs a person' : now.length > 0 ? 'busy' : 'well';
  return { job, health, sentence, needs, now };
}

export const absent = (job: Job, sentence: string): Summary => ({
  job,
  health: 'absent',
  sentence,
  needs: [],
  now: [],
});

/** That one job cannot be looked at is said in a line, and keeps nobody from seeing the others. */
export function unseen(job: Job, error: unknown): Summary {
  if (hasReason(error, 'NotFound')) return absent(job, notInstalled(job, error));
  const why = error instanceof Error ? error.message : String(error);
  return { job, health: 'unknown', sentence: why, needs: [], now: [] };
}

/** What a script is told: what is known to need a person counts more than what is not known. */
export function verdictOn(jobs: readonly Summary[]): Verdict {
  if (jobs.some(({ needs }) => needs.length > 0)) return 'needs a person';
  return jobs.some(({ health }) => health === 'unknown') ? 'unknown' : 'well';
}

/** With its full stop, whether it had one or not. */
export const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
