/** `holdfast status JOB`: how the things that a job looks after stand. */
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { define as devices } from './devices.ts';
import { define as lvm } from './lvm.ts';
import { define as pool } from './pool.ts';
import { define as sync } from './sync.ts';
import { define as topology } from './topology.ts';

export const define: Define = (command, terminal) => {
  command.usage('JOB [flags]');
  addExamples(command, {
    'holdfast status topology': 'volumes and zones, and what needs a person',
    'holdfast status devices': 'the devices of all nodes, and what needs a person',
    'holdfast status lvm': 'the volume groups and volumes of all nodes, and what needs a person',
    'holdfast status pool': 'the pools of storage agents, how full they are, and what needs a person',
    'holdfast status sync': 'what is carried to a recovery cluster, how old it is, and what needs a person',
  });
  const ofTopology = command.command('topology').usage('[flags]').summary('volumes and their zones');
  topology(
    ofTopology.description('Which volumes are where, which have no zone and why, and which pods wait for ever.'),
    terminal,
  );
  const ofDevices = command.command('devices').summary('the devices of nodes, and their volumes');
  devices(
    ofDevices.description('How each device of each node stands, which agents are not heard, and what needs a person.'),
    terminal,
  );
  const ofLvm = command.command('lvm').summary('the volume groups of nodes, and the volumes on them');
  lvm(
    ofLvm.description(
      'The volume groups of each node, how each volume stands, which agents are not heard, and what needs a person.',
    ),
    terminal,
  );
  const ofPool = command.command('pool').summary('the pools of storage agents');
  pool(
    ofPool.description('How large and how full each pool is, what is done with it, and what needs a person.'),
    terminal,
  );
  const ofSync = command.command('sync').summary('what is carried to a recovery cluster');
  sync(ofSync.description('What is carried where, how old the newest export is, and what needs a person.'), terminal);
};
