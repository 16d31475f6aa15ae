import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Retry } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import type { Known } from '../kit/known.ts';
import { Patience } from '../kit/patience.ts';
import type { Command } from './commands.ts';
import { type Format, Formatting } from './formatting.ts';
import { PatientOpening, READ_PATIENCE_MS } from './patient-opening.ts';
import { contentsAt } from './signatures.ts';

const format = (name: string, changes: Partial<Format> = {}): Format => ({
  fsType: 'ext4',
  fsArgs: [],
  device: `/dev/vg/${name}`,
  vg: 'vg',
  number: '253:1',
  over: undefined,
  ...changes,
});

/** Disks dm-0, dm-1, …, so many in each group, of which some do not answer for long when they are read for the first time. */
function aNodeOfDisks(groups: Readonly<Record<string, number>>, silent: readonly string[]) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine(clock);
  const vgs = Object.entries(groups).flatMap(([vg, count]) => Array.from({ length: count }, () => vg));
  const formats = vgs.map((vg, index) => format('', { vg, device: `/dev/dm-${index}` }));
  for (const index of vgs.keys()) machine.addDisk({ name: `dm-${index}`, sizeBytes: 2 ** 20 });
  const isRead = (name: string) => (operation: Operation) =>
    operation.verb === 'device.read' && operation.target === `/dev/${name}`;
  for (const name of silent) machine.faults.when(isRead(name), { kind: 'delay', ms: HANGS_MS });
  const host = machine.host();
  const opening = new PatientOpening(host, new Patience(clock, 10));
  const { signal } = new AbortController();
  const ran: string[] = [];
  const formatting = new Formatting({
    run: async ({ argv, options }) => {
      ran.push(...devicesIn({ argv, options }));
    },
    isStill: async () => {},
    look: (paths, group) => contentsAt(host, paths, (path) => opening.open(path, { group, exclusive: true, signal })),
  });
  const opensOf = (name: string) =>
    machine.calls.filter(({ verb, target }) => verb === 'device.open' && target === `/dev/${name}`).length;
  return { clock, formatting, formats, ran, opensOf };
}

const HANGS_MS = 10 * READ_PATIENCE_MS;

const devicesIn = ({ argv, options }: Command): readonly string[] =>
  argv.includes('xargs') ? `${options.input}`.split('\0') : [argv.at(-1) ?? ''];

/** A node on whose devices of these names mkfs fails. */
function aNode(...broken: readonly string[]) {
  const ran: (readonly string[])[] = [];
  const content = new Map<string, Known<string | undefined>>();
  const run = async ({ argv, options }: Command) => {
    const devices = devicesIn({ argv, options });
    ran.push(devices);
    if (devices.some((device) => broken.some((name) => device.endsWith(`/${name}`))))
      throw new CommandError(argv, { kind: 'exited', code: 1 });
    for (const device of devices) content.set(device, found('ext4'));
  };
  const isStill = async (path: string) => {
    if (path.endsWith('/moved')) throw new Error('it is another device');
  };
  const look = async (devices: readonly string[]) => devices.map((device) => content.get(device) ?? found(undefined));
  return { ran, content, formatting: new Formatting({ run, isStill, look }) };
}

const found = (value: string | undefined): Known<string | undefined> => ({ known: true, value });

const formatAll = (formatting: Formatting, formats: readonly Format[]) => Promise.all(formatting.begin(formats));

const names = (failures: readonly (Error | undefined)[]) => failures.map((failure) => failure?.name);

describe('filesystems', () => {
  it('that are to be alike are made by one command, and others by others', async () => {
    const { formatting, ran } = aNode();
    const all = [format('a'), format('b'), format('c', { fsType: 'xfs' }), format('d', { fsArgs: ['-m', '0'] })];
    expect(names(await formatAll(formatting, all))).toEqual([undefined, undefined, undefined, undefined]);
    expect(ran.toSorted()).toEqual([['/dev/vg/a', '/dev/vg/b'], ['/dev/vg/c'], ['/dev/vg/d']]);
  });

  it('are made one by one when one of them has failed, until it has not', async () => {
    const { formatting, ran } = aNode('b');
    expect(names(await formatAll(formatting, [format('a'), format('b')]))).toEqual(['Retry', 'Retry']);
    expect(names(await formatAll(formatting, [format('a'), format('b')]))).toEqual([undefined, 'CommandError']);
    const again = [format('a', { over: 'ext4' }), format('c')];
    expect(names(await formatAll(formatting, again))).toEqual([undefined, undefined]);
    expect(ran.slice(1)).toEqual([['/dev/vg/a'], ['/dev/vg/b'], ['/dev/vg/a', '/dev/vg/c']]);
  });

  it('are made some at a time', async () => {
    const { formatting, ran } = aNode();
    const all = Array.from({ length: 20 }, (_, index) => format(`${index}`));
    await formatAll(formatting, all);
    expect(ran.map((devices) => devices.length)).toEqual([16, 4]);
  });

  it('are not made over what somebody has written while others were made', async () => {
    const node = aNode();
    const all = Array.from({ length: 18 }, (_, index) => format(`${index}`));
    const [written] = all.slice(-1);
    const formatted = formatAll(node.formatting, all);
    node.content.set(written?.device ?? '', found('swap'));
    expect((await formatted).findIndex((failure) => failure !== undefined)).toBe(17);
    expect((await formatted)[17]).toEqual(new Retry('there is swap on /dev/vg/17, where nothing was expected'));
    expect(node.ran.map((devices) => devices.length)).toEqual([16, 1]);
  });

  it('are made over the beginning of one that was cut off, and not when that is something else by now', async () => {
    const { formatting, ran, content } = aNode();
    for (const name of ['begun', 'gone']) content.set(`/dev/vg/${name}`, found(name === 'begun' ? 'ext4' : undefined));
    const all = [format('begun', { over: 'ext4' }), format('gone', { over: 'ext4' })];
    expect(names(await formatAll(formatting, all))).toEqual([undefined, 'Retry']);
    expect(ran).toEqual([['/dev/vg/begun']]);
  });

  it('are not made where nobody can tell what is there', async () => {
    const { formatting, ran, content } = aNode();
    content.set('/dev/vg/a', { known: false, why: 'it is busy' });
    const [failure] = await formatAll(formatting, [format('a')]);
    expect(failure).toEqual(new Retry('what is on /dev/vg/a cannot be told: it is busy'));
    expect(ran).toEqual([]);
  });

  it('are all said not to be made when what is there could not be looked at', async () => {
    const look = () => Promise.reject(new Error('no memory'));
    const formatting = new Formatting({ run: async () => {}, isStill: async () => {}, look });
    expect(await formatAll(formatting, [format('a'), format('b')])).toEqual([
      new Error('no memory'),
      new Error('no memory'),
    ]);
  });

  it('are not made where the path leads to another device by now', async () => {
    const { formatting, ran } = aNode();
    expect(names(await formatAll(formatting, [format('moved'), format('a')]))).toEqual(['Error', undefined]);
    expect(ran).toEqual([['/dev/vg/a']]);
  });

  it('of different groups are made by different commands: their disks have nothing to do with each other', async () => {
    const { formatting, ran } = aNode();
    await formatAll(formatting, [format('a'), format('b', { vg: 'other' }), format('c')]);
    expect(ran.toSorted()).toEqual([['/dev/vg/a', '/dev/vg/c'], ['/dev/vg/b']]);
  });
});

describe('a device that does not answer', () => {
  it('keeps those beside it, and those after it, waiting for no longer than it is given', async () => {
    const { clock, formatting, formats, ran } = aNodeOfDisks({ vg: 20 }, ['dm-3']);
    const formatted = formatAll(formatting, formats);
    await clock.advance(READ_PATIENCE_MS);
    const failures = await formatted;
    expect(failures[3]).toEqual(new Retry('what is on /dev/dm-3 cannot be told: it does not answer'));
    expect(failures.filter(Boolean)).toHaveLength(1);
    expect(ran).toHaveLength(19);
  });

  it('keeps no other group waiting at all', async () => {
    const { formatting, formats, ran } = aNodeOfDisks({ vg: 2, other: 20 }, ['dm-0']);
    const others = formatting.begin(formats).slice(2);
    expect(names(await Promise.all(others))).toEqual(others.map(() => undefined));
    expect(ran).toHaveLength(20);
  });

  it('is not read again until it has answered', async () => {
    const { clock, formatting, formats, opensOf } = aNodeOfDisks({ vg: 1 }, ['dm-0']);
    const first = formatAll(formatting, formats);
    await clock.advance(READ_PATIENCE_MS);
    expect(names(await first)).toEqual(['Retry']);
    expect(await formatAll(formatting, formats)).toEqual(await first);
    expect(opensOf('dm-0')).toBe(1);
    await clock.advance(HANGS_MS);
    expect(names(await formatAll(formatting, formats))).toEqual([undefined]);
  });
});
