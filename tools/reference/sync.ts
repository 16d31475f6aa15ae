/** Why an object of an export is not restored, and what to do about it, from the code. */
import { EVERY_FACT, remedyOf } from '../../src/sync/recover/refusals.ts';
import { code, table } from './table.ts';

export const syncRefusalTable = (): string =>
  table(
    ['fact', 'what to do'],
    EVERY_FACT.map((fact) => [code(fact), remedyOf({ fact }) ?? 'Nothing: it goes on by itself']),
  );
