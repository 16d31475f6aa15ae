/** `holdfast status JOB` of a job whose agents report: of all nodes, or of those that are named. */
import { systemClock } from '../../kit/clock/clock.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { namespaceFlag, nodeNames, type Where } from '../reports/read.ts';
import { type Visitor, visit } from '../visit.ts';

export interface ReportedJob<Looked, Status> {
  readonly job: string;
  /** What of each node, such as `the devices`. */
  readonly shows: string;
  readonly look: (visitor: Visitor, where: Where, terminal: Terminal) => Promise<Looked>;
  readonly statusOf: (looked: Looked, now: Date, only: readonly string[]) => Status;
  readonly text: (status: Status) => string;
}

const flags = { ...clusterFlags, namespace: namespaceFlag(), output: outputFlag };

export const statusOfReports =
  <Looked, Status>({ job, shows, look, statusOf, text }: ReportedJob<Looked, Status>): Define =>
  (command, terminal) => {
    command.usage('[NODE...] [flags]').argument('[node...]', 'only these nodes');
    addExamples(command, {
      [`holdfast status ${job}`]: `${shows} of all nodes, and what needs a person`,
      [`holdfast status ${job} node-1 node-2`]: 'those of two nodes',
      [`holdfast status ${job} --namespace storage`]: 'where not all namespaces may be read',
      [`holdfast status ${job} -o json`]: 'for a script',
    });
    runs(command, flags, terminal, async (options) => {
      const nodes = nodeNames(command.args);
      const looked = await visit('status', options, terminal, (visitor) =>
        look(visitor, { namespace: options.namespace, nodes }, terminal),
      );
      const status = statusOf(looked, systemClock.now(), nodes);
      terminal.stdout.write(await formatted(status, options.output, text));
    });
  };
