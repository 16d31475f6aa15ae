/** What the doctor says at the end: every check with its verdict, how many of each there are, and whether that is well enough. */
import type { Finding, Fix, Judged, Severity } from './finding.ts';

/** From the worst on. What is not known is worse than what is only to be watched. */
export const LEVELS = ['error', 'unknown', 'warning', 'info'] as const;
export type Level = (typeof LEVELS)[number];

export interface Answer {
  /** Of everything that was looked at. */
  readonly counts: Readonly<Record<Level | 'ok', number>>;
  readonly checks: readonly Judged[];
}

export function answerOf(checks: readonly Judged[]): Answer {
  const severities = findingsIn(checks).map(({ severity }) => severity);
  const count = (wanted: Severity) => severities.filter((each) => each === wanted).length;
  const verdicts = (wanted: 'ok' | 'unknown') => checks.filter(({ verdict }) => verdict.is === wanted).length;
  return {
    counts: {
      error: count('error'),
      unknown: verdicts('unknown'),
      warning: count('warning'),
      info: count('info'),
      ok: verdicts('ok'),
    },
    checks,
  };
}

/** How many there are of the level that is not acceptable, and of those that are worse. */
export const worseThan = ({ counts }: Answer, level: Level): number =>
  LEVELS.slice(0, LEVELS.indexOf(level) + 1).reduce((sum, each) => sum + counts[each], 0);

const findingsIn = (checks: readonly Judged[]): readonly Finding[] =>
  checks.flatMap(({ verdict }) => (verdict.is === 'found' ? verdict.findings : []));

export interface Fixable {
  readonly finding: Finding;
  readonly fix: Fix;
}

export const fixablesIn = (checks: readonly Judged[]): readonly Fixable[] =>
  findingsIn(checks).flatMap((finding) => (finding.fix ? [{ finding, fix: finding.fix }] : []));
