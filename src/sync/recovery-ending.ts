/** How a look at the exports ended, in the words of the status. */
import type { SyncSpec, SyncStatus } from './contract.ts';
import type { Reason } from './reasons.ts';
import type { BelievedExport, Disbelief } from './recover/found.ts';
import type { RecoveryPlan, RefusedTarget } from './recover/plan.ts';
import { remedyOf } from './recover/refusals.ts';
import type { Failure, Written } from './recover/writing.ts';
import type { Ending, Managed, Standing } from './status.ts';
import { capitalized, type Trouble } from './trouble.ts';

const is = (reason: Reason, message: string): Standing => ({ status: 'True', reason, message });
const isNot = (reason: Reason, message: string): Standing => ({ status: 'False', reason, message });

/** The store cannot be asked. */
export const troubleEnding = ({ reason, message }: Trouble): Ending => ({
  succeeded: false,
  errorMessage: message,
  conditions: { InSync: isNot(reason, message) },
  known: {},
});

export const waitingEnding = ({
  why,
  pointerSeen,
}: {
  readonly why: string;
  readonly pointerSeen: boolean;
}): Ending => ({
  succeeded: false,
  errorMessage: `waiting for an export: ${why}`,
  conditions: { InSync: isNot('WaitingForExport', why), WaitingForExport: is('NoExportYet', why) },
  known: seen(pointerSeen),
});

/** A failover was begun and has not ended yet: what was restored is to be exported from here, and must not be made like an export again. */
export function ownEnding({ protectedCluster }: SyncSpec, { epoch }: { readonly epoch: number }): Ending {
  const message = `this cluster itself is the writer of ${protectedCluster}, under epoch ${epoch}: nothing is restored. A failover that was cut off is ended by running it again`;
  return {
    succeeded: false,
    errorMessage: message,
    conditions: { InSync: isNot('FailoverUnderWay', message) },
    known: seen(true),
  };
}

/** Nothing that was restored is touched on the word of such an export. */
export function refusedEnding({
  fact,
  why,
  remedy,
  pointerSeen,
}: Disbelief & { readonly pointerSeen: boolean }): Ending {
  const message = `${why}. ${remedy}`;
  const reason = capitalized(fact);
  return {
    succeeded: false,
    errorMessage: message,
    conditions: { InSync: isNot(reason, message), Refused: is(reason, message) },
    known: seen(pointerSeen),
    facts: new Map([[fact, 1]]),
  };
}

export function dryRunEnding(plan: RecoveryPlan, { pointerSeen }: { readonly pointerSeen: boolean }): Ending {
  const message = `dry run, nothing is written: ${inNumbers(plan)}`;
  const conditions = { InSync: isNot('DryRun', message) };
  return { succeeded: true, conditions, known: seen(pointerSeen), facts: factsOf(plan) };
}

export interface Restored {
  readonly found: BelievedExport & { readonly pointerSeen: boolean };
  readonly plan: RecoveryPlan;
  readonly written: Written;
  readonly managed: Managed;
  /** How long it took from the first look at the store on, if all of it was created. */
  readonly seconds: number | undefined;
}

export function restoredEnding({ found, plan, written, managed, seconds }: Restored): Ending {
  const problems = problemsOf(plan, written);
  const message = problems.map(({ message: each }) => each).join('; ');
  const first = problems[0];
  const isWhole = written.failures.length === 0 && !plan.held;
  return {
    succeeded: first === undefined,
    ...(first && { errorMessage: message }),
    conditions: first
      ? { InSync: isNot(first.reason, message), Refused: is(first.reason, message) }
      : { InSync: is('InSync', `all that is in ${found.key} is restored${leftInWords(plan)}`) },
    known: {
      ...seen(found.pointerSeen),
      ...(isWhole && { export: exportOf(found) }),
      ...(seconds !== undefined && { rtoSeconds: Math.round(seconds * 10) / 10 }),
    },
    managed,
    facts: factsOf(plan, written),
  };
}

/** What somebody else has made here is not ours, and not taken over, however much it looks like what was exported. */
function leftInWords({ present: [first, ...more] }: RecoveryPlan): string {
  if (!first) return '';
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `, but ${first.kind} ${first.key}${others}, which somebody else has made here: that is left as it is`;
}

const seen = (pointerSeen: boolean): Pick<SyncStatus, 'pointerSeen'> => (pointerSeen ? { pointerSeen } : {});

function exportOf({ key, sha256, exportedAt, confirmedAt, epoch, sequence }: BelievedExport) {
  return {
    key,
    sha256,
    exportedAt,
    ...(epoch !== undefined && { epoch }),
    ...(sequence !== undefined && { sequence }),
    ...(confirmedAt !== undefined && { confirmedAt }),
  };
}

interface Problem {
  readonly reason: Reason;
  readonly message: string;
}

/** The one that weighs most first. Of the same fact one object is named, and the others are counted. */
function problemsOf({ held, refused }: RecoveryPlan, { failures }: Written): readonly Problem[] {
  const byFact = Map.groupBy(refused.filter(isLasting), ({ fact }) => fact);
  return [
    ...(held ? [{ reason: 'MassDeletion' as const, message: `${held.message}. ${held.remedy}` }] : []),
    ...failuresInWords(failures),
    ...byFact.entries().map(([fact, all]) => ({ reason: capitalized(fact), message: inWords(all) })),
  ];
}

/** What goes on by itself is nobody's problem. */
const isLasting = (target: RefusedTarget): boolean => remedyOf(target) !== undefined;

function inWords(all: readonly RefusedTarget[]): string {
  const [first] = all;
  if (!first) return '';
  const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
  return `${first.message}${more}. ${remedyOf(first)}`;
}

function failuresInWords(failures: readonly Failure[]): readonly Problem[] {
  const [first] = failures;
  if (!first) return [];
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : '';
  const message = `cannot ${first.doing} ${first.kind} ${first.key}: ${first.error.message}${more}. It is tried again`;
  return [{ reason: 'WriteFailed', message }];
}

function factsOf({ refused, held }: RecoveryPlan, written?: Written): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { fact } of refused) counts.set(fact, (counts.get(fact) ?? 0) + 1);
  if (held) counts.set('massDeletion', held.remove.length);
  if (written && written.failures.length > 0) counts.set('writeFailed', written.failures.length);
  return counts;
}

function inNumbers({ refused, same, held, ...plan }: RecoveryPlan): string {
  const { create, change, remove } = held ?? plan;
  const parts = [
    `${create.length} to create`,
    `${change.length} to change`,
    `${remove.length} to remove`,
    `${same.volumes + same.claims} as they should be`,
    `${refused.length} refused`,
  ];
  return parts.join(', ');
}
