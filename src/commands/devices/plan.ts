/** `holdfast devices plan`: what would be made, wiped and refused next, and why. Nothing is done. */
import type { Command } from 'commander';
import { type DeviceStatus, type DevicesStatus, devicesStatus, type NodeStatus, needOf } from '../../devices/status.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { visit } from '../visit.ts';
import { look, namespaceFlag, nodeNames } from './look.ts';
import { agentLines, counted, section, tableOf } from './text.ts';

const flags = { ...clusterFlags, namespace: namespaceFlag(), output: outputFlag };

export function addPlan(devices: Command, terminal: Terminal): void {
  const command = devices
    .command('plan')
    .usage('[NODE...] [flags]')
    .summary('what would be made, wiped or refused next; does nothing')
    .description('What would be made, wiped or refused next, and why, as the agents report it. Nothing is done.')
    .argument('[node...]', 'only these nodes');
  addExamples(command, {
    'holdfast devices plan': 'what is next on all nodes',
    'holdfast devices plan node-1': 'on one of them',
    'holdfast devices plan -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const nodes = nodeNames(command.args);
    const looked = await visit('devices-plan', options, terminal, (visitor) =>
      look(visitor, { namespace: options.namespace, nodes }, terminal),
    );
    const plan = planOf(devicesStatus(looked, systemClock.now(), nodes));
    terminal.stdout.write(await formatted(plan, options.output, planText));
  });
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

export function planText(plan: Plan): string {
  const { steps, untouched } = plan;
  const rows = steps.map(({ node, path, size, volume, what, remedy }) => {
    return [node, path, size, volume, remedy === undefined ? what : `${what}. ${remedy}.`];
  });
  return [
    'Nothing was done: this is what the agents would do next, as they have reported it.\n',
    ...(rows.length > 0 ? [tableOf(['NODE', 'DEVICE', 'SIZE', 'VOLUME', 'PLAN'], rows)] : []),
    `${sumOf(steps)}; ${untouched === 1 ? '1 device stays as it is' : `${untouched} devices stay as they are`}.\n${whoDoes(steps)}`,
    section('AGENTS THAT NEED A LOOK', agentLines(plan)),
  ].join('\n');
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

/** Who reads a plan may think that all of it waits for a word of theirs. */
function whoDoes(steps: readonly Step[]): string {
  const nodes = new Set(steps.filter(({ byItself }) => byItself).map(({ node }) => node));
  return nodes.size === 0
    ? ''
    : `The agents of ${counted(nodes.size, 'node')} run without --dry-run: what is not refused they do by themselves.\n`;
}
