/** What `status devices` and `devices plan` print for people: nothing that came from outside can steer their terminal, or flood it. */
import type { DeviceStatus, DevicesStatus, NodeStatus } from '../../devices/status.ts';
import { visible } from '../../kit/visible.ts';
import { table } from '../table.ts';

const LONGEST_CELL = 600;
const MOST_NAMES = 10;

export function shown(text: string): string {
  const line = visible(text.trim());
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

/** A dash where there is nothing to say. */
const cell = (text: string | undefined): string => shown(text ?? '') || '-';

export const tableOf = (heading: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string =>
  rows.length === 0 ? '' : table([heading, ...rows.map((row) => row.map(cell))]);

export const section = (title: string, body: string): string => `${title}\n${body === '' ? 'none\n' : body}`;

export const lines = (sentences: readonly string[]): string => sentences.map((each) => `${each}\n`).join('');

interface Agents extends Pick<DevicesStatus, 'withoutReport' | 'unreadable'> {
  readonly nodes: readonly Pick<NodeStatus, 'node' | 'remarks'>[];
}

/** One line for each, in its own words: what people should know about agents. */
export const agentLines = ({ nodes, withoutReport, unreadable }: Agents): string =>
  lines([
    ...nodes.flatMap(({ node, remarks }) => remarks.map((remark) => `${node} ${shown(remark)}`)),
    ...(withoutReport.length > 0 ? [`no report on ${someOf(withoutReport)}: does holdfast devices run there?`] : []),
    ...unreadable.map((name) => `the ConfigMap ${name} is no report that this version of Holdfast can read`),
  ]);

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Such as `2 bound, 1 refused`, in this order. */
export function tally(devices: readonly DeviceStatus[]): string {
  const order = ['available', 'bound', 'new', 'released', 'wiping', 'planned', 'failed', 'refused'] as const;
  const counts = order.map((is) => [is, devices.filter(({ state }) => state.is === is).length] as const);
  return counts.flatMap(([is, count]) => (count > 0 ? [`${count} ${is}`] : [])).join(', ');
}
