/** `holdfast sync plan`: what a recovery would create, change, remove and refuse now, without doing it. */
import type { Command } from 'commander';
import { systemClock } from '../../kit/clock/clock.ts';
import { type LookedUp, lookUp } from '../../sync/recover/look-up.ts';
import type { RecoveryPlan, Target } from '../../sync/recover/plan.ts';
import { remedyOf } from '../../sync/recover/refusals.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import type { Page } from '../page/page.ts';
import { toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { show, showFlags } from '../show/show.ts';
import type { Visitor } from '../visit.ts';
import { siteOf, storeFlags } from './site.ts';

const flags = { ...showFlags, ...storeFlags };

export interface Step {
  readonly action: 'disown' | 'make' | 'create' | 'change' | 'remove' | 'leave' | 'hold' | 'refuse' | 'wait';
  readonly kind: Target['kind'] | 'Namespace';
  readonly key: string;
  readonly why?: string;
  readonly remedy?: string;
}

export interface PrintedPlan {
  readonly export: { readonly key: string; readonly exportedAt: string; readonly confirmedAt?: string };
  readonly same: RecoveryPlan['same'];
  readonly steps: readonly Step[];
}

export function addPlan(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('plan')
    .usage('[flags]')
    .summary('what a recovery would do now')
    .description(
      'Shows what a recovery of the newest export into this cluster would create, change, remove and refuse. Writes nothing.',
    );
  addExamples(command, {
    'holdfast sync plan --secret pvsync-operator/pvsync': 'with the credentials of the operator',
    'holdfast sync plan -o json': 'for a script',
  });
  runs(command, flags, terminal, (options) => {
    const look = (visitor: Visitor, quiet: Terminal) => recoveryPlan(visitor, options.secret, quiet);
    return show({ name: 'sync-plan', look, page: planPage }, options, terminal);
  });
}

/** What a recovery would do here and now. */
export async function recoveryPlan(
  { client, signal }: Visitor,
  secret: string | undefined,
  terminal: Terminal,
): Promise<PrintedPlan> {
  await using site = await siteOf(client, { secret }, terminal, signal);
  return printed(await lookUp(client, site, signal, progressOn(terminal, systemClock)));
}

export function printed({ found, plan }: LookedUp): PrintedPlan {
  const { key, exportedAt, confirmedAt } = found;
  return {
    export: { key, exportedAt, ...(confirmedAt !== undefined && { confirmedAt }) },
    same: plan.same,
    steps: stepsOf(plan),
  };
}

function stepsOf({
  disown,
  namespaces,
  create,
  change,
  remove,
  present,
  held,
  refused,
}: RecoveryPlan): readonly Step[] {
  const step = (action: Step['action'], { kind, key }: Target, why?: string): Step => ({
    action,
    kind,
    key,
    ...(why && { why }),
  });
  return [
    ...disown.map((each) => step('disown', each, 'the garbage collector would delete it with the resource')),
    ...namespaces.map((key): Step => ({ action: 'make', kind: 'Namespace', key })),
    ...create.map((each) => step('create', each)),
    ...change.map((each) => step('change', each, each.fields.join(', '))),
    ...remove.map((each) => step('remove', each, 'it is no longer in the export')),
    ...present.map((each) => step('leave', each, 'it is here as it should be, and was not restored by us')),
    ...(held ? [...held.create, ...held.change, ...held.remove] : []).map((each) => ({
      ...step('hold', each, held?.message),
      ...(held && { remedy: held.remedy }),
    })),
    ...refused.map((each) => {
      const remedy = remedyOf(each);
      return { ...step(remedy === undefined ? 'wait' : 'refuse', each, each.message), ...(remedy && { remedy }) };
    }),
  ];
}

export function planPage({ export: exported, same, steps }: PrintedPlan): Page {
  const counts = Map.groupBy(steps, ({ action }) => action);
  const summary = [...counts].map(([action, all]) => `${all.length} to ${action}`).join(', ') || 'nothing to do';
  const confirmed = exported.confirmedAt ? `, up to date at ${exported.confirmedAt}` : '';
  const remedies = [...new Set(steps.flatMap(({ remedy }) => remedy ?? []))];
  return [
    {
      sentences: [
        `export      ${exported.key}, of ${exported.exportedAt}${confirmed}`,
        `in place    ${same.volumes} volumes and ${same.claims} claims`,
        `to do       ${summary}`,
      ],
    },
    {
      columns: ['ACTION', 'KIND', 'NAME', wide('WHAT TO DO'), 'WHY'],
      rows: steps.map(({ action, kind, key, why, remedy }) => [inTone(action), kind, key, remedy, why]),
    },
    ...(remedies.length > 0 ? [{ title: 'WHAT TO DO', sentences: remedies.map((each) => `${each}.`) }] : []),
  ];
}

const inTone = (action: Step['action']) =>
  action === 'refuse' || action === 'hold' ? toned(action, 'bad') : action === 'wait' ? toned(action, 'warn') : action;
