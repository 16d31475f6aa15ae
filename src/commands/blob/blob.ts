/** `holdfast blob`: the blobs of a pool, from a terminal or a script. */
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { addGet } from './get.ts';
import { addLs } from './ls.ts';
import { addPut } from './put.ts';
import { addRm } from './rm.ts';
import { addStat } from './stat.ts';

export const define: Define = (command, terminal) => {
  command.usage('COMMAND [flags]');
  addExamples(command, {
    'holdfast blob put --pool storage/photos 2026/cat.jpg cat.jpg': 'stores a file under a key',
    'holdfast blob get --pool storage/photos 2026/cat.jpg -': 'writes it to standard output',
    'holdfast blob ls --pool storage/photos --prefix 2026/': 'what is stored',
    'holdfast blob stat --pool storage/photos 2026/cat.jpg': 'its size, its digest, and where it is',
  });
  addPut(command, terminal);
  addGet(command, terminal);
  addLs(command, terminal);
  addStat(command, terminal);
  addRm(command, terminal);
};
