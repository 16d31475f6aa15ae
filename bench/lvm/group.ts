/** What the job "lvm" costs, beside the bare commands that do the same. */
import type { Group } from '../measure/group.ts';
import { volumesAtOnce } from './volumes-at-once.ts';

export const group: Group = {
  name: 'lvm',
  about:
    'Declared volumes that become logical volumes, formatted and mounted, on a real node: a guest of User-Mode Linux with one processor, ' +
    'beside the bare commands in a loop of a shell in the same guest, in the same run.',
  benchmarks: [volumesAtOnce],
};
