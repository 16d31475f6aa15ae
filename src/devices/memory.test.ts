import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { silentLog } from '../kit/observe/log.ts';
import { aDisk, GIB, wasHandedOut } from './builders.ts';
import type { Seen } from './decide.ts';
import type { Found } from './discovery.ts';
import { Ledger } from './ledger/ledger.ts';
import { remember } from './memory.ts';
import type { Volume } from './volume.ts';

const PATH = '/dev/disks/b';
const KEY = 'wwid:naa.1';
const clock = new VirtualClock();
let ledger: Ledger;

beforeEach(async () => {
  const { files } = new SimulatedMachine(clock).host();
  ledger = await Ledger.open('/state', { files, clock, log: silentLog }, async () => ['uid-1', 'uid-old']);
});

const aVolume = (parts: Partial<Volume> = {}): Volume => ({
  name: 'local-n1-b',
  uid: 'uid-1',
  resourceVersion: '10',
  node: 'n1',
  affinity: 'n1',
  phase: 'Bound',
  claim: 'default/data',
  claimUid: 'claim-1',
  path: PATH,
  volumeMode: 'Block',
  storageClassName: 'local-storage',
  identity: { sizeBytes: GIB, wwid: 'naa.1' },
  labels: {},
  marks: {},
  owners: [],
  finalizers: [],
  isDeleting: false,
  hasWipeFinalizer: false,
  ...parts,
});

const found = (facts: Partial<ReturnType<typeof aDisk>> = {}): Found => ({
  path: PATH,
  volume: 'local-n1-b',
  device: { facts: aDisk({ diskSequence: '7', ...facts }) },
});

const seeing = (volume: Partial<Volume> | undefined, devices: readonly Found[] = [found()]): Promise<void> => {
  const seen: Seen = {
    node: { name: 'n1', uid: 'uid-of-n1' },
    name: 'local-n1-b',
    config: { fault: 'none is needed to remember' },
    accepts: () => false,
    found: devices,
    volume: volume && aVolume(volume),
  };
  return remember(seen, { ledger, boot: 'boot-1', cluster: 'cluster-1' });
};

const entries = () => [...ledger.entries()];

describe('what is remembered of a volume', () => {
  it('is which device it is, who has it, and where and when that was seen', async () => {
    await seeing({});
    expect(entries()).toEqual([[KEY, wasHandedOut({}, { diskSequence: '7' })]]);
  });

  it('goes on with each newer state of it', async () => {
    await seeing({});
    await seeing({ phase: 'Released', resourceVersion: '11' });
    expect(ledger.get(KEY)?.volume).toMatchObject({ phase: 'Released', resourceVersion: '11' });
    await seeing({ phase: 'Available', resourceVersion: '9' });
    expect(ledger.get(KEY)?.volume).toMatchObject({ phase: 'Released' });
  });

  it.each(['uid-1', 'uid-0'])(
    'that was released and is bound again in an older state, as %s, is who has it',
    async (uid) => {
      await seeing({});
      await seeing({ phase: 'Released', resourceVersion: '11' });
      await seeing({ uid, phase: 'Bound', resourceVersion: '9' });
      expect(ledger.get(KEY)?.volume).toMatchObject({ uid: 'uid-1', phase: 'Bound' });
    },
  );

  it('is known by its name also when its device is gone, or another one is in its place', async () => {
    await seeing({}, []);
    expect(ledger.get(KEY)).toMatchObject({ path: PATH, boot: '', volume: { uid: 'uid-1' } });
    await seeing({ phase: 'Released', resourceVersion: '11' }, [found({ wwid: 'naa.2' })]);
    expect(entries().map(([key, { volume }]) => [key, volume?.phase])).toEqual([[KEY, 'Released']]);
  });

  it.each<[string, Partial<Volume>]>([
    ['does not say any more which device it is', { identity: undefined as never }],
    ['says that it is another device', { identity: { sizeBytes: GIB, wwid: 'naa.9' } }],
  ])('goes on when its device is not found and it %s', async (_, edited) => {
    await seeing({ phase: 'Available' });
    await seeing({ phase: 'Bound', resourceVersion: '11', ...edited }, []);
    expect(entries().map(([key, { volume }]) => [key, volume?.phase])).toEqual([[KEY, 'Bound']]);
  });

  it('that records no device is that of the device at its path', async () => {
    await seeing({ identity: undefined as never });
    expect(ledger.get(KEY)).toMatchObject({ volume: { uid: 'uid-1' } });
  });

  it('whose device has another size by now is still that of its device', async () => {
    await seeing({}, [found({ sizeBytes: 2 * GIB })]);
    expect(ledger.get(KEY)).toMatchObject({ identity: { sizeBytes: 2 * GIB }, volume: { uid: 'uid-1' } });
  });

  it('of whose device only the wipe is known is who has it, when it is bound', async () => {
    const { volume: _, ...device } = wasHandedOut();
    await ledger.began(KEY, device, { method: 'zero-all', startedAt: '2026-01-01T00:00:00.000Z', doneBytes: 0 });
    await seeing({ uid: 'uid-0', phase: 'Available' });
    expect(ledger.get(KEY)?.volume).toBeUndefined();
    await seeing({ uid: 'uid-0', phase: 'Bound' });
    expect(ledger.get(KEY)?.volume).toMatchObject({ uid: 'uid-0', phase: 'Bound' });
  });

  it('that was to be made is filled in by the first one of its name', async () => {
    const { volume: _, ...device } = wasHandedOut();
    await ledger.handOut(KEY, device, 'local-n1-b', 'cluster-1');
    await seeing({ uid: 'uid-new', phase: 'Available' });
    expect(ledger.get(KEY)?.volume).toMatchObject({ uid: 'uid-new', phase: 'Available' });
  });
});

describe('nothing is remembered', () => {
  it.each<[string, Partial<Volume> | undefined, readonly Found[]]>([
    ['where there is no volume', undefined, [found()]],
    ['of a volume that is not ours', { affinity: 'n2' }, [found()]],
    ['of a volume that was made after the ledger was begun, and not by us', { uid: 'uid-new' }, [found()]],
    ['of a volume that nobody had any more when the ledger was begun', { phase: 'Released' }, [found()]],
    ['of a device without a name that is not there', { identity: { sizeBytes: GIB } }, []],
    [
      'of a device without a name where another one is',
      { identity: { sizeBytes: GIB } },
      [found({ wwid: 'naa.2', sizeBytes: GIB })],
    ],
  ])('%s', async (_, volume, devices) => {
    await seeing(volume, devices);
    expect(entries()).toEqual([]);
  });

  it('of another volume that has taken the name of the one that is known', async () => {
    await seeing({});
    await seeing({ uid: 'uid-2', phase: 'Available', resourceVersion: '20' });
    expect(ledger.get(KEY)?.volume).toMatchObject({ uid: 'uid-1', phase: 'Bound' });
  });
});
