/** What commands show people of what agents report. */
import type { Block, Sentences, Table } from '../page/page.ts';
import { shown } from '../page/render.ts';

const MOST_NAMES = 10;

export interface Agents {
  readonly nodes: readonly { readonly node: string; readonly remarks: readonly string[] }[];
  /** Nodes that nothing at all is known of. */
  readonly withoutReport: readonly string[];
  /** ConfigMaps that say to be reports and cannot be understood. */
  readonly unreadable: readonly string[];
}

/** One sentence for each, in its own words: what people should know about agents. */
export const agentLines = (job: string, { nodes, withoutReport, unreadable }: Agents): readonly string[] => [
  ...nodes.flatMap(({ node, remarks }) => remarks.map((remark) => `${node} ${shown(remark)}`)),
  ...(withoutReport.length > 0 ? [`no report on ${someOf(withoutReport)}: does holdfast ${job} run there?`] : []),
  ...unreadable.map((name) => `the ConfigMap ${name} is no report that this version of Holdfast can read`),
];

export const agentsBlock = (title: string, job: string, agents: Agents): Sentences => ({
  title,
  sentences: agentLines(job, agents).map((text) => ({ text, tone: 'warn' })),
});

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
  readonly tables: readonly Table[];
  /** A sentence for each thing that only a person can do. */
  readonly needs: readonly string[];
}

interface Thing<S extends string> {
  readonly state: { readonly is: S };
}

/** How all that the agents of a job look after stands. */
export const overview = <S extends string>(parts: Overview<S>): readonly Block[] => [
  { sentences: [sumOf(parts)] },
  ...parts.tables,
  agentsBlock('AGENTS THAT NEED A LOOK', parts.job, parts.agents),
  { title: 'NEEDS A PERSON', sentences: parts.needs.map((text) => ({ text, tone: 'bad' })) },
];

/** Such as `3 nodes, 5 devices: 4 bound, 1 refused`. */
export function sumOf<S extends string>({
  agents,
  one,
  things,
  states,
}: Pick<Overview<S>, 'agents' | 'one' | 'things' | 'states'>): string {
  const sum = `${counted(agents.nodes.length, 'node')}, ${counted(things.length, one)}`;
  return things.length > 0 ? `${sum}: ${tally(states, things)}` : sum;
}

/** Such as `2 bound, 1 refused`, in the order given. */
function tally<S extends string>(order: readonly S[], things: readonly Thing<S>[]): string {
  const counts = order.map((is) => [is, things.filter(({ state }) => state.is === is).length] as const);
  return counts.flatMap(([is, count]) => (count > 0 ? [`${count} ${is}`] : [])).join(', ');
}
