import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../kit/cache/resource-version.ts';
import { aWipe, clean, device } from './builders.ts';
import { afterCleaning, afterFinding, afterHandingOut, afterSeeing, afterWiping } from './changes.ts';
import type { HandedOut, LedgerEntry } from './entry.ts';

const wipe = aWipe(512);
const seen = (parts: Partial<HandedOut> = {}): HandedOut => ({
  name: 'local-n-a',
  uid: 'u1',
  phase: 'Available',
  resourceVersion: '100',
  cluster: 'c1',
  ...parts,
});
const holding = (volume: HandedOut, more: Partial<LedgerEntry> = {}): LedgerEntry => ({ ...device, volume, ...more });

describe('a volume that is seen', () => {
  test('is adopted when the device is not in the ledger', () => {
    expect(afterSeeing(undefined, device, seen())).toEqual({ ...device, volume: seen() });
  });

  test('is adopted when it is only known that one was to be made', () => {
    const pending = afterHandingOut(device, 'local-n-a', 'c1');
    expect(afterSeeing(pending, device, seen()).volume).toEqual(seen());
  });

  test('is followed from state to state, its claim included', () => {
    const bound = seen({ phase: 'Bound', claim: 'claim-1', resourceVersion: '101' });
    expect(afterSeeing(holding(seen()), device, bound).volume).toEqual(bound);
  });

  test('is released by the claim that had it, or by one that was not known', () => {
    for (const claim of [{ claim: 'claim-1' }, {}]) {
      const released = seen({ phase: 'Released', claim: 'claim-1', resourceVersion: '101' });
      expect(afterSeeing(holding(seen({ phase: 'Bound', ...claim })), device, released).volume).toEqual(released);
    }
  });

  test.each([
    ['older, as after a restore of etcd', { phase: 'Available', resourceVersion: '99' }],
    ['older by a digit', { phase: 'Available', resourceVersion: '9' }],
    ['as old', { phase: 'Available', resourceVersion: '100' }],
    [
      'another volume, which somebody has put in its place',
      { uid: 'u2', phase: 'Released', claim: 'claim-1', resourceVersion: '900' },
    ],
    [
      'released by another claim than the one that has it, which a restored etcd has brought back',
      { phase: 'Released', claim: 'claim-0', resourceVersion: '900' },
    ],
    ['released by nobody, while somebody has it', { phase: 'Released', resourceVersion: '900' }],
    ['one of another cluster', { cluster: 'c2', phase: 'Released', claim: 'claim-1', resourceVersion: '900' }],
  ])('changes nothing when it is %s', (_what, parts) => {
    const entry = holding(seen({ phase: 'Bound', claim: 'claim-1' }));
    expect(afterSeeing(entry, device, seen(parts))).toBe(entry);
  });

  describe.each(['Released', 'Available'])('that is bound in an older state, where it was last seen %s,', (phase) => {
    const entry = holding(seen({ phase, claim: 'claim-1' }), { clean });
    const bound = seen({ phase: 'Bound', claim: 'claim-1', resourceVersion: '50' });

    test('is held as bound again, as after a restore of etcd, and is followed from there', () => {
      const held = afterSeeing(entry, device, bound);
      expect(held).toEqual(holding(bound));
      const released = { ...bound, phase: 'Released', resourceVersion: '51' };
      expect(afterSeeing(held, device, released).volume).toEqual(released);
    });

    test('is held as bound also by another volume of it, whose release does not count', () => {
      const other = { ...bound, uid: 'u0', claim: 'claim-0' };
      const held = afterSeeing(entry, device, other);
      expect(held).toEqual(holding(seen({ phase: 'Bound', claim: 'claim-0' })));
      expect(afterSeeing(held, device, { ...other, phase: 'Released', resourceVersion: '900' })).toBe(held);
    });

    test('changes nothing when it is one of another cluster', () => {
      expect(afterSeeing(entry, device, { ...bound, cluster: 'c2' })).toBe(entry);
    });
  });

  test('that is bound to another claim in an older state does not take the place of who has it', () => {
    const entry = holding(seen({ phase: 'Bound', claim: 'claim-2' }));
    expect(afterSeeing(entry, device, seen({ phase: 'Bound', claim: 'claim-1', resourceVersion: '50' }))).toBe(entry);
  });

  test('of another cluster is not adopted for one that was to be made', () => {
    const pending = afterHandingOut(device, 'local-n-a', 'c1');
    expect(afterSeeing(pending, device, seen({ cluster: 'c2' }))).toBe(pending);
  });

  test('is followed without the right to know which cluster it is, and that is not forgotten', () => {
    const bound = seen({ phase: 'Bound', resourceVersion: '101' });
    expect(afterSeeing(holding(seen()), device, { ...bound, cluster: '' }).volume).toEqual(bound);
    expect(afterSeeing(holding(seen({ cluster: '' })), device, bound).volume).toEqual(bound);
  });

  test('does not tell where and when the device was found', () => {
    const elsewhere = { ...device, path: '/dev/b', boot: 'b2' };
    const entry = afterSeeing(holding(seen()), elsewhere, seen({ resourceVersion: '101' }));
    expect(entry).toMatchObject({ path: '/dev/a', boot: 'b1' });
  });

  test('leaves alone what is known of the wipe as long as it is released', () => {
    const released = seen({ phase: 'Released' });
    for (const state of [{ wipe }, { clean }])
      expect(afterSeeing(holding(released, state), device, { ...released, resourceVersion: '101' })).toMatchObject(
        state,
      );
  });

  test.each(['Bound', 'Available', 'Pending'])(
    'in the phase %s ends what was known of a wipe: somebody may have it',
    (phase) => {
      for (const state of [{ wipe }, { clean }]) {
        const entry = afterSeeing(
          holding(seen({ phase: 'Released' }), state),
          device,
          seen({ phase, resourceVersion: '101' }),
        );
        expect([entry.wipe, entry.clean]).toEqual([undefined, undefined]);
      }
    },
  );

  test('a released one that is adopted is not clean, whatever was known of the device', () => {
    expect(afterSeeing({ ...device, clean }, device, seen({ phase: 'Released' })).clean).toBeUndefined();
  });

  test('in whatever order its states are seen, the newest is what is remembered', () => {
    const versions = fc.array(fc.bigInt({ min: 1n, max: 10n ** 21n }).map(String), { minLength: 1 });
    fc.assert(
      fc.property(versions, (order) => {
        const entry = order.reduce<LedgerEntry | undefined>(
          (before, resourceVersion) =>
            afterSeeing(before, device, seen({ resourceVersion, phase: `at ${resourceVersion}` })),
          undefined,
        );
        const newest = order.toSorted(compareVersions).at(-1);
        expect(entry?.volume).toMatchObject({ resourceVersion: newest, phase: `at ${newest}` });
      }),
    );
  });
});

describe('what happens to a device', () => {
  test('it is found elsewhere, grown, in another boot: that is all that changes', () => {
    const { diskSequence: _, ...found } = {
      ...device,
      path: '/dev/b',
      boot: 'b2',
      identity: { sizeBytes: 2048, wwid: 'naa.1' },
    };
    expect(afterFinding(holding(seen(), { wipe, clean }), found)).toEqual({ ...found, volume: seen(), wipe, clean });
  });

  test('it is handed out: its last volume, its wipe and that it is clean are forgotten, since it may be used from now on', () => {
    const pending = { name: 'local-n-b', uid: '', phase: 'Pending', resourceVersion: '', cluster: 'c1' };
    expect(afterHandingOut(device, 'local-n-b', 'c1')).toEqual({ ...device, volume: pending });
  });

  test('it is wiped: it is not clean until that has ended, and whose it was is still known', () => {
    const wiping = afterWiping(holding(seen(), { clean }), device, wipe);
    expect(wiping).toEqual({ ...device, volume: seen(), wipe });
    expect(afterCleaning(wiping, device, clean)).toEqual({ ...device, volume: seen(), clean });
  });

  test('where nothing is new it is the entry itself', () => {
    const entry = holding(seen(), { wipe });
    expect(afterFinding(entry, structuredClone(device))).toBe(entry);
    expect(afterWiping(entry, structuredClone(device), structuredClone(wipe))).toBe(entry);
    const done = holding(seen(), { clean });
    expect(afterCleaning(done, device, structuredClone(clean))).toBe(done);
  });
});
