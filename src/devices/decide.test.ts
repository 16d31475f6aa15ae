import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aConfig, aDisk, aReceipt, GIB } from './builders.ts';
import { decide, type Seen } from './decide.ts';
import { mendingWithoutDevice, newVolume } from './desired.ts';
import type { Found } from './discovery.ts';
import { identityOf } from './identity.ts';
import { type Volume, volumeOf } from './volume.ts';

const PATH = '/dev/disks/b';
const NODE = { name: 'n1', uid: 'uid-of-n1' };
const config = aConfig();
const NO_CONFIG = { fault: 'the ConfigMap is missing' };

const found = (parts: Partial<Found> = {}): Found => ({
  path: PATH,
  volume: 'local-n1-b',
  device: { facts: aDisk() },
  ...parts,
});

/** As we make it. */
const aVolume = (parts: Partial<Volume> = {}): Volume => {
  const identity = identityOf(aDisk());
  const made = newVolume({ name: 'local-n1-b', path: PATH, node: NODE, identity, config }, aReceipt(GIB));
  return { ...volumeOf({ ...made, status: { phase: 'Available' } }), ...parts };
};

const seen = (parts: Partial<Seen> = {}): Seen => ({
  node: NODE,
  name: 'local-n1-b',
  config,
  accepts: () => true,
  found: [found()],
  ...parts,
});

const deleting = { isDeleting: true, hasWipeFinalizer: true };

describe('of a device without a volume', () => {
  it('one is made, with what was found', () => {
    expect(decide(seen())).toEqual({
      do: 'make',
      wanted: { name: 'local-n1-b', path: PATH, node: NODE, identity: identityOf(aDisk()), config },
    });
  });

  it('nothing is made when there is no device either', () => {
    expect(decide(seen({ found: [] }))).toEqual({ do: 'nothing', because: { fact: 'allIsWell' } });
  });

  it.each<[string, Partial<Seen>, string, 'tell' | 'nothing']>([
    ['there is no configuration', { config: NO_CONFIG }, 'thereIsNoConfiguration', 'nothing'],
    ['two have the same name', { found: [found(), found({ path: '/dev/disks/B' })] }, 'nameIsShared', 'tell'],
    ['it cannot be used', { found: [found({ device: { fault: 'it is a file' } })] }, 'isUnusable', 'tell'],
    ['no volume can have its name', { name: `local-n1-${'b'.repeat(300)}` }, 'nameIsImpossible', 'tell'],
    ['it is a volume by another path', { madeOfIt: { volume: 'local-n1-c', path: '/c' } }, 'deviceHasAVolume', 'tell'],
    ['settings disagree', { disagreeing: { volume: 'local-n1-c', how: 'so' } }, 'settingsDisagree', 'tell'],
  ])('none is made when %s', (_, parts, fact, does) => {
    expect(decide(seen(parts))).toMatchObject({ do: does, because: { fact } });
  });
});

describe('a volume that nobody has left', () => {
  it.each(['Available', 'Bound', 'Pending', 'Failed'])('and is %s is as it should be', (phase) => {
    const volume = aVolume({ phase });
    expect(decide(seen({ volume }))).toEqual({ do: 'nothing', because: { fact: 'allIsWell' } });
  });

  it('is mended when something on it is not as it should be', () => {
    const volume = aVolume({ labels: {} });
    expect(decide(seen({ volume }))).toMatchObject({ do: 'mend', patch: { metadata: { labels: {} } } });
  });

  it('is mended and told of when its device has shrunk', () => {
    const volume = aVolume({ identity: { ...identityOf(aDisk()), sizeBytes: 2 * GIB }, capacityBytes: 2 * GIB });
    expect(decide(seen({ volume }))).toMatchObject({ do: 'mend', because: { fact: 'deviceHasShrunk' } });
    const mended = { ...volume, capacityBytes: GIB };
    expect(decide(seen({ volume: mended }))).toMatchObject({ do: 'tell', because: { fact: 'deviceHasShrunk' } });
  });

  it('grows with its device', () => {
    const volume = aVolume({ identity: { ...identityOf(aDisk()), sizeBytes: GIB / 2 }, capacityBytes: GIB / 2 });
    expect(decide(seen({ volume }))).toMatchObject({ do: 'mend', patch: { spec: { capacity: { storage: '1Gi' } } } });
    expect(decide(seen({ volume }))).not.toHaveProperty('because');
  });

  it.each<[string, Partial<Seen>, object]>([
    ['its device is gone', { found: [] }, { fact: 'deviceIsMissing', path: PATH }],
    ['its device is elsewhere', { found: [], movedTo: '/x' }, { fact: 'deviceIsMissing', path: PATH, nowAt: '/x' }],
    ['its device cannot be used', { found: [found({ device: { fault: 'so' } })] }, { fact: 'isUnusable', why: 'so' }],
    [
      'another device is in its place',
      { found: [found({ device: { facts: aDisk({ wwid: 'naa.2' }) } })] },
      { fact: 'deviceIsAnother', path: PATH, recorded: `naa.1, ${GIB} bytes`, found: `naa.2, ${GIB} bytes` },
    ],
    [
      'another device is in its place, which is larger',
      { found: [found({ device: { facts: aDisk({ wwid: 'naa.2', sizeBytes: 2 * GIB }) } })] },
      { fact: 'deviceIsAnother', path: PATH, recorded: `naa.1, ${GIB} bytes`, found: `naa.2, ${2 * GIB} bytes` },
    ],
  ])('is told of, and only its labels and its owner are put right, when %s', (_, parts, because) => {
    expect(decide(seen({ volume: aVolume(), ...parts }))).toEqual({ do: 'tell', because });
    const lost = aVolume({ owners: [], labels: {} });
    expect(decide(seen({ volume: lost, ...parts }))).toEqual({
      do: 'mend',
      patch: mendingWithoutDevice(lost, NODE),
      because,
    });
  });

  it('is left as it is when it was made with other settings', () => {
    const volume = aVolume({ storageClassName: 'other', marks: {} });
    expect(decide(seen({ volume }))).toMatchObject({ do: 'nothing', because: { fact: 'settingsDisagree' } });
    const lost = { ...volume, owners: [] };
    expect(decide(seen({ volume: lost }))).toEqual({ do: 'mend', patch: mendingWithoutDevice(lost, NODE) });
  });

  it('is let go when it is being deleted and our finalizer is on it, configured or not', () => {
    for (const configured of [config, NO_CONFIG])
      expect(decide(seen({ volume: aVolume({ phase: 'Bound', ...deleting }), config: configured }))).toEqual({
        do: 'letGo',
      });
  });

  it('is left alone without a configuration', () => {
    const volume = aVolume({ labels: {} });
    expect(decide(seen({ volume, config: NO_CONFIG }))).toMatchObject({ do: 'nothing' });
  });
});

describe('a volume that was released', () => {
  const released = aVolume({ phase: 'Released' });

  it('is recycled', () => {
    expect(decide(seen({ volume: released }))).toEqual({ do: 'recycle', config });
  });

  it('goes on being recycled while it is being deleted, also when its device is gone', () => {
    expect(decide(seen({ volume: { ...released, ...deleting }, found: [] }))).toEqual({ do: 'recycle', config });
  });

  it('is not recycled when somebody else has deleted it, since it goes by itself', () => {
    const volume = { ...released, isDeleting: true };
    expect(decide(seen({ volume }))).toEqual({ do: 'nothing', because: { fact: 'isBeingDeleted' } });
  });

  it.each<[string, Partial<Seen>, string]>([
    ['there is no configuration', { config: NO_CONFIG }, 'thereIsNoConfiguration'],
    ['its device is gone', { found: [] }, 'deviceIsMissing'],
    ['the filter leaves it out', { found: [], accepts: () => false }, 'isLeftOutByTheFilter'],
  ])('is not recycled but told of when %s', (_, parts, fact) => {
    expect(decide(seen({ volume: released, ...parts }))).toMatchObject({ do: 'tell', because: { fact } });
  });
});

describe('a volume that only says to be ours', () => {
  it.each<[string, Partial<Volume>]>([
    ['by the label of another node', { node: 'n2' }],
    ['and can be used on another node', { affinity: 'n2' }],
    ['and can be used on any node', { affinity: undefined as never }],
    ['and has another path than its name says', { path: '/dev/disks/c' }],
    ['and has no path', { path: '' }],
  ])('%s is told of, whatever its phase is', (_, parts) => {
    for (const phase of ['Available', 'Bound', 'Released', 'Failed'])
      for (const state of [{}, deleting])
        expect(decide(seen({ volume: aVolume({ phase, ...state, ...parts }) }))).toMatchObject({
          do: 'tell',
          because: { fact: 'volumeIsNotOurs' },
        });
  });
});

describe('whatever is seen', () => {
  const volumes = fc.record({
    phase: fc.constantFrom('Available', 'Bound', 'Released', 'Pending', 'Failed'),
    node: fc.constantFrom('n1', 'n2'),
    affinity: fc.constantFrom('n1', 'n2'),
    path: fc.constantFrom(PATH, '/dev/disks/c', '/etc/passwd', ''),
    isDeleting: fc.boolean(),
    hasWipeFinalizer: fc.boolean(),
    storageClassName: fc.constantFrom('local-storage', 'other'),
    labels: fc.constantFrom({}, aVolume().labels),
    finalizers: fc.constantFrom([], ['holdfast.dev/wipe']),
  });
  const devices = fc.constantFrom<Found>(
    found(),
    found({ path: '/dev/disks/B' }),
    found({ device: { fault: 'it is a file' } }),
    found({ device: { facts: aDisk({ wwid: 'naa.2' }) } }),
  );
  const anything = fc.record({
    volume: fc.option(volumes.map(aVolume), { nil: undefined }),
    found: fc.array(devices, { maxLength: 2 }),
    config: fc.constantFrom<Seen['config']>(config, NO_CONFIG, { ...config, deviceDir: '/dev/others' }),
    accepts: fc.boolean().map((accepts) => () => accepts),
    disagreeing: fc.constantFrom(undefined, { volume: 'local-n1-c', how: 'so' }),
    madeOfIt: fc.constantFrom(undefined, { volume: 'local-n1-c', path: '/dev/disks/c' }),
  });

  it('nothing is wiped that somebody has, that is of another node, or that nobody has configured', () => {
    fc.assert(
      fc.property(anything, (parts) => {
        const decision = decide(seen(parts));
        if (decision.do !== 'make' && decision.do !== 'recycle') return;
        const { volume } = parts;
        expect(parts.config).not.toHaveProperty('fault');
        expect(volume?.phase ?? 'Released').toBe('Released');
        expect([volume?.node ?? 'n1', volume?.affinity ?? 'n1']).toEqual(['n1', 'n1']);
        expect(decision.do).toBe(volume ? 'recycle' : 'make');
      }),
      { numRuns: 2_000 },
    );
  });

  it('a volume is made only of the one device that has its name and is no other volume', () => {
    fc.assert(
      fc.property(anything, (parts) => {
        const decision = decide(seen(parts));
        if (decision.do !== 'make') return;
        expect(parts).toMatchObject({ volume: undefined, disagreeing: undefined, madeOfIt: undefined });
        expect(parts.found).toHaveLength(1);
      }),
      { numRuns: 2_000 },
    );
  });
});
