import { describe, expect, it } from 'vitest';
import { GROUP, SimulatedNode } from './simulated-node.ts';

const RESYNC_MS = 10 * 60_000;

/** How often each program was run. */
function counted(commands: readonly (readonly string[])[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [program = ''] of commands) counts[program] = (counts[program] ?? 0) + 1;
  return counts;
}

async function nodeWith(volumes: number): Promise<SimulatedNode> {
  const node = new SimulatedNode({ extents: BigInt(volumes) });
  for (let index = 0; index < volumes; index++) node.declare(`volume-${index}`, { size: 1n });
  await node.rest();
  const states = node.cluster.volumes.map(({ metadata }) => node.says(metadata.name ?? '', 'status'));
  expect(states).toEqual(Array.from({ length: volumes }, () => 'Processed'));
  return node;
}

describe('what volumes cost', { timeout: 180_000 }, () => {
  it('50 that are declared at once take some commands for all of them, and no other', async () => {
    const node = await nodeWith(50);
    const commands = node.commandsSince(0);
    expect(counted(commands)).not.toHaveProperty('lvcreate');
    expect(commands.length).toBeLessThan(24);
    expect(node.apiWrites).toHaveLength(100);
  });

  it('a pass over 200 that are ready takes at most 3 commands, and writes nothing', async () => {
    const node = await nodeWith(200);
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.pass(RESYNC_MS);
    expect(node.commandsSince(calls).length).toBeLessThanOrEqual(3);
    expect(node.commandsSince(calls).length).toBeGreaterThan(0);
    expect(node.apiWrites).toHaveLength(writes);
  });

  it('a start of the agent where 200 are ready takes at most 3 commands, and writes nothing', async () => {
    const node = await nodeWith(200);
    node.kill();
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.rest();
    expect(node.commandsSince(calls).length).toBeLessThanOrEqual(3);
    expect(node.apiWrites).toHaveLength(writes);
  });

  it('200 that a reboot has left inactive are activated and mounted by few commands', async () => {
    const node = await nodeWith(200);
    node.reboot();
    const calls = node.machine.calls.length;
    await node.rest();
    expect(node.machine.mounts).toHaveLength(200);
    expect(counted(node.commandsSince(calls))).toMatchObject({ lvchange: 1, mount: 1 });
    expect(node.commandsSince(calls).length).toBeLessThan(10);
  });

  it('50 that are deleted at once take fewer than 200 commands', async () => {
    const node = await nodeWith(50);
    const calls = node.machine.calls.length;
    for (let index = 0; index < 50; index++) node.delete(`volume-${index}`);
    await node.rest();
    expect(node.lvm.groups.get(GROUP)?.volumes.size).toBe(0);
    expect(node.commandsSince(calls).length).toBeLessThan(200);
  });

  it('50 that do not fit are refused, and looked at again together', async () => {
    const node = new SimulatedNode({ extents: 0n });
    for (let index = 0; index < 50; index++) node.declare(`volume-${index}`, { size: 1n });
    await node.rest();
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.pass(RESYNC_MS);
    expect(node.commandsSince(calls).length).toBeLessThan(30);
    expect(node.apiWrites).toHaveLength(writes);
  });
});
