/** `holdfast explain CODE`: what a word means that people meet in Events, conditions, reports and logs, and what to do about it. */
import { runs } from '../flags/options.ts';
import { isJob, JOBS } from '../jobs.ts';
import type { Define } from '../line/command.ts';
import { completes } from '../line/completes.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { nearest } from '../nearest.ts';
import { asPage, pageFlag } from '../output.ts';
import { type Page, type Tone, toned, wide } from '../page/page.ts';
import { CODES, type Code, codesNamed, spellings } from './codes.ts';

export const define: Define = (command, terminal) => {
  command
    .usage('[CODE | JOB] [flags]')
    .argument('[code]', 'a code such as isMounted, in any spelling; a job for all of its codes; nothing for all');
  completes(command, () => [...JOBS, ...spellings()]);
  addExamples(command, {
    'holdfast explain isMounted': 'what it means, why nothing is done, and what to do',
    'holdfast explain DeviceIsMounted': 'the same, as an Event spells it',
    'holdfast explain pool': 'all codes of a job',
    'holdfast explain': 'all codes that there are',
  });
  runs(command, { output: pageFlag }, terminal, async ({ output }) => {
    const [typed] = command.args;
    const codes = meant(typed);
    const isOne = typed !== undefined && !isJob(typed);
    terminal.stdout.write(await asPage(codes, output, terminal, isOne ? inFull : asList));
  });
};

function meant(typed: string | undefined): readonly Code[] {
  if (typed === undefined) return CODES;
  if (isJob(typed)) return CODES.filter(({ job }) => job === typed);
  const codes = codesNamed(typed);
  if (codes.length > 0) return codes;
  const near = nearest(typed, spellings());
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'holdfast explain alone lists all';
  throw new UsageError(`there is no code ${JSON.stringify(typed.slice(0, 100))}; ${hint}`);
}

export const TONES = { refused: 'bad', failed: 'bad', waits: 'warn', news: 'good' } as const satisfies Record<
  Code['kind'],
  Tone
>;

const KINDS: Readonly<Record<Code['kind'], string>> = {
  refused: 'refused: a person has to act',
  failed: 'failed: it is tried again',
  waits: 'waits: it goes on by itself',
  news: 'news: it is only told',
};

const inFull = (codes: readonly Code[]): Page =>
  codes.map(({ job, code, also, kind, means, why, remedy }) => ({
    title: `${code} (${job})`,
    sentences: [
      ...(also.length > 0 ? [toned(`also spelt    ${also.join(', ')}`, 'dim')] : []),
      toned(KINDS[kind], TONES[kind]),
      `What it means: ${means}`,
      `Why:           ${why}`,
      `What to do:    ${remedy}`,
    ],
  }));

const asList = (codes: readonly Code[]): Page => [
  {
    columns: ['JOB', 'CODE', 'KIND', wide('ALSO SPELT'), wide('WHAT TO DO'), 'WHAT IT MEANS'],
    rows: codes.map(({ job, code, kind, also, remedy, means }) => [
      job,
      code,
      toned(kind, TONES[kind]),
      also.join(', '),
      remedy,
      means,
    ]),
  },
  { sentences: ['holdfast explain CODE says why, and what to do.'] },
];
