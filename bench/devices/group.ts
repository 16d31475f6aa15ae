/** What the job "devices" costs, beside what the system's own programs take for the same devices. */
import type { Group } from '../measure/group.ts';
import { agentMemory } from './agent-memory.ts';
import { discovery } from './discovery.ts';
import { memory } from './memory.ts';
import { wipeByKernel, wipeByWriting } from './wipe.ts';

export const group: Group = {
  name: 'devices',
  about:
    'Block devices that are found, and wiped by each method, beside `dd oflag=direct` and `blkdiscard` on the same devices in the same run.',
  benchmarks: [discovery, memory, agentMemory, wipeByWriting, wipeByKernel],
};
