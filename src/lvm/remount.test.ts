import { describe, expect, it } from 'vitest';
import { options } from './builders.ts';
import { mountOptsOf, remountOptions, unmetBy } from './remount.ts';

const change = (was: readonly string[], wanted: readonly string[]) => ({ fsType: 'ext4' as const, was, wanted });

describe('what a volume is mounted with', () => {
  it('is what is asked for, and what keeps a snapshot from being written to', () => {
    expect(mountOptsOf(options({ mountOpts: ['noexec', 'ro'] }))).toEqual(['noexec', 'ro']);
    expect(mountOptsOf(options({ mountOpts: ['noexec', 'ro'], snapshotOf: 'other' }))).toEqual([
      'noexec',
      'ro',
      'noload',
    ]);
  });
});

describe('a remount', () => {
  it.each([
    [['noexec'], ['noexec', 'noatime'], ['noexec', 'noatime']],
    [['noexec', 'noatime'], ['nosuid'], ['nosuid', 'exec', 'relatime']],
    [['noatime'], ['strictatime'], ['strictatime']],
    [['ro'], ['rw'], ['rw']],
    [['discard', 'nobarrier'], [], ['nodiscard', 'barrier']],
    [['commit=30'], [], []],
    [['delalloc'], [], []],
  ])('from %j to %j names %j', (was, wanted, named) => expect(remountOptions(change(was, wanted))).toEqual(named));

  it.each<[readonly string[], readonly string[], string, string, readonly string[]]>([
    [['noexec'], ['noexec', 'noatime'], 'rw,noexec,noatime', 'rw', []],
    [['noexec'], [], 'rw,noexec,relatime', 'rw', ['noexec stays']],
    [['commit=30'], [], 'rw,relatime', 'rw,commit=30', ['commit=30 stays']],
    [[], ['logbsize=64k'], 'rw', 'rw,logbsize=32k', ['logbsize=64k is asked for, and it is logbsize=32k']],
    [[], ['logbsize=65536'], 'rw', 'rw,logbsize=64k', []],
    [[], ['compress=zstd'], 'rw', 'rw,compress=zstd:3', []],
    [[], ['compress=zlib'], 'rw', 'rw,compress=zstd:3', ['compress=zlib is asked for, and it is compress=zstd:3']],
    [[], ['commit=5'], 'rw', 'rw', []],
    [['ro'], [], 'rw,relatime', 'ro', []],
  ])('from %j to %j that comes to %s and %s leaves %j', (was, wanted, ofMount, ofFileSystem, unmet) => {
    const now = { options: ofMount.split(','), superOptions: ofFileSystem.split(',') };
    expect(unmetBy(change(was, wanted), now)).toEqual(unmet);
  });
});
