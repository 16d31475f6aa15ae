/** `holdfast sync plan`: what a recovery would create, change, remove and refuse now, without doing it. */
import type { Command } from 'commander';
import { systemClock } from '../../kit/clock/clock.ts';
import { visible } from '../../kit/visible.ts';
import { type LookedUp, lookUp } from '../../sync/recover/look-up.ts';
import type { RecoveryPlan, Target } from '../../sync/recover/plan.ts';
import { remedyOf } from '../../sync/recover/refusals.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import { table } from '../table.ts';
import { visit } from '../visit.ts';
import { siteFlags, siteOf } from './site.ts';

const flags = { ...siteFlags, output: outputFlag };

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
  runs(command, flags, terminal, async (options) => {
    const plan = await visit('sync-plan', options, terminal, async ({ client, signal }) => {
      await using site = await siteOf(client, options, terminal, signal);
      return printed(await lookUp(client, site, signal, progressOn(terminal, systemClock)));
    });
    terminal.stdout.write(await formatted(plan, options.output, () => asText(plan)));
  });
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

export function asText({ export: exported, same, steps }: PrintedPlan): string {
  const counts = Map.groupBy(steps, ({ action }) => action);
  const summary = [...counts].map(([action, all]) => `${all.length} to ${action}`).join(', ') || 'nothing to do';
  const rows = steps.map(({ action, kind, key, why = '' }) => [action, kind, visible(key), visible(why)]);
  const remedies = [...new Set(steps.flatMap(({ remedy }) => remedy ?? []))];
  return [
    `export      ${exported.key}, of ${exported.exportedAt}${exported.confirmedAt ? `, up to date at ${exported.confirmedAt}` : ''}\n`,
    `in place    ${same.volumes} volumes and ${same.claims} claims\n`,
    `to do       ${summary}\n`,
    rows.length > 0 ? `\n${table([['ACTION', 'KIND', 'NAME', 'WHY'], ...rows])}` : '',
    remedies.length > 0 ? `\nWHAT TO DO\n${remedies.map((each) => `${each}.\n`).join('')}` : '',
  ].join('');
}
