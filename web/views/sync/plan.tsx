/** What a recovery would do now, as a diff. It is worked out when asked for: it reads the whole export. */
import { useCallback, useState } from 'preact/hooks';
import type { PlanStep, RecoveryPlan } from '../../../src/console/model.ts';
import { usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Bone, numbered, uneven } from '../../parts/bones.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem, whyOf } from '../../parts/problem.tsx';
import { count, counted } from '../../words/numbers.ts';
import { useAsked } from '../asked.ts';

export function Plan({ name }: { readonly name: string }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <div class="plan">
      <h3>Recovery plan</h3>
      {isWanted ? (
        <WorkedOut name={name} />
      ) : (
        <p class="plan-ask">
          <span class="quiet-text">What a recovery from the newest export would do to this cluster now.</span>
          <button type="button" class="button" onClick={() => setWanted(true)}>
            Work out the plan
          </button>
        </p>
      )}
    </div>
  );
}

function WorkedOut({ name }: { readonly name: string }) {
  const { service, cluster } = usePage();
  const ask = useCallback((signal: AbortSignal) => service.plan(cluster, name, signal), [service, cluster, name]);
  const { value: plan, problem, isOnItsWay, again } = useAsked(ask);
  return (
    <>
      {problem !== undefined && <Problem title="There is no plan" why={whyOf(problem)} />}
      {plan ? <Steps plan={plan} /> : isOnItsWay && <Reading />}
      <button type="button" class="quiet" onClick={again} disabled={isOnItsWay}>
        <Icon name="refresh" /> Work it out again
      </button>
    </>
  );
}

function Reading() {
  return (
    <>
      <p class="plan-counts quiet-text" role="status">
        Reading the newest export, and what this cluster has…
      </p>
      <div class="waiting steps" aria-hidden="true">
        {numbered(3).map((step) => (
          <div key={step} class="step">
            <Bone rem={24 * uneven(step)} />
          </div>
        ))}
      </div>
    </>
  );
}

const COUNTS = ['create', 'change', 'delete', 'refuse', 'same'] as const;
const SIGNS = { create: '+', change: '~', delete: '−', refuse: '!', same: '=' } as const;

function Steps({ plan }: { readonly plan: RecoveryPlan }) {
  const { at, problem, counts, steps } = plan;
  if (problem !== undefined) return <Problem title="There is no plan" why={problem} />;
  const isNothing = steps.length === 0;
  const all = counts.create + counts.change + counts.delete + counts.refuse;
  return (
    <>
      <ul class="plan-counts">
        {COUNTS.map((does) => (
          <li key={does} class={`step-${does}`}>
            <span class="sign" aria-hidden="true">
              {SIGNS[does]}
            </span>
            {count(counts[does])} {does}
          </li>
        ))}
        <li class="quiet-text">
          worked out <Ago at={at} />
          {plan.export && (
            <>
              , from the export of <Ago at={plan.export.exportedAt} />
            </>
          )}
        </li>
      </ul>
      {isNothing && (
        <p class="calm">
          <HealthMark health="well">Nothing would change: all of it is here already.</HealthMark>
        </p>
      )}
      <ul class="steps">
        {steps.map((step) => (
          <Step key={`${step.does} ${step.kind} ${step.name}`} step={step} />
        ))}
      </ul>
      {all > steps.length && <p class="quiet-text">and {counted(all - steps.length, 'more step')}</p>}
    </>
  );
}

function Step({ step }: { readonly step: PlanStep }) {
  const head = (
    <>
      <span class="sign" aria-hidden="true">
        {SIGNS[step.does]}
      </span>
      <span class="step-does">{step.does}</span> {step.kind} <b>{step.name}</b>
      {step.why !== undefined && <span class="quiet-text"> {step.why}</span>}
    </>
  );
  if (!step.diff || step.diff.length === 0) return <li class={`step step-${step.does}`}>{head}</li>;
  return (
    <li class={`step step-${step.does}`}>
      <details>
        <summary>{head}</summary>
        <Diff lines={step.diff} />
      </details>
    </li>
  );
}

function Diff({ lines }: { readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard
    <pre class="diff" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}
