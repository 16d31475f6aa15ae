import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelKeyText, nameText } from '../../test/arbitraries/name-text.ts';
import { fitDnsLabel } from './name-fitting.ts';
import { dnsLabelFault } from './names.ts';

const texts = fc.oneof(nameText, labelKeyText, fc.string({ maxLength: 300 }));
const lengths = fc.integer({ min: 12, max: 63 });

describe('fitting a text into a DNS label', () => {
  it('leaves a valid label alone', () => {
    expect(fitDnsLabel('data-0')).toBe('data-0');
  });

  it('keeps what is readable, and adds a digest that never changes', () => {
    expect(fitDnsLabel('/dev/disk/by-id/Nvme_1')).toBe('dev-disk-by-id-nvme-1-453194d17abd');
    expect(fitDnsLabel('a.b')).toMatch(/^a-b-[0-9a-f]{12}$/);
    expect(fitDnsLabel('')).toMatch(/^[0-9a-f]{12}$/);
    expect(fitDnsLabel('long-name-that-is-cut', 20)).toMatch(/^long-na-[0-9a-f]{12}$/);
    expect(fitDnsLabel('long-name-that-is-cut', 18)).toMatch(/^long-[0-9a-f]{12}$/);
  });

  it('always gives a valid label that is short enough', () => {
    fc.assert(
      fc.property(texts, lengths, (text, longest) => {
        const name = fitDnsLabel(text, longest);
        expect(dnsLabelFault(name)).toBeUndefined();
        expect(name.length).toBeLessThanOrEqual(longest);
        expect(fitDnsLabel(name, longest)).toBe(name);
      }),
    );
  });

  it('gives different names to different texts', () => {
    fc.assert(
      fc.property(texts, texts, lengths, (a, b, longest) => {
        fc.pre(a !== b);
        expect(fitDnsLabel(a, longest)).not.toBe(fitDnsLabel(b, longest));
      }),
    );
    expect(fitDnsLabel('a_b')).not.toBe(fitDnsLabel('a.b'));
  });

  it('refuses to fit into less than a digest', () => {
    expect(() => fitDnsLabel('a', 11)).toThrow(RangeError);
    expect(() => fitDnsLabel('a', 64)).toThrow(RangeError);
  });
});
