/** Every code that people can meet, from the code. */
import { CODES } from '../../src/commands/explain/codes.ts';
import type { Job } from '../../src/commands/jobs.ts';
import { code, table } from './table.ts';

export const codeTable = (job: Job): string =>
  table(
    ['code', 'kind', 'what it means', 'why', 'what to do'],
    CODES.filter((each) => each.job === job).map(({ code: name, also, kind, means, why, remedy }) => [
      [name, ...also].map(code).join(', '),
      kind,
      ...[means, why, remedy].map((text) => text.replaceAll('|', '\\|')),
    ]),
  );
