/** What somebody could write to make the agent do what it must not: each is refused, and says so without repeating anything that does harm. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPTION_KEYS } from '../contract.ts';
import { anAsked } from './builders.ts';
import { HOSTILE } from './hostile.ts';
import { parseOptions } from './parse.ts';

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
        const parsed = parseOptions(anAsked({ annotations: ours, defaults, isMade, isSettled: isMade }));
        const told = [...parsed.warnings, ...(parsed.ok ? [] : parsed.faults)];
        for (const sentence of told) expect(sentence).toMatch(/^[\x20-\x7e…]{1,2500}$/);
        if (parsed.ok)
          expect(JSON.stringify({ ...parsed.options, thin: parsed.options.thin?.pool })).toMatch(/^[\x20-\x7e]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
