import { describe, expect, it } from 'vitest';
import type { Operation } from '../kit/host/simulated/operation.ts';
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
    expect(commands.length).toBeLessThanOrEqual(19);
    expect(node.apiWrites).toHaveLength(100);
  });

  it('a pass over 200 that are ready takes one command, another to tidy up, and writes nothing', async () => {
    const node = await nodeWith(200);
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.pass(RESYNC_MS);
    expect(node.commandsSince(calls)).toHaveLength(2);
    expect(node.apiWrites).toHaveLength(writes);
  });

  it('a start of the agent where 200 are ready takes one command, and writes nothing', async () => {
    const node = await nodeWith(200);
    node.kill();
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.rest();
    expect(node.commandsSince(calls)).toHaveLength(1);
    expect(node.apiWrites).toHaveLength(writes);
  });

  it('200 that a reboot has left inactive are activated and mounted by few commands', async () => {
    const node = await nodeWith(200);
    node.reboot();
    const calls = node.machine.calls.length;
    await node.rest();
    expect(node.machine.mounts).toHaveLength(200);
    expect(counted(node.commandsSince(calls))).toMatchObject({ lvchange: 1, mount: 1 });
    expect(node.commandsSince(calls).length).toBeLessThan(8);
  });

  it('50 that are deleted at once take little more than three commands each', async () => {
    const node = await nodeWith(50);
    const calls = node.machine.calls.length;
    for (let index = 0; index < 50; index++) node.delete(`volume-${index}`);
    await node.rest();
    expect(node.lvm.groups.get(GROUP)?.volumes.size).toBe(0);
    expect(node.commandsSince(calls).length).toBeLessThan(160);
  });

  it('50 that do not fit are refused, and looked at again together', async () => {
    const node = new SimulatedNode({ extents: 0n });
    for (let index = 0; index < 50; index++) node.declare(`volume-${index}`, { size: 1n });
    await node.rest();
    const [calls, writes] = [node.machine.calls.length, node.apiWrites.length];
    await node.pass(RESYNC_MS);
    expect(node.commandsSince(calls).length).toBeLessThan(24);
    expect(node.apiWrites).toHaveLength(writes);
  });
});

describe('a new volume is read', () => {
  const reads = (node: SimulatedNode, from: number): readonly string[] =>
    node.machine.calls
      .slice(from)
      .filter(({ verb, argv = [] }) => verb === 'device.open' || argv.includes('mkfs.ext4'))
      .map(({ verb }) => verb);

  it('once, just before its filesystem is made, when it was just made itself', async () => {
    const node = new SimulatedNode();
    node.declare('data');
    await node.rest();
    expect(reads(node, 0)).toEqual(['device.open', 'exec']);
  });

  it('once more before that is decided on, when it is not the one that was just made', async () => {
    const node = new SimulatedNode();
    node.declare('data');
    let isReplaced = false;
    const replace = ({ argv = [] }: Operation) => {
      const made = node.lv('data');
      if (isReplaced || !argv.includes('fullreport') || !made?.tags.has('holdfast.dev/state=new')) return false;
      isReplaced = true;
      node.lvm.remove(made);
      node.lvm.create(node.group, { ...made, mapped: undefined });
      return false;
    };
    node.machine.faults.when(replace, { kind: 'fail' });
    await node.rest();
    expect(isReplaced).toBe(true);
    expect(reads(node, 0)).toEqual(['device.open', 'device.open', 'exec']);
  });

  it('once more before that is decided on, when another agent has made it', async () => {
    const node = new SimulatedNode();
    node.declare('data');
    const isFormat = ({ argv = [] }: Operation) => argv.includes('mkfs.ext4');
    node.machine.faults.when(isFormat, { kind: 'crash-before' });
    node.start();
    await node.pass(10_000);
    expect(node.lv('data')?.tags).toContain('holdfast.dev/state=new');
    const calls = node.machine.calls.length;
    await node.rest();
    expect(node.says('data', 'status')).toBe('Processed');
    expect(reads(node, calls)).toEqual(['device.open', 'device.open', 'exec']);
  });
});

describe('a disk that hangs', () => {
  it('under a new volume keeps no other from being made, and it is made when the disk answers', async () => {
    const node = new SimulatedNode();
    const names = Array.from({ length: 20 }, (_, index) => `volume-${index}`);
    for (const name of names) node.declare(name, { size: 1n });
    const [silent = ''] = names;
    const isItsRead = ({ verb, target }: Operation) => verb === 'device.read' && target.endsWith(`/${silent}`);
    node.machine.faults.when(isItsRead, { kind: 'delay', ms: 2 * RESYNC_MS });
    node.start();
    await node.pass(RESYNC_MS);
    for (const name of names.slice(1)) expect(node.says(name, 'status')).toBe('Processed');
    expect(node.says(silent, 'message')).toContain('it does not answer');
    await node.pass(3 * RESYNC_MS);
    expect(node.says(silent, 'status')).toBe('Processed');
    expect(node.violations).toEqual([]);
  });
});
