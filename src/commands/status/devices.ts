/** `holdfast status devices`: how each device of each node stands, which agents are not heard, and what needs a person. */
import { type DevicesStatus, devicesStatus } from '../../devices/status.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { look } from '../devices/look.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { namespaceFlag, nodeNames } from '../reports/read.ts';
import { agentLines, counted, lines, section, shown, tableOf, tally } from '../reports/text.ts';
import { visit } from '../visit.ts';

const flags = { ...clusterFlags, namespace: namespaceFlag(), output: outputFlag };

export const define: Define = (command, terminal) => {
  command.usage('[NODE...] [flags]').argument('[node...]', 'only these nodes');
  addExamples(command, {
    'holdfast status devices': 'the devices of all nodes, and what needs a person',
    'holdfast status devices node-1 node-2': 'those of two nodes',
    'holdfast status devices --namespace storage': 'where not all namespaces may be read',
    'holdfast status devices -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const nodes = nodeNames(command.args);
    const looked = await visit('status', options, terminal, (visitor) =>
      look(visitor, { namespace: options.namespace, nodes }, terminal),
    );
    const status = devicesStatus(looked, systemClock.now(), nodes);
    terminal.stdout.write(await formatted(status, options.output, statusText));
  });
};

/** In this order they are counted. */
const STATES = ['available', 'bound', 'new', 'released', 'wiping', 'planned', 'failed', 'refused'] as const;

export function statusText(status: DevicesStatus): string {
  const { nodes, needsAPerson } = status;
  const devices = nodes.flatMap((each) => each.devices);
  const rows = nodes.flatMap(({ node, devices: own }) =>
    own.map(({ path, size, identity, volume, claim, stands }) => [node, path, size, identity, volume, claim, stands]),
  );
  const sum = `${counted(nodes.length, 'node')}, ${counted(devices.length, 'device')}`;
  return [
    `${sum}${devices.length > 0 ? `: ${tally(STATES, devices)}` : ''}\n`,
    ...(rows.length > 0 ? [tableOf(['NODE', 'DEVICE', 'SIZE', 'IDENTITY', 'VOLUME', 'CLAIM', 'STATE'], rows)] : []),
    section('AGENTS THAT NEED A LOOK', agentLines('devices', status)),
    section(
      'NEEDS A PERSON',
      lines(
        needsAPerson.map(({ node, path, why, remedy }) => `${node}: ${shown(path)} ${shown(why)}. ${shown(remedy)}.`),
      ),
    ),
  ].join('\n');
}
