import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeAt, heldBy, type Lease, observe, released } from './lease.ts';

const NOW = new Date('2026-03-01T12:00:00.123Z');
const lease = (spec?: Lease['spec'], resourceVersion = '1'): Lease => ({
  metadata: { namespace: 'ns', name: 'holdfast', uid: 'u', resourceVersion },
  ...(spec && { spec }),
});

describe('observing a lease', () => {
  test('the time counts from when the present version was first seen, on our own clock', () => {
    const first = observe(undefined, lease(), 100);
    expect(first.atMs).toBe(100);
    expect(observe(first, lease(), 200)).toBe(first);
    expect(observe(first, lease({}, '2'), 300).atMs).toBe(300);
  });

  test('a lease that was deleted and created anew is another one, whatever its version', () => {
    const first = observe(undefined, lease(), 100);
    const anew = { metadata: { ...lease().metadata, uid: 'v' } };
    expect(observe(first, anew, 200).atMs).toBe(200);
  });
});

describe('a lease may be taken', () => {
  const seen = { version: 'u/1', atMs: 1_000 };

  test.each([{}, { holderIdentity: '' }])('at once when nobody holds it: %o', (spec) => {
    expect(freeAt(lease(spec), 'me', seen, 15_000)).toBe(1_000);
  });

  test('at once when we hold it ourselves', () => {
    expect(freeAt(lease({ holderIdentity: 'me' }), 'me', seen, 15_000)).toBe(1_000);
  });

  test('from another only after it has not changed for as long as we would hold it', () => {
    const other = lease({ holderIdentity: 'other', leaseDurationSeconds: 1 });
    expect(freeAt(other, 'me', seen, 15_000)).toBe(16_000);
  });

  test('from another that asked for longer only after that time', () => {
    const other = lease({ holderIdentity: 'other', leaseDurationSeconds: 60 });
    expect(freeAt(other, 'me', seen, 15_000)).toBe(61_000);
  });

  test('whatever the clock of its holder says', () => {
    const times = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    fc.assert(
      fc.property(times, times, (renewTime, acquireTime) => {
        const other = lease({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime, acquireTime });
        expect(freeAt(other, 'me', seen, 15_000)).toBe(16_000);
      }),
    );
  });
});

describe('a held lease', () => {
  test('that was not there before has us as its first holder', () => {
    expect(heldBy({ metadata: { namespace: 'ns', name: 'holdfast' } }, 'me', NOW, 15_000)).toEqual({
      metadata: { namespace: 'ns', name: 'holdfast' },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2026-03-01T12:00:00.123000Z',
        renewTime: '2026-03-01T12:00:00.123000Z',
        leaseTransitions: 0,
      },
    });
  });

  test('that is renewed keeps when it was acquired', () => {
    const before = heldBy(lease(), 'me', new Date('2026-03-01T11:00:00Z'), 15_000);
    const { spec } = heldBy(before, 'me', NOW, 15_000);
    expect(spec?.acquireTime).toBe('2026-03-01T11:00:00.000000Z');
    expect(spec?.renewTime).toBe('2026-03-01T12:00:00.123000Z');
    expect(spec?.leaseTransitions).toBe(0);
  });

  test.each(['other', ''])('that is taken over from holder "%s" counts one more transition', (holderIdentity) => {
    const { spec } = heldBy(lease({ holderIdentity, leaseTransitions: 4, acquireTime: 'x' }), 'me', NOW, 15_000);
    expect(spec).toMatchObject({ leaseTransitions: 5, acquireTime: '2026-03-01T12:00:00.123000Z' });
  });

  test('keeps what others put into the object', () => {
    const theirs = {
      ...lease({ holderIdentity: 'me' }),
      metadata: { name: 'holdfast', labels: { app: 'x' } },
      more: 1,
    };
    expect(heldBy(theirs, 'me', NOW, 1_500)).toMatchObject({ metadata: theirs.metadata, more: 1 });
    expect(heldBy(theirs, 'me', NOW, 1_500).spec?.leaseDurationSeconds).toBe(2);
  });

  test('that is released has no holder, and can be taken at once', () => {
    const free = released(heldBy(lease(), 'me', NOW, 15_000), NOW);
    expect(free.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(freeAt(free, 'other', { version: 'x', atMs: 7 }, 15_000)).toBe(7);
  });
});
