/** `holdfast status devices`: how each device of each node stands, which agents are not heard, and what needs a person. */
import { type DevicesStatus, devicesStatus } from '../../devices/status.ts';
import { look } from '../devices/look.ts';
import { overview, shown, tableOf } from '../reports/text.ts';
import { statusOfReports } from './reported.ts';

export const define = statusOfReports({
  job: 'devices',
  shows: 'the devices',
  look,
  statusOf: devicesStatus,
  text: statusText,
});

const STATES = ['available', 'bound', 'new', 'released', 'wiping', 'planned', 'failed', 'refused'] as const;

export function statusText(status: DevicesStatus): string {
  const { nodes, needsAPerson } = status;
  const rows = nodes.flatMap(({ node, devices: own }) =>
    own.map(({ path, size, identity, volume, claim, stands }) => [node, path, size, identity, volume, claim, stands]),
  );
  return overview({
    job: 'devices',
    agents: status,
    one: 'device',
    things: nodes.flatMap(({ devices }) => devices),
    states: STATES,
    tables: [tableOf(['NODE', 'DEVICE', 'SIZE', 'IDENTITY', 'VOLUME', 'CLAIM', 'STATE'], rows)],
    needs: needsAPerson.map(
      ({ node, path, why, remedy }) => `${node}: ${shown(path)} ${shown(why)}. ${shown(remedy)}.`,
    ),
  });
}
