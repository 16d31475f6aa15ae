/** What commands print for people of what agents report: nothing that came from outside can steer their terminal, or flood it. */
import { visible } from '../../kit/visible.ts';
import { table as aligned } from '../table.ts';

const LONGEST_CELL = 600;
const MOST_NAMES = 10;

export function shown(text: string): string {
  const line = visible(text.trim());
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

/** A dash where there is nothing to say. */
const cell = (text: string | undefined): string => shown(text ?? '') || '-';

export const tableOf = (heading: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string =>
  rows.length === 0 ? '' : aligned([heading, ...rows.map((row) => row.map(cell))]);

export const section = (title: string, body: string): string => `${title}\n${body === '' ? 'none\n' : body}`;

const lines = (sentences: readonly string[]): string => sentences.map((each) => `${each}\n`).join('');

export interface Agents {
  readonly nodes: readonly { readonly node: string; readonly remarks: readonly string[] }[];
  /** Nodes that nothing at all is known of. */
  readonly withoutReport: readonly string[];
  /** ConfigMaps that say to be reports and cannot be understood. */
  readonly unreadable: readonly string[];
}

/** One line for each, in its own words: what people should know about agents. */
export const agentLines = (job: string, { nodes, withoutReport, unreadable }: Agents): string =>
  lines([
    ...nodes.flatMap(({ node, remarks }) => remarks.map((remark) => `${node} ${shown(remark)}`)),
    ...(withoutReport.length > 0 ? [`no report on ${someOf(withoutReport)}: does holdfast ${job} run there?`] : []),
    ...unreadable.map((name) => `the ConfigMap ${name} is no report that this version of Holdfast can read`),
  ]);

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export interface Overview<S extends string> {
  readonly job: string;
  readonly agents: Agents;
  /** What one of the things is called. */
  readonly one: string;
  readonly things: readonly Thing<S>[];
  /** In this order they are counted. */
  readonly states: readonly S[];
  readonly tables: readonly string[];
  /** A sentence for each thing that only a person can do. */
  readonly needs: readonly string[];
}

interface Thing<S extends string> {
  readonly state: { readonly is: S };
}

/** How all that the agents of a job look after stands. */
export function overview<S extends string>(parts: Overview<S>): string {
  const { job, agents, one, things, states, tables, needs } = parts;
  const sum = `${counted(agents.nodes.length, 'node')}, ${counted(things.length, one)}`;
  return [
    `${things.length > 0 ? `${sum}: ${tally(states, things)}` : sum}\n`,
    ...tables.filter((table) => table !== ''),
    section('AGENTS THAT NEED A LOOK', agentLines(job, agents)),
    section('NEEDS A PERSON', lines(needs)),
  ].join('\n');
}

/** Such as `2 bound, 1 refused`, in the order given. */
function tally<S extends string>(order: readonly S[], things: readonly Thing<S>[]): string {
  const counts = order.map((is) => [is, things.filter(({ state }) => state.is === is).length] as const);
  return counts.flatMap(([is, count]) => (count > 0 ? [`${count} ${is}`] : [])).join(', ');
}
