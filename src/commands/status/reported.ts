/** `holdfast status JOB` of a job whose agents report: of all nodes, or of those that are named. */
import { runs } from '../flags/options.ts';
import type { Job } from '../jobs.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import type { Page } from '../page/page.ts';
import { namespaceFlag, nodeNames, type Where } from '../reports/read.ts';
import { type Agents, agentLines } from '../reports/text.ts';
import { exitCodeFlag, show, showFlags } from '../show/show.ts';
import type { TimedVisitor, Visitor } from '../visit.ts';
import { absent, type JobStatus, type Need, type Summary, summaryOf, verdictOn } from './summary.ts';

export interface ReportedJob<Looked, Status extends Agents> {
  readonly job: Job;
  /** What of each node, such as `the devices`. */
  readonly shows: string;
  readonly look: (visitor: Visitor, where: Where, terminal: Terminal) => Promise<Looked>;
  readonly statusOf: (looked: Looked, now: Date, only: readonly string[]) => Status;
  readonly page: (status: Status) => Page;
  /** In short, without what is said of the agents. */
  readonly brief: (status: Status) => Brief;
}

export interface Brief {
  readonly sentence: string;
  readonly needs: readonly Need[];
  readonly now: readonly string[];
}

const flags = { ...showFlags, ...exitCodeFlag, namespace: namespaceFlag() };

export const reportedStatus = <Looked, Status extends Agents>(job: ReportedJob<Looked, Status>): JobStatus<Status> => ({
  job: job.job,
  async look(visitor, where, terminal) {
    return job.statusOf(await job.look(visitor, where, terminal), visitor.now(), where.nodes);
  },
  page: job.page,
  summary: (status) => summaryOfReports(job, status),
});

/** Where no agent has ever reported the job does not run; where one does, others may be left out on purpose. */
function summaryOfReports<Looked, Status extends Agents>(
  { job, brief }: ReportedJob<Looked, Status>,
  status: Status,
): Summary {
  if (status.nodes.length === 0) return absent(job, 'no agent has reported');
  const { sentence, needs, now } = brief(status);
  const remedy = `Look at the agent: kubectl get pods -A -o wide, and its log.`;
  const agents = agentLines(job, { ...status, withoutReport: [] }).map((what) => ({ job, what, remedy }));
  return summaryOf(job, sentence, [...needs, ...agents], now);
}

export const statusOfReports = <Looked, Status extends Agents>(parts: ReportedJob<Looked, Status>): Define => {
  const { job, shows, page } = parts;
  const status = reportedStatus(parts);
  return (command, terminal) => {
    command.usage('[NODE...] [flags]').argument('[node...]', 'only these nodes');
    addExamples(command, {
      [`holdfast status ${job}`]: `${shows} of all nodes, and what needs a person`,
      [`holdfast status ${job} node-1 node-2`]: 'those of two nodes',
      [`holdfast status ${job} --namespace storage`]: 'where not all namespaces may be read',
      [`holdfast status ${job} -o json`]: 'for a script',
    });
    runs(command, flags, terminal, (options) => {
      const where = { namespace: options.namespace, nodes: nodeNames(command.args) };
      const look = (visitor: TimedVisitor, quiet: Terminal) => status.look(visitor, where, quiet);
      const verdict = (seen: Status) => verdictOn([status.summary(seen)]);
      return show({ name: 'status', look, page, verdict }, options, terminal);
    });
  };
};
