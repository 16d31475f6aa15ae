import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../kube/resource.ts';
import { dnsSubdomainFault } from '../names.ts';
import { eventName, fit, fitted, microTime } from './event.ts';
import { referenceTo } from './reference.ts';

const ref = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1' };

describe('a text that is too long', () => {
  it('ends in an ellipsis within the limit', () => {
    expect(fit('abcdef', 6)).toBe('abcdef');
    expect(fit('abcdefg', 6)).toBe('abc…');
  });

  it('is never cut inside of a character', () => {
    expect(fit('ääää', 6)).toBe('ä…');
    expect(fit('€€€', 8)).toBe('€…');
    expect(fit('😀😀😀', 11)).toBe('😀😀…');
  });

  it('fits whatever it is, starts like it, and is the text itself where that fits', () => {
    const text = fc.array(fc.constantFrom('a', 'ä', '€', '😀'), { maxLength: 40 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 40 }), (text, longest) => {
        const result = fit(text, longest);
        expect(Buffer.byteLength(result)).toBeLessThanOrEqual(longest);
        if (Buffer.byteLength(text) <= longest) expect(result).toBe(text);
        else expect(text.startsWith(result.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('is fitted to what the API server takes, and an action is never missing', () => {
    const long = {
      regarding: ref,
      type: 'Normal',
      reason: 'R'.repeat(200),
      action: '',
      note: 'ü'.repeat(9000),
    } as const;
    const result = fitted(long);
    expect([result.note, result.reason, result.action].map((text) => Buffer.byteLength(text))).toEqual([
      1023, 128, 128,
    ]);
    expect(result.action).toBe(result.reason);
  });
});

describe("an Event's name", () => {
  it("is the object's name and a number, as client-go writes it", () => {
    expect(eventName(ref, 0x17f2a3b4c5d6e7f8n)).toBe('pv-1.17f2a3b4c5d6e7f8');
  });

  it.each(['system:node', 'x'.repeat(253), 'UPPER'])(
    'does not use the name %s, which an Event may not have',
    (name) => {
      expect(eventName({ ...ref, name }, 255n)).toBe('persistentvolume.ff');
    },
  );

  it('is always one that the API server takes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'B', '1', '.', '-', ':', 'ä'), maxLength: 260 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n }),
        (name, unique) => {
          expect(dnsSubdomainFault(eventName({ ...ref, name }, unique))).toBeUndefined();
        },
      ),
    );
  });
});

it('writes a time with six digits', () => {
  expect(microTime(new Date(1234567890123))).toBe('2009-02-13T23:31:30.123000Z');
});

describe('a reference', () => {
  const claims: Resource = {
    group: '',
    version: 'v1',
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    namespaced: true,
  };
  const pools: Resource = {
    group: 'storage.example.com',
    version: 'v1',
    plural: 'pools',
    kind: 'Pool',
    namespaced: false,
  };

  it('names the object by the resource that it is of, and without its version', () => {
    const metadata = { namespace: 'shop', name: 'data', uid: 'u-1', resourceVersion: '17' };
    expect(referenceTo(claims, { metadata })).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'shop',
      name: 'data',
      uid: 'u-1',
    });
    expect(referenceTo(pools, { metadata: { name: 'p' } })).toEqual({
      apiVersion: 'storage.example.com/v1',
      kind: 'Pool',
      name: 'p',
    });
  });

  it('cannot be made to something without a name', () => {
    expect(() => referenceTo(pools, { metadata: {} })).toThrow('a Pool without a name cannot be referred to');
  });
});
