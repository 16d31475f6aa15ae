/** Something that could not be had: what the server said, and a way to try again. */
import type { ComponentChildren } from 'preact';
import { HealthShape } from './health-mark.tsx';

interface ProblemProps {
  readonly title: string;
  readonly why: string;
  readonly children?: ComponentChildren;
}

export function Problem({ title, why, children }: ProblemProps) {
  return (
    <div class="problem" role="alert">
      <HealthShape health="failed" />
      <div>
        <p class="problem-title">{title}</p>
        <p>{why}</p>
        {children}
      </div>
    </div>
  );
}

export const whyOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
