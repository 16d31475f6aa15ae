/** `holdfast devices plan`: what would be made, wiped and refused next, and why. Nothing is done. */
import type { Command } from 'commander';
import { type DeviceStatus, type DevicesStatus, devicesStatus, type NodeStatus, needOf } from '../../devices/status.ts';
import { buildInfo } from '../../kit/build-info.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { visible } from '../../kit/visible.ts';
import { widenThreadPool } from '../../kit/wipe/thread-pool.ts';
import type { clusterFlags } from '../flags/cluster.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { asPage } from '../output.ts';
import { type Page, toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { namespaceFlag, nodeNames, type Where } from '../reports/read.ts';
import { agentsBlock, counted } from '../reports/text.ts';
import { show, showFlags } from '../show/show.ts';
import { type TimedVisitor, visit } from '../visit.ts';
import { AT_ONCE, reportHere } from './here.ts';
import { hereFlags, hereOptionsOf, refuseHereFlags, type WhereHere } from './here-flags.ts';
import { hostOfNode } from './host-of-node.ts';
import { look } from './look.ts';

const flags = { ...showFlags, namespace: namespaceFlag(), ...hereFlags };

const MEANING = `
Only the node itself can look at its devices: what is shown is what the agents
have reported, some seconds ago.

With --here this machine itself is looked at, now, whether an agent runs on it
or not: before one is set up, or to see what a corrected ConfigMap, or another
wipeMethod, would come to. Nothing is written: not to a device, which is opened
for reading only, nor to the cluster, nor to the ledger of the agent. It takes
what the agent takes: root on the machine itself (in a pod: privileged, with
hostPID), --node-name, --namespace-name, and where the agent has them
--state-dir, --default-pv-spec-configmap and --trust-init. In the agent's pod
the first two are set already. What an agent has open at that moment, because it
wipes it, is shown as in use.`;

export function addPlan(devices: Command, terminal: Terminal): void {
  const command = devices
    .command('plan')
    .usage('[NODE... | --here] [flags]')
    .summary('what would be made, wiped or refused next; does nothing')
    .description('What would be made, wiped or refused next, and why. Nothing is done.')
    .argument('[node...]', 'only these nodes')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast devices plan': 'what is next on all nodes',
    'holdfast devices plan node-1': 'on one of them',
    'holdfast devices plan -o json': 'for a script',
    'holdfast devices plan --here --node-name=node-1 --namespace-name=storage': 'on this machine, which is node-1',
    'kubectl -n storage exec POD -- holdfast devices plan --here': 'on the node of an agent, by its own eyes',
  });
  runs(command, flags, terminal, async (options) => {
    if (!options.here) return showReported(command, options, terminal);
    if (options.watch) throw new UsageError('--here looks once: leave --watch out');
    const plan = await planHere(hereOptionsOf(command, options), options, terminal);
    terminal.stdout.write(await asPage(plan, options.output, terminal, planHerePage));
  });
}

function showReported(command: Command, options: OptionsOf<typeof flags>, terminal: Terminal): Promise<void> {
  refuseHereFlags(command);
  const where = { namespace: options.namespace, nodes: nodeNames(command.args) };
  const lookAtPlan = (visitor: TimedVisitor, quiet: Terminal) => reportedPlan(visitor, where, quiet);
  return show({ name: 'devices-plan', look: lookAtPlan, page: planPage }, options, terminal);
}

/** What the agents would do next, as they have reported it. */
export const reportedPlan = async (visitor: TimedVisitor, where: Where, terminal: Terminal): Promise<Plan> =>
  planOf(devicesStatus(await look(visitor, where, terminal), visitor.now(), where.nodes));

async function planHere(here: WhereHere, options: OptionsOf<typeof clusterFlags>, terminal: Terminal): Promise<Plan> {
  const warn = (line: string) => void terminal.stderr.write(`${visible(line)}\n`);
  const told = { tell: progressOn(terminal, systemClock), warn };
  widenThreadPool(AT_ONCE);
  const host = await hostOfNode();
  const report = await visit('devices-plan', options, terminal, (visitor) =>
    reportHere(visitor, host, { ...here, version: buildInfo().version, ...told }),
  );
  return planOf(devicesStatus({ reports: [{ report }] }, systemClock.now()));
}

/** What becomes of a device next. */
interface Step {
  readonly node: string;
  readonly path: string;
  readonly volume: string;
  readonly size: string;
  readonly does: Doing;
  /** In words. */
  readonly what: string;
  readonly remedy?: string | undefined;
  /** The agent does this by itself; otherwise it only plans. */
  readonly byItself: boolean;
}

type Doing = 'make' | 'recycle' | 'wipe' | 'retry' | 'refuse';

export interface Plan extends Pick<DevicesStatus, 'withoutReport' | 'unreadable'> {
  readonly nodes: readonly Omit<NodeStatus, 'devices'>[];
  readonly steps: readonly Step[];
  /** How many devices stay as they are. */
  readonly untouched: number;
}

/** From how the devices stand, whoever found that out. */
export function planOf({ nodes, withoutReport, unreadable }: DevicesStatus): Plan {
  const all = nodes.flatMap((node) => node.devices.map((device) => stepOf(node, device)));
  const steps = all.filter((step) => step !== undefined);
  const agents = nodes.map(({ devices: _devices, ...agent }) => agent);
  return { steps, untouched: all.length - steps.length, nodes: agents, withoutReport, unreadable };
}

function stepOf({ node, isDryRun }: NodeStatus, device: DeviceStatus): Step | undefined {
  const { path, volume, size, state, stands } = device;
  const next = (does: Doing, what: string): Step => ({
    ...{ node, path, volume, size, does, what },
    byItself: !isDryRun && does !== 'refuse',
  });
  switch (state.is) {
    case 'new':
      return next('make', 'would be wiped, and made a volume');
    case 'released':
      return next('recycle', 'would be wiped, and made a new volume');
    case 'planned':
      return next(state.what, stands);
    case 'wiping':
      return next('wipe', `${stands}, already under way`);
    case 'failed':
      return next('retry', `would be tried again, since it ${stands}`);
    case 'refused':
      return { ...next('refuse', `would be ${stands}`), remedy: needOf(node, device)?.remedy };
    default:
      return undefined;
  }
}

export const planPage = (plan: Plan): Page =>
  pageOf(plan, {
    first: 'Nothing was done: this is what the agents would do next, as they have reported it.',
    byItself: (nodes) =>
      `The agents of ${counted(nodes, 'node')} run without --dry-run: what is not refused they do by themselves.`,
    remarks: 'AGENTS THAT NEED A LOOK',
  });

export const planHerePage = (plan: Plan): Page =>
  pageOf(plan, {
    first: 'Nothing was done: this is what an agent would do next on this machine, as it is now.',
    byItself: () => 'What is not refused, an agent that runs here without --dry-run does by itself.',
    remarks: 'WHAT NEEDS A LOOK',
  });

interface Wording {
  readonly first: string;
  /** Who reads a plan may think that all of it waits for a word of theirs. */
  readonly byItself: (nodes: number) => string;
  readonly remarks: string;
}

function pageOf(plan: Plan, { first, byItself, remarks }: Wording): Page {
  const { steps, untouched } = plan;
  const rows = steps.map(({ node, path, size, volume, does, byItself: isByItself, what, remedy }) => {
    const words = remedy === undefined ? what : `${what}. ${remedy}.`;
    return [node, path, size, volume, does, isByItself ? 'yes' : 'no', does === 'refuse' ? toned(words, 'bad') : words];
  });
  const nodes = new Set(steps.filter((step) => step.byItself).map(({ node }) => node)).size;
  const stays = untouched === 1 ? '1 device stays as it is' : `${untouched} devices stay as they are`;
  return [
    { sentences: [first] },
    { columns: ['NODE', 'DEVICE', 'SIZE', 'VOLUME', wide('ACTION'), wide('BY ITSELF'), 'PLAN'], rows },
    { sentences: [`${sumOf(steps)}; ${stays}.`, ...(nodes === 0 ? [] : [byItself(nodes)])] },
    agentsBlock(remarks, 'devices', plan),
  ];
}

const WORDS: Readonly<Record<Doing, string>> = {
  make: 'to be made',
  recycle: 'to be recycled',
  wipe: 'being wiped',
  retry: 'to be tried again',
  refuse: 'refused',
};

function sumOf(steps: readonly Step[]): string {
  const counts = Object.entries(WORDS).flatMap(([does, words]) => {
    const count = steps.filter((step) => step.does === does).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  return counts.join(', ') || 'Nothing to do';
}
