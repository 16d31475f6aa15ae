/** What a check comes to: that all is well, what was found and what to do about it, or that it could not be told, and why. */
import type { KubeObject, Ref, Resource } from '../kit/kube/resource.ts';

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  readonly severity: Severity;
  /** What it is about, such as `volume data-0`. */
  readonly subject: string;
  /** What was seen, as a sentence. */
  readonly evidence: string;
  /** What a person can do about it. */
  readonly remedy: string;
  /** How it can be put right without harm; missing where that takes a person. */
  readonly fix?: Fix;
}

export type Fix =
  /** Only if it is still the object that was looked at. */
  | {
      readonly does: 'delete';
      readonly resource: Resource;
      readonly ref: Ref;
      readonly uid: string;
      readonly resourceVersion: string;
    }
  /** Makes exactly what it says so, only if it is still the object that was looked at: it names its uid and resourceVersion. */
  | { readonly does: 'apply'; readonly resource: Resource; readonly object: KubeObject };

export type Verdict =
  | { readonly is: 'ok'; readonly why: string }
  | { readonly is: 'found'; readonly findings: readonly [Finding, ...Finding[]] }
  /** What cannot be looked at is never taken for well. */
  | { readonly is: 'unknown'; readonly why: string };

/** A named fact, and what its verdict is on what was seen. */
export interface Check<Seen> {
  /** Stands in the answer, and in docs/doctor.md. */
  readonly name: string;
  readonly judge: (seen: Seen) => Verdict;
}

export interface Judged {
  readonly check: string;
  readonly verdict: Verdict;
}

export const judgeAll = <Seen>(checks: readonly Check<Seen>[], seen: Seen): readonly Judged[] =>
  checks.map(({ name, judge }) => ({ check: name, verdict: judge(seen) }));

/** All is well unless something was found. */
export function verdictOn(findings: readonly Finding[], otherwise: string): Verdict {
  const [first, ...others] = findings.toSorted(bySeverity);
  return first ? { is: 'found', findings: [first, ...others] } : { is: 'ok', why: otherwise };
}

const bySeverity = (one: Finding, other: Finding): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity);

export const unknown = (why: string): Verdict => ({ is: 'unknown', why });
