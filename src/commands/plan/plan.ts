/** `holdfast plan [JOB]`: what would be done now, by all jobs or by one. Nothing is done. */
import type { Command } from 'commander';
import { hasReason } from '../../kit/kube/api-error.ts';
import { ConnectionError } from '../../kit/kube/transport.ts';
import { runs } from '../flags/options.ts';
import { JOBS, type Job } from '../jobs.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { refuseStranger } from '../line/stranger.ts';
import { notInstalled } from '../not-installed.ts';
import { type Page, toned } from '../page/page.ts';
import { namespaceFlag, nodeNames, type Where } from '../reports/read.ts';
import { show, showFlags } from '../show/show.ts';
import { storeFlags } from '../sync/site.ts';
import { policyFlags, policyOf } from '../topology/policy-flags.ts';
import type { TimedVisitor } from '../visit.ts';
import { devices } from './devices.ts';
import type { JobPlan } from './job-plan.ts';
import { lvm } from './lvm.ts';
import { pool } from './pool.ts';
import { lookAtSync, planPage as syncPage } from './sync.ts';
import { planLabels, topology } from './topology.ts';

const SUMMARIES: Readonly<Record<Job, string>> = {
  topology: 'which volumes would be labelled, and how',
  devices: 'which devices would be made, wiped or refused',
  lvm: 'which volumes are being made or removed, wait, or are refused',
  pool: 'which pools would scale, drain, roll out or grow',
  sync: 'what a recovery would create, change, remove and refuse',
};

const allFlags = { ...showFlags, ...storeFlags, namespace: namespaceFlag() };
const nodeFlags = { ...showFlags, namespace: namespaceFlag() };

export const define: Define = (command, terminal) => {
  command.usage('[JOB] [flags]').argument('[job]', 'all jobs if none is named');
  addExamples(command, {
    'holdfast plan': 'what would be done now, by all jobs',
    'holdfast plan pool --watch': 'by one of them, as it changes',
    'holdfast plan sync --secret pvsync-operator/pvsync': 'with the credentials of the operator',
    'holdfast plan topology -o json': 'for a script',
  });
  definePlans((job) => subcommand(command, job), terminal);
  runs(command, allFlags, terminal, (options) => {
    refuseStranger(command, 'job');
    const where = { namespace: options.namespace, nodes: [] };
    const look = (visitor: TimedVisitor, quiet: Terminal) => planAll(visitor, where, options.secret, quiet);
    return show({ name: 'plan', look, page: allPage }, options, terminal);
  });
};

const subcommand = (command: Command, job: Job): Command =>
  command
    .command(job)
    .usage('[flags]')
    .summary(SUMMARIES[job])
    .description(`Shows ${SUMMARIES[job]}. Nothing is done.`);

function definePlans(commandOf: (job: Job) => Command, terminal: Terminal): void {
  runs(commandOf('topology'), { ...showFlags, ...policyFlags }, terminal, (options) => {
    const look = (visitor: TimedVisitor, quiet: Terminal) =>
      planLabels(visitor, quiet, policyOf(options), options.selector);
    return show({ name: 'plan', look, page: topology.page }, options, terminal);
  });
  ofNodes(commandOf('devices'), devices, terminal);
  ofNodes(commandOf('lvm'), lvm, terminal);
  runs(commandOf('pool'), showFlags, terminal, (options) => {
    const look = (visitor: TimedVisitor, quiet: Terminal) => pool.look(visitor, { nodes: [] }, quiet);
    return show({ name: 'plan', look, page: pool.page }, options, terminal);
  });
  runs(commandOf('sync'), { ...showFlags, ...storeFlags }, terminal, (options) => {
    const look = (visitor: TimedVisitor, quiet: Terminal) => lookAtSync(visitor, options.secret, quiet);
    return show({ name: 'plan', look, page: syncPage }, options, terminal);
  });
}

function ofNodes<Plan>(command: Command, { look, page }: JobPlan<Plan>, terminal: Terminal): void {
  command.usage('[NODE...] [flags]').argument('[node...]', 'only these nodes');
  runs(command, nodeFlags, terminal, (options) => {
    const where = { namespace: options.namespace, nodes: nodeNames(command.args) };
    const lookThere = (visitor: TimedVisitor, quiet: Terminal) => look(visitor, where, quiet);
    return show({ name: 'plan', look: lookThere, page }, options, terminal);
  });
}

/** One that cannot be planned with what there is says why, and keeps nobody from seeing the others. */
type Planned = { readonly job: Job } & (
  | { readonly plan: unknown; readonly page: () => Page }
  | { readonly why: string }
);

async function planAll(
  visitor: TimedVisitor,
  where: Where,
  secret: string | undefined,
  terminal: Terminal,
): Promise<AllPlans> {
  const sync: JobPlan<Awaited<ReturnType<typeof lookAtSync>>> = {
    job: 'sync',
    look: (at, _where, quiet) => lookAtSync(at, secret, quiet),
    page: syncPage,
  };
  const plans = { topology, devices, lvm, pool, sync };
  const all = await Promise.all(JOBS.map((job) => planned(plans[job] as JobPlan<unknown>, visitor, where, terminal)));
  return new AllPlans(all);
}

async function planned<Plan>(
  { job, look, page }: JobPlan<Plan>,
  visitor: TimedVisitor,
  where: Where,
  terminal: Terminal,
): Promise<Planned> {
  try {
    const plan = await look(visitor, where, terminal);
    return { job, plan, page: () => page(plan) };
  } catch (error) {
    visitor.signal.throwIfAborted();
    if (error instanceof ConnectionError || hasReason(error, 'Unauthorized')) throw error;
    if (hasReason(error, 'NotFound')) return { job, why: notInstalled(job, error) };
    return { job, why: `it cannot be planned from here: ${error instanceof Error ? error.message : error}` };
  }
}

/** The plans of all jobs; for programs, each under the name of its job. */
class AllPlans {
  readonly planned: readonly Planned[];

  constructor(planned: readonly Planned[]) {
    this.planned = planned;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.planned.map((each) => [each.job, 'why' in each ? { cannotBePlanned: each.why } : each.plan]),
    );
  }
}

const allPage = ({ planned: all }: AllPlans): Page =>
  all.flatMap((each) => [
    { sentences: [toned(`── ${each.job} ──`, 'strong')] },
    ...('why' in each ? [{ sentences: [toned(each.why, 'dim')] }] : each.page()),
  ]);
