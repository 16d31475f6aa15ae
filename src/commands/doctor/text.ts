/** The doctor's answer for people: what is wrong first, with what was seen and what to do; then what is not known; then what is well. */

import { type Answer, LEVELS } from '../../doctor/answer.ts';
import type { Judged, Severity } from '../../doctor/finding.ts';
import { SEVERITIES } from '../../doctor/finding.ts';
import { visible } from '../../kit/visible.ts';

export function answerText({ counts, checks }: Answer, all: boolean): string {
  const summary = [...LEVELS, 'ok' as const].map((level) => `${counts[level]} ${level}`).join(', ');
  const blocks = [
    ...SEVERITIES.flatMap((severity) => checks.flatMap((each) => findings(each, severity))),
    ...checks.flatMap(unknowns),
    ...(all ? checks.flatMap(wells) : []),
  ];
  return `${checks.length} checks: ${summary}\n${blocks.map((block) => `\n${block}`).join('')}`;
}

const findings = ({ check, verdict }: Judged, wanted: Severity): readonly string[] =>
  verdict.is !== 'found'
    ? []
    : verdict.findings
        .filter(({ severity }) => severity === wanted)
        .map(({ severity, subject, evidence, remedy, fix }) =>
          lines(
            `${severity.toUpperCase()} ${check}: ${subject}`,
            evidence,
            `do: ${remedy}${fix ? ' (or: holdfast doctor --fix)' : ''}`,
          ),
        );

const unknowns = ({ check, verdict }: Judged): readonly string[] =>
  verdict.is === 'unknown' ? [lines(`UNKNOWN ${check}`, verdict.why)] : [];

const wells = ({ check, verdict }: Judged): readonly string[] =>
  verdict.is === 'ok' ? [lines(`OK ${check}`, verdict.why)] : [];

const lines = (first: string, ...others: readonly string[]): string =>
  [first, ...others.map((each) => `  ${each}`)].map((line) => `${blank(line)}${visible(line.trimStart())}\n`).join('');

const blank = (line: string): string => line.slice(0, line.length - line.trimStart().length);
