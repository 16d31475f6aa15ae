/** `holdfast status JOB`: how the things that a job looks after stand. */
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { define as topology } from './topology.ts';

export const define: Define = (command, terminal) => {
  command.usage('JOB [flags]');
  addExamples(command, { 'holdfast status topology': 'volumes and zones, and what needs a person' });
  const sub = command.command('topology').usage('[flags]').summary('volumes and their zones');
  topology(
    sub.description('Which volumes are where, which have no zone and why, and which pods wait for ever.'),
    terminal,
  );
};
