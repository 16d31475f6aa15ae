import { describe, expect, it } from 'vitest';
import { Retry } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import type { Known } from '../kit/known.ts';
import type { Command } from './commands.ts';
import { type Format, Formatting } from './formatting.ts';

const format = (name: string, changes: Partial<Format> = {}): Format => ({
  fsType: 'ext4',
  fsArgs: [],
  device: `/dev/vg/${name}`,
  number: '253:1',
  over: undefined,
  ...changes,
});

/** A node on whose devices of these names mkfs fails. */
function aNode(...broken: readonly string[]) {
  const ran: (readonly string[])[] = [];
  const content = new Map<string, Known<string | undefined>>();
  const run = async ({ argv, options }: Command) => {
    const devices = argv.includes('xargs') ? `${options.input}`.split('\0') : [argv.at(-1) ?? ''];
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

const names = (failures: readonly (Error | undefined)[]) => failures.map((failure) => failure?.name);

describe('filesystems', () => {
  it('that are to be alike are made by one command, and others by others', async () => {
    const { formatting, ran } = aNode();
    const all = [format('a'), format('b'), format('c', { fsType: 'xfs' }), format('d', { fsArgs: ['-m', '0'] })];
    expect(names(await formatting.formatAll(all))).toEqual([undefined, undefined, undefined, undefined]);
    expect(ran.toSorted()).toEqual([['/dev/vg/a', '/dev/vg/b'], ['/dev/vg/c'], ['/dev/vg/d']]);
  });

  it('are made one by one when one of them has failed, until it has not', async () => {
    const { formatting, ran } = aNode('b');
    expect(names(await formatting.formatAll([format('a'), format('b')]))).toEqual(['Retry', 'Retry']);
    expect(names(await formatting.formatAll([format('a'), format('b')]))).toEqual([undefined, 'CommandError']);
    const again = [format('a', { over: 'ext4' }), format('c')];
    expect(names(await formatting.formatAll(again))).toEqual([undefined, undefined]);
    expect(ran.slice(1)).toEqual([['/dev/vg/a'], ['/dev/vg/b'], ['/dev/vg/a', '/dev/vg/c']]);
  });

  it('are made some at a time', async () => {
    const { formatting, ran } = aNode();
    const all = Array.from({ length: 20 }, (_, index) => format(`${index}`));
    await formatting.formatAll(all);
    expect(ran.map((devices) => devices.length)).toEqual([16, 4]);
  });

  it('are not made over what somebody has written while others were made', async () => {
    const node = aNode();
    const all = Array.from({ length: 18 }, (_, index) => format(`${index}`));
    const [written] = all.slice(-1);
    const formatted = node.formatting.formatAll(all);
    node.content.set(written?.device ?? '', found('swap'));
    expect((await formatted).findIndex((failure) => failure !== undefined)).toBe(17);
    expect((await formatted)[17]).toEqual(
      new Retry('there is swap on /dev/vg/17, and was nothing when it was looked at'),
    );
    expect(node.ran.map((devices) => devices.length)).toEqual([16, 1]);
  });

  it('are made over the beginning of one that was cut off, and not when that is something else by now', async () => {
    const { formatting, ran, content } = aNode();
    for (const name of ['begun', 'gone']) content.set(`/dev/vg/${name}`, found(name === 'begun' ? 'ext4' : undefined));
    const all = [format('begun', { over: 'ext4' }), format('gone', { over: 'ext4' })];
    expect(names(await formatting.formatAll(all))).toEqual([undefined, 'Retry']);
    expect(ran).toEqual([['/dev/vg/begun']]);
  });

  it('are not made where nobody can tell what is there', async () => {
    const { formatting, ran, content } = aNode();
    content.set('/dev/vg/a', { known: false, why: 'it is busy' });
    const [failure] = await formatting.formatAll([format('a')]);
    expect(failure).toEqual(new Retry('what is on /dev/vg/a cannot be told: it is busy'));
    expect(ran).toEqual([]);
  });

  it('are not made where the path leads to another device by now', async () => {
    const { formatting, ran } = aNode();
    expect(names(await formatting.formatAll([format('moved'), format('a')]))).toEqual(['Error', undefined]);
    expect(ran).toEqual([['/dev/vg/a']]);
  });
});
