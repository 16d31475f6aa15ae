/** Every code that people can meet, whichever job it is of. */
import { explained as devices } from '../../devices/explanations.ts';
import type { Explained } from '../../kit/explanation.ts';
import { explained as lvm } from '../../lvm/explanations.ts';
import { explained as pool } from '../../pool/explanations.ts';
import { explained as sync } from '../../sync/explanations.ts';
import { explained as topology } from '../../topology/explanations.ts';
import { JOBS, type Job } from '../jobs.ts';

export interface Code extends Explained {
  readonly job: Job;
}

const BY_JOB: Readonly<Record<Job, readonly Explained[]>> = { topology, devices, lvm, pool, sync };

export const CODES: readonly Code[] = JOBS.flatMap((job) => BY_JOB[job].map((each) => ({ job, ...each })));

/** In any spelling of it, and in any case. Several when jobs have a code of the same name. */
export function codesNamed(typed: string): readonly Code[] {
  const exact = CODES.filter(({ code, also }) => [code, ...also].includes(typed));
  if (exact.length > 0) return exact;
  const wanted = typed.toLowerCase();
  return CODES.filter(({ code, also }) => [code, ...also].some((name) => name.toLowerCase() === wanted));
}

export const spellings = (): readonly string[] => CODES.flatMap(({ code, also }) => [code, ...also]);

/** What to do about a code that a job has told; nothing for one that this version does not know. */
export const remedyFor = (job: Job, typed: string | undefined): string | undefined =>
  typed === undefined ? undefined : codesNamed(typed).find((code) => code.job === job)?.remedy;
