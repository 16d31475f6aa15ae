/** `holdfast status [JOB]`: how the things that the jobs look after stand, of all of them or of one. */
import { runs } from '../flags/options.ts';
import { JOBS, type Job } from '../jobs.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { refuseStranger } from '../line/stranger.ts';
import { namespaceFlag } from '../reports/read.ts';
import { exitCodeFlag, show, showFlags } from '../show/show.ts';
import type { TimedVisitor } from '../visit.ts';
import { define as devices } from './devices.ts';
import { define as lvm } from './lvm.ts';
import { lookAtAll, type Overview, overviewPage } from './overview.ts';
import { define as pool } from './pool.ts';
import { verdictOn } from './summary.ts';
import { define as sync } from './sync.ts';
import { define as topology } from './topology.ts';

const OF_JOB: Readonly<
  Record<Job, { readonly define: Define; readonly summary: string; readonly description: string }>
> = {
  topology: {
    define: topology,
    summary: 'volumes and their zones',
    description: 'Which volumes are where, which have no zone and why, and which pods wait for ever.',
  },
  devices: {
    define: devices,
    summary: 'the devices of nodes, and their volumes',
    description: 'How each device of each node stands, which agents are not heard, and what needs a person.',
  },
  lvm: {
    define: lvm,
    summary: 'the volume groups of nodes, and the volumes on them',
    description:
      'The volume groups of each node, how each volume stands, which agents are not heard, and what needs a person.',
  },
  pool: {
    define: pool,
    summary: 'the pools of storage agents',
    description: 'How large and how full each pool is, what is done with it, and what needs a person.',
  },
  sync: {
    define: sync,
    summary: 'what is carried to a recovery cluster',
    description: 'What is carried where, how old the newest export is, and what needs a person.',
  },
};

const flags = { ...showFlags, ...exitCodeFlag, namespace: namespaceFlag() };

export const define: Define = (command, terminal) => {
  command.usage('[JOB] [flags]').argument('[job]', 'all jobs if none is named');
  addExamples(command, {
    'holdfast status': 'all jobs on one screen: is all well, and what needs a person?',
    'holdfast status --watch': 'the same, as it changes',
    'holdfast status --exit-code':
      'for a script: ends with 3 when something needs a person, and with 4 when it could not look',
    'holdfast status devices -o wide': 'one job in full, with more columns',
  });
  for (const job of JOBS) {
    const { define: defineJob, summary, description } = OF_JOB[job];
    defineJob(command.command(job).usage('[flags]').summary(summary).description(description), terminal);
  }
  runs(command, flags, terminal, (options) => {
    refuseStranger(command, 'job');
    const where = { namespace: options.namespace, nodes: [] };
    const look = (visitor: TimedVisitor, quiet: Terminal) => lookAtAll(visitor, where, quiet);
    const verdict = ({ jobs }: Overview) => verdictOn(jobs);
    return show({ name: 'status', look, page: overviewPage, verdict }, options, terminal);
  });
};
