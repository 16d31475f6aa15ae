import { describe, expect, it } from 'vitest';
import { CommandError } from '../kit/host/command.ts';
import type { Command } from './commands.ts';
import { type Format, Formatting } from './formatting.ts';

const format = (name: string, changes: Partial<Format> = {}): Format => ({
  fsType: 'ext4',
  fsArgs: [],
  device: `/dev/vg/${name}`,
  number: '253:1',
  ...changes,
});

/** A node on whose devices of these names mkfs fails. */
function aNode(...broken: readonly string[]) {
  const ran: (readonly string[])[] = [];
  const run = async ({ argv, options }: Command) => {
    const devices = argv.includes('xargs') ? `${options.input}`.split('\0') : [argv.at(-1) ?? ''];
    ran.push(devices);
    if (devices.some((device) => broken.some((name) => device.endsWith(`/${name}`))))
      throw new CommandError(argv, { kind: 'exited', code: 1 });
  };
  const isStill = async (path: string) => {
    if (path.endsWith('/moved')) throw new Error('it is another device');
  };
  return { ran, formatting: new Formatting({ run, isStill }) };
}

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
    expect(names(await formatting.formatAll([format('a'), format('c')]))).toEqual([undefined, undefined]);
    expect(ran.slice(1)).toEqual([['/dev/vg/a'], ['/dev/vg/b'], ['/dev/vg/a', '/dev/vg/c']]);
  });

  it('are made some at a time, each looked at just before', async () => {
    const { formatting, ran } = aNode();
    const all = Array.from({ length: 20 }, (_, index) => format(`${index}`));
    await formatting.formatAll(all);
    expect(ran.map((devices) => devices.length)).toEqual([16, 4]);
  });

  it('are not made where the path leads to another device by now', async () => {
    const { formatting, ran } = aNode();
    expect(names(await formatting.formatAll([format('moved'), format('a')]))).toEqual(['Error', undefined]);
    expect(ran).toEqual([['/dev/vg/a']]);
  });
});
