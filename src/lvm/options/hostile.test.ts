/** What somebody could write to make the agent do what it must not. Each is refused, and says so without repeating anything that does harm. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPTION_KEYS } from '../contract.ts';
import { anAsked } from './builders.ts';
import { parseOptions } from './parse.ts';

const HOSTILE: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  // a shell, if there were one
  ['a command behind a semicolon', { vg: 'vg; reboot' }],
  ['a command in a substitution', { vg: '$(reboot)' }],
  ['a command in backquotes', { fsOpts: '-L `reboot`' }],
  ['a command behind an ampersand', { mountOpts: 'noexec && reboot' }],
  ['a command in a pipe', { fsOpts: '-m 0 | sh' }],
  ['a redirection', { fsOpts: '-m 0 > /etc/passwd' }],
  ['a variable', { vg: '$IFS' }],
  ['a wildcard', { vg: '*' }],
  ['a quote that is never closed', { fsOpts: '-L "pv-a' }],
  ['a quoted option', { fsOpts: "'-d' /etc" }],
  ['a quoted mount option', { mountOpts: '"noexec"' }],
  ['an escaped space', { fsOpts: '-L pv-a\\ -F' }],
  // options where names are expected
  ['an option as a volume group', { vg: '--config=devices{filter=[]}' }],
  ['a short option as a volume group', { vg: '-ay' }],
  ['the end of options as a volume group', { vg: '--' }],
  ['an option as a thin pool', { thinPool: '--yes' }],
  ['an option as an origin', { snapshotOf: '-f' }],
  ['an option as a Secret', { cryptSecret: '--insecure' }],
  ['an option as a filesystem', { fsType: '-t' }],
  ['a second word in a filesystem', { fsType: 'ext4 -F' }],
  ['the end of options for mkfs', { fsOpts: '-- /dev/sda' }],
  ['another device for mkfs', { fsOpts: '-m 0 /dev/sda' }],
  ['files of the node for mkfs', { fsOpts: '-d /etc/kubernetes' }],
  ['an undo file for mkfs', { fsOpts: '-z /etc/cron.d/x' }],
  ['an external journal', { fsOpts: '-J device=/dev/sda1' }],
  ['files of the node for mkfs of btrfs', { fsType: 'btrfs', fsOpts: '--rootdir=/root/.ssh' }],
  ['an abbreviated option', { fsType: 'btrfs', fsOpts: '--root=/etc' }],
  ['files of the node for mkfs of xfs', { fsType: 'xfs', fsOpts: '-p /etc/proto' }],
  ['another log device', { fsType: 'xfs', fsOpts: '-l logdev=/dev/sda' }],
  ['an option hidden in the value of another', { fsOpts: '-E stride=1,discard -d/etc' }],
  ['a mount of another directory', { mountOpts: 'bind' }],
  ['a mount of a file', { mountOpts: 'loop,offset=0' }],
  ['a mount by a helper', { mountOpts: 'helper=evil' }],
  ['special files for everybody', { mountOpts: 'dev,suid' }],
  ['another device in a filesystem', { fsType: 'btrfs', mountOpts: 'device=/dev/sda' }],
  ['a unit of systemd', { mountOpts: 'x-systemd.requires=evil.service' }],
  ['a panic of the node', { mountOpts: 'errors=panic' }],
  // lines and fields of files in which options end up
  ['a second line of an fstab', { mountOpts: 'noexec 0 0\n/dev/sda /mnt ext4 rw' }],
  ['a second field of an fstab', { mountOpts: 'noexec\t0' }],
  ['an escape of an fstab', { mountOpts: 'noexec\\040' }],
  ['a second line of a unit', { mountOpts: 'noexec\n[Service]\nExecStart=/bin/sh' }],
  ['a specifier of systemd', { mountOpts: '%h' }],
  ['a line break in a volume group', { vg: 'vg\nevil' }],
  ['a line break at the end', { fsType: 'ext4\n' }],
  ['a carriage return', { fsOpts: '-m 0\r-F' }],
  ['a NUL', { vg: 'vg\0/../x' }],
  ['a NUL in an option', { fsOpts: '-m\u00000' }],
  ['an escape sequence of a terminal', { vg: '\u001b[2Jvg' }],
  ['text that turns its direction', { fsOpts: '\u202e0 m-' }],
  // names that lead elsewhere
  ['the directory above as a volume group', { vg: '..' }],
  ['the same directory as a volume group', { vg: '.' }],
  ['a path as a volume group', { vg: '../../etc' }],
  ['an absolute path as a volume group', { vg: '/dev/sda' }],
  ['a tag as a volume group', { vg: '@all' }],
  ['a logical volume as a volume group', { vg: 'vg/root' }],
  ['the device mapper as a volume group', { vg: 'mapper' }],
  ['a disk as a volume group', { vg: 'sda' }],
  ['a path as a thin pool', { thinPool: 'other/pool' }],
  ['the inside of another pool', { thinPool: 'pool_tdata' }],
  ['the metadata of another pool', { thinPool: 'pool_tmeta' }],
  ['the spare metadata', { thinPool: 'lvol0_pmspare' }],
  ['the inside of a mirror as an origin', { snapshotOf: 'root_rimage_0' }],
  ['a name that LVM keeps for snapshots', { snapshotOf: 'snapshot0' }],
  ['a name that LVM keeps for moving', { thinPool: 'pvmove0' }],
  ['a path as an origin', { snapshotOf: '../root' }],
  ['the directory above as a Secret', { cryptSecret: '../kube-system/key' }],
  ['a query as a Secret', { cryptSecret: 'keys/key?watch=1' }],
  ['an escaped slash as a Secret', { cryptSecret: 'keys/..%2fkey' }],
  ['a Secret of another namespace', { cryptSecret: 'kube-system/bootstrap-token' }],
  // text that is not what it looks like
  ['a Cyrillic letter in a filesystem', { fsType: '\u0435xt4' }],
  ['a wide letter in a volume group', { vg: '\uff56g' }],
  ['a dash that is not a hyphen', { fsOpts: '\u2013m 0' }],
  ['a space that is none', { fsOpts: '-m\u00a00' }],
  ['a letter without width', { shred: 'zero\u200b' }],
  ['digits of another script', { thinPool: 'pool', thinPoolSize: '\u0661Ti' }],
  ['half a character', { vg: 'vg\ud800' }],
  ['other case', { fsType: 'EXT4' }],
  ['a name of every object', { fsType: 'constructor' }],
  ['a name of every object as a method', { shred: '__proto__' }],
  // amounts
  ['a huge list', { mountOpts: 'noexec,'.repeat(10_000) }],
  ['a huge option', { fsOpts: `-L pv-${'a'.repeat(200_000)}` }],
  ['a huge name', { vg: 'v'.repeat(100_000) }],
  ['a huge pool', { thinPool: 'pool', thinPoolSize: '1e999' }],
  ['a pool with digits without end', { thinPool: 'pool', thinPoolSize: '9'.repeat(100_000) }],
  ['a pool of nothing', { thinPool: 'pool', thinPoolSize: '-0' }],
  ['a number without end', { fsOpts: `-i ${'9'.repeat(100)}` }],
  ['truth in other words', { autoRelease: 'TRUE' }],
  ['nothing as a filesystem', { fsType: '' }],
  ['nothing as a volume group', { vg: '' }],
  ['nothing between commas', { mountOpts: 'noexec,,noatime' }],
];

describe('refused is', () => {
  test.each(HOSTILE)('%s', (_, annotations) => {
    const parsed = parseOptions(anAsked({ annotations }));
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    const [fault = '', ...others] = parsed.faults;
    expect(others).toEqual([]);
    expect(Object.keys(annotations)).toContain(fault.split(' ')[0]);
    expect(fault).toMatch(/^\w+ cannot /);
    expect(fault.length).toBeLessThan(1500);
    expect(fault).toMatch(/^[\x20-\x7e…]+$/);
  });

  test.each(HOSTILE)('%s as a default', (_, defaults) => {
    const parsed = parseOptions(anAsked({ defaults }));
    const isNoDefault = 'snapshotOf' in defaults;
    expect(parsed.ok).toBe(isNoDefault);
    if (!parsed.ok) expect(parsed.faults[0]).toContain('of the ConfigMap holdfast-lvm-defaults cannot ');
  });

  test('whatever cannot be read, without an exception', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const texts = fc.oneof(
      fc.string({ unit }),
      fc.string(),
      fc.constantFrom(...HOSTILE.flatMap(([, each]) => Object.values(each))),
    );
    const annotations = fc.dictionary(fc.oneof(fc.constantFrom(...OPTION_KEYS), fc.string()), texts);
    fc.assert(
      fc.property(annotations, annotations, fc.boolean(), (ours, defaults, isMade) => {
        const parsed = parseOptions(anAsked({ annotations: ours, defaults, isMade }));
        const told = [...parsed.warnings, ...(parsed.ok ? [] : parsed.faults)];
        for (const sentence of told) expect(sentence).toMatch(/^[\x20-\x7e…]{1,2500}$/);
        if (parsed.ok)
          expect(JSON.stringify({ ...parsed.options, thin: parsed.options.thin?.pool })).toMatch(/^[\x20-\x7e]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
