import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILE_SYSTEMS, OPTION_KEYS, REMOVE_POLICIES, SHRED_METHODS, WRITTEN_KEYS } from '../contract.ts';
import type { VolumeOptions } from '../options.ts';
import { encodeTag, LONGEST_TAG } from '../tags.ts';
import { anAsked } from './builders.ts';
import { type Asked, parseOptions, readWishes } from './parse.ts';
import { defaultsWarnings } from './said.ts';
import { writeOptions } from './write.ts';

type Texts = Readonly<Record<string, string>>;

function optionsOf(changes: Partial<Asked>): VolumeOptions {
  const parsed = parseOptions(anAsked(changes));
  if (!parsed.ok) throw new Error(parsed.faults.join('; '));
  return parsed.options;
}

function faultsOf(changes: Partial<Asked>): readonly string[] {
  const parsed = parseOptions(anAsked(changes));
  return parsed.ok ? [] : parsed.faults;
}

const annotated = (annotations: Texts) => faultsOf({ annotations });

describe('who decides', () => {
  test('nobody says anything: it is as in the original', () => {
    expect(optionsOf({})).toEqual({
      fsType: 'ext4',
      fsArgs: [],
      mountOpts: ['noexec'],
      vg: 'storage_bulk',
      autoRelease: false,
      shred: 'none',
      removePolicy: 'delete',
    });
  });

  test('the ConfigMap says what volumes do not', () => {
    const defaults = { fsType: 'xfs', vg: 'fast', mountOpts: 'noatime', thinPool: 'pool', removePolicy: 'trash' };
    const options = optionsOf({ defaults, annotations: { vg: 'slow', autoRelease: 'true' } });
    expect(options).toMatchObject({
      fsType: 'xfs',
      vg: 'slow',
      mountOpts: ['noatime'],
      thin: { pool: 'pool' },
      removePolicy: 'trash',
      autoRelease: true,
    });
  });

  test('a volume can want nothing where the ConfigMap wants something', () => {
    const defaults = {
      mountOpts: 'noatime',
      fsOpts: '-m 1',
      thinPool: 'pool',
      thinPoolSize: '1Ti',
      cryptSecret: 'key',
    };
    const annotations = { mountOpts: '', fsOpts: '', thinPool: '', cryptSecret: '' };
    const options = optionsOf({ defaults, annotations });
    expect(options).toMatchObject({ mountOpts: [], fsArgs: [] });
    expect(options.thin).toBeUndefined();
    expect(options.crypt).toBeUndefined();
  });

  test('of a volume that it was begun to make, later defaults change only what can be changed', () => {
    const defaults = {
      fsType: 'xfs',
      vg: 'fast',
      thinPool: 'pool',
      cryptSecret: 'key',
      fsOpts: '-K',
      mountOpts: 'noatime',
    };
    expect(optionsOf({ defaults, isSettled: true })).toMatchObject({
      fsType: 'ext4',
      vg: 'storage_bulk',
      fsArgs: [],
      thin: undefined,
      crypt: undefined,
      mountOpts: ['noatime'],
    });
  });

  test('of a volume that is there already, options of mkfs do nothing, and stop nobody', () => {
    const asked = anAsked({ annotations: { fsOpts: '-L data', mountOpts: 'noatime' }, isMade: true });
    expect(parseOptions(asked)).toMatchObject({
      ok: true,
      options: { fsArgs: [], mountOpts: ['noatime'] },
      warnings: [
        expect.stringMatching(/^fsOpts cannot have "-L data": .* ignored, since the volume has its filesystem$/),
      ],
    });
    expect(parseOptions({ ...asked, isMade: false }).ok).toBe(false);
  });

  test('a fault of a default says that it is one', () => {
    const fault =
      'shred of the ConfigMap holdfast-lvm-defaults cannot be "rm": it is one of none, zero, discard, random';
    expect(faultsOf({ defaults: { shred: 'rm' } })).toEqual([fault]);
    expect(annotated({ shred: 'rm' })).toEqual(['shred cannot be "rm": it is one of none, zero, discard, random']);
  });
});

describe('keys that nobody knows', () => {
  test('are named, and do not matter', () => {
    const annotations = { fstype: 'xfs', vg: 'fast', 'mount\u202eOpts': '' };
    expect(parseOptions(anAsked({ annotations }))).toMatchObject({
      ok: true,
      options: { fsType: 'ext4', vg: 'fast' },
      warnings: [
        'of the annotations, "local-pv.k8s.portavita.net/fstype", "local-pv.k8s.portavita.net/mount\\u202eOpts" are ignored: ' +
          `the options are ${OPTION_KEYS.join(', ')}`,
      ],
    });
  });

  test('are not those that the agent writes', () => {
    const annotations = Object.fromEntries(WRITTEN_KEYS.map((key) => [key, 'x']));
    expect(parseOptions(anAsked({ annotations }))).toMatchObject({ ok: true, warnings: [] });
  });

  test('are told in one sentence, however many', () => {
    const annotations = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, 'x']));
    const { warnings } = parseOptions(anAsked({ annotations }));
    expect(warnings).toEqual([expect.stringContaining('and 990 more are ignored')]);
  });

  test('of the ConfigMap are told once for all volumes, and so is what is no default', () => {
    expect(defaultsWarnings({ fsType: 'xfs' })).toEqual([]);
    expect(defaultsWarnings({ fsType: 'xfs', status: 'x', snapshotOf: 'db-1' })).toEqual([
      expect.stringMatching(/^of the ConfigMap holdfast-lvm-defaults, "snapshotOf", "status" are ignored: /),
    ]);
    expect(optionsOf({ defaults: { snapshotOf: 'db-\u0661', status: 'x' } }).snapshotOf).toBeUndefined();
  });
});

describe('what contradicts itself', () => {
  test('is the size of a pool that is not named', () => {
    expect(annotated({ thinPoolSize: '1Ti' })).toEqual([
      'thinPoolSize cannot be "1Ti": it is the size of a thinPool, and none is named',
    ]);
    expect(faultsOf({ defaults: { thinPoolSize: '1Ti' } })).toEqual([]);
    expect(optionsOf({ defaults: { thinPoolSize: '1Ti' }, annotations: { thinPool: 'pool' } }).thin).toEqual({
      pool: 'pool',
      poolBytes: 2n ** 40n,
    });
  });

  test.each(['zero', 'random'])('is to write %s over a thin volume', (shred) => {
    const fault = `shred cannot be "${shred}" with a thinPool: writing would fill the pool; use discard`;
    expect(annotated({ shred, thinPool: 'pool' })).toEqual([fault]);
    expect(faultsOf({ defaults: { shred }, annotations: { thinPool: 'pool' } })).toEqual([
      fault.replace('shred', 'shred of the ConfigMap holdfast-lvm-defaults'),
    ]);
    expect(annotated({ shred })).toEqual([]);
  });

  test.each(['none', 'discard'])('is not to shred a thin volume with %s', (shred) => {
    expect(annotated({ shred, thinPool: 'pool' })).toEqual([]);
  });

  test.each([
    [{ fsOpts: '-m 0' }, 'fsOpts cannot be "-m 0": a snapshot has what the volume has that it is of'],
    [{ thinPool: 'pool' }, 'thinPool cannot be "pool": a snapshot has what the volume has that it is of'],
    [{ thinPoolSize: '1Gi' }, 'thinPoolSize cannot be "1Gi": a snapshot has what the volume has that it is of'],
    [{ mountOpts: 'rw' }, 'mountOpts cannot have "rw": a snapshot is only read'],
    [
      { fsType: 'btrfs' },
      'snapshotOf cannot be of a btrfs: to the kernel a copy of one is the same filesystem, and it mounts only one of them; use snapshots of btrfs itself',
    ],
    [{ shred: 'zero' }, 'shred cannot be "zero" with snapshotOf: writing would fill the snapshot; use discard or none'],
  ])('is a snapshot with %j', (annotations: Texts, fault) => {
    expect(annotated({ ...annotations, snapshotOf: 'db-1' })).toEqual([fault]);
  });

  test('is not a snapshot with the key of its origin, and with defaults for other volumes', () => {
    const defaults = { fsOpts: '-m 0', thinPool: 'pool', thinPoolSize: '1Ti' };
    const annotations = { snapshotOf: 'db-1', cryptSecret: 'key' };
    const options = optionsOf({ defaults, annotations });
    expect(options).toMatchObject({ snapshotOf: 'db-1', fsArgs: [], crypt: { namespace: 'storage', name: 'key' } });
    expect(options.thin).toBeUndefined();
  });

  test('is a snapshot of itself, or in itself', () => {
    expect(annotated({ snapshotOf: 'db-0' })).toEqual(['snapshotOf cannot be "db-0": that is the volume itself']);
    expect(annotated({ thinPool: 'db-0' })).toEqual(['thinPool cannot be "db-0": that is the volume itself']);
  });
});

describe('a key', () => {
  test('is read from namespaces that are listed', () => {
    expect(optionsOf({ annotations: { cryptSecret: 'keys/db' } }).crypt).toEqual({ namespace: 'keys', name: 'db' });
  });

  test('is not read from others', () => {
    expect(annotated({ cryptSecret: 'kube-system/db' })).toEqual([
      'cryptSecret cannot be "kube-system/db": Secrets of the namespace "kube-system" are not read, since --secret-namespaces of the agent does not list it (only storage, keys)',
    ]);
  });

  test('is not read from that of the agent either when it is not listed', () => {
    expect(faultsOf({ annotations: { cryptSecret: 'db' }, secretNamespaces: [] })).toEqual([
      expect.stringContaining(
        '"storage" are not read, since --secret-namespaces of the agent does not list it (none is)',
      ),
    ]);
  });
});

describe('beside the options', () => {
  test('the capacity is read', () => {
    expect(parseOptions(anAsked({ capacity: '1.5Gi' }))).toMatchObject({ ok: true, bytes: 1610612736n });
    expect(faultsOf({ capacity: '0' })).toEqual([expect.stringMatching(/^spec.capacity.storage cannot be "0": /)]);
    expect(faultsOf({ capacity: undefined })).toEqual([
      'spec.capacity.storage is missing: write the size of the volume',
    ]);
  });

  test('the path and the name are judged', () => {
    expect(faultsOf({ path: '/etc' })).toEqual(['spec.local.path cannot be "/etc": it has to be "/mnt/pv/db-0"']);
    expect(faultsOf({ name: 'snapshot-1' })).toEqual([
      'metadata.name cannot be "snapshot-1": LVM keeps names that begin with snapshot for itself',
    ]);
    expect(faultsOf({ name: 'a'.repeat(100), annotations: { vg: 'v'.repeat(100) } })).toEqual([
      expect.stringMatching(/^metadata.name cannot be .* it has 201 characters in the device mapper/),
    ]);
  });

  test('all that is wrong is told at once', () => {
    const annotations = {
      fsType: 'xfs',
      mountOpts: 'bind,logbufs=9',
      vg: '..',
      fsOpts: '-f',
      cryptSecret: 'a/b/c',
      autoRelease: 'yes',
      thinPool: '-p',
      thinPoolSize: '0',
      shred: 'rm',
      removePolicy: 'keep',
    };
    const faults = faultsOf({ path: '/etc', capacity: '-1', annotations });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual(
      ['spec.capacity.storage', 'spec.local.path', 'mountOpts', ...Object.keys(annotations).slice(1)].sort(),
    );
  });

  test.each([
    ['fsOpts', '-m 0'.padEnd(256)],
    ['mountOpts', `${'noexec,'.repeat(36)}sync`],
  ])('%s is short enough to be kept as a tag of LVM', (key, longest) => {
    expect(longest).toHaveLength(256);
    expect(annotated({ [key]: longest })).toEqual([]);
    expect(annotated({ [key]: ` ${longest}` })).toEqual([expect.stringContaining('256 characters are the most')]);
    /** Of `-m0`, written as `-m 0`, four characters become five at most. */
    const written = ','.repeat((256 * 5) / 4);
    expect(encodeTag(key, written).length).toBeLessThanOrEqual(LONGEST_TAG);
  });

  test('of a filesystem that nobody knows, no options are judged', () => {
    expect(annotated({ fsType: 'ntfs', mountOpts: 'bind', fsOpts: '-F' })).toEqual([
      'fsType cannot be "ntfs": it is one of ext2, ext3, ext4, xfs, btrfs',
    ]);
  });
});

describe('what is in force', () => {
  const dnsName = fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/).filter((name) => !/^(snapshot|pvmove)/.test(name));
  const common = {
    fsType: fc.constantFrom(...FILE_SYSTEMS),
    mountOpts: fc.subarray(['noexec', 'noatime', 'nodev', 'nosuid', 'dirsync']).map((options) => options.join(',')),
    vg: fc.constantFrom('vg0', 'storage_bulk', 'a-b'),
    autoRelease: fc.constantFrom('true', 'false'),
    removePolicy: fc.constantFrom(...REMOVE_POLICIES),
    cryptSecret: fc.constantFrom('', 'key', 'keys/db', 'storage/key'),
  };
  const plain = fc.record({
    ...common,
    fsOpts: fc.constantFrom('', '-q'),
    shred: fc.constantFrom('none', 'zero', 'random'),
  });
  const thin = fc.record({
    ...common,
    thinPool: dnsName,
    thinPoolSize: fc.constantFrom('', '1500m', '1Ti', '3e9'),
    shred: fc.constantFrom('none', 'discard'),
  });
  const fsType = fc.constantFrom(...FILE_SYSTEMS.filter((each) => each !== 'btrfs'));
  const snapshot = fc.record({ ...common, fsType, snapshotOf: dnsName });
  const texts: fc.Arbitrary<Texts> = fc.oneof(plain, thin, snapshot);

  test('is read as the same when it has been written, whatever the defaults are then', () => {
    fc.assert(
      fc.property(texts, texts, (annotations, defaults) => {
        const options = optionsOf({ annotations, name: 'the-volume-0' });
        const written = writeOptions(options);
        expect(optionsOf({ annotations: written, defaults, isSettled: true, name: 'the-volume-0' })).toEqual(options);
      }),
    );
  });

  test('does not name what is not', () => {
    expect(writeOptions(optionsOf({}))).toEqual({
      fsType: 'ext4',
      mountOpts: 'noexec',
      vg: 'storage_bulk',
      fsOpts: '',
      autoRelease: 'false',
      shred: 'none',
      removePolicy: 'delete',
    });
  });
});

test('what is to become of a deleted volume is what somebody has written, or there is a fault', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom(...SHRED_METHODS, ...REMOVE_POLICIES));
  const written = fc.record({ shred: text, removePolicy: text }, { requiredKeys: [] });
  const layout = fc.record({ isSnapshot: fc.boolean(), isThin: fc.boolean() });
  fc.assert(
    fc.property(written, layout, (wanted, there) => {
      const wishes = readWishes(wanted, there);
      if (wishes.faults.length > 0) return;
      expect(wishes.shred).toBe(wanted.shred || 'none');
      expect(wishes.removePolicy).toBe(wanted.removePolicy || 'delete');
    }),
  );
});
