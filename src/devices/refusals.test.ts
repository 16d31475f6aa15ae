import { describe, expect, it } from 'vitest';
import { EACH_REFUSAL } from './builders.ts';
import { GUARDS } from './guards.ts';
import { canBeApproved, explain, type Refusal, remedyOf } from './refusals.ts';

const ALL = Object.values(EACH_REFUSAL).map((refusal) => [refusal.fact, refusal] as const);

describe('a refusal', () => {
  it.each(ALL)('%s is told in a sentence that names all that is known', (_, refusal) => {
    const { fact: _fact, ...known } = refusal;
    const sentence = explain(refusal);
    expect(sentence).toMatch(/^(is|was|may|cannot|could|holds) \S/);
    for (const value of Object.values(known).flat()) expect(sentence).toContain(value);
  });

  it.each(ALL)('%s comes with what to do about it', (_, refusal) => {
    expect(remedyOf(refusal)).toMatch(/^\S+( \S+)+[^.\s]$/);
  });

  it.each(ALL)('%s is told without a gap, an unfilled place or a full stop at its end', (_, refusal) => {
    const place = { node: 'n1', path: '/dev/disks/b' };
    for (const text of [explain(refusal), remedyOf(refusal), remedyOf(refusal, place)]) {
      expect(text).not.toMatch(/undefined|null|NaN|\$\{|\[object|<|>|NODE|DEVICE| {2}|\(\)|\.$/);
    }
  });

  it.each(ALL)('%s can be approved exactly if that is the remedy', (_, refusal) => {
    expect(canBeApproved(refusal)).toBe(remedyOf(refusal).includes('holdfast devices approve'));
  });

  it('that can be approved names the command for that very device, fit to be pasted', () => {
    const place = { node: 'n1', path: "/dev/disks/it's b" };
    expect(remedyOf(EACH_REFUSAL.hasForeignData, place)).toMatch(
      /: holdfast devices approve n1 '\/dev\/disks\/it'\\''s b'$/,
    );
  });

  it.each(ALL.filter(([, refusal]) => 'under' in refusal))('%s of the device itself names no other', (_, refusal) => {
    const sentence = explain({ ...refusal, under: '' } as Refusal);
    expect(sentence).not.toMatch(/\(as /);
  });

  it('of a volume of which no claim is known names none', () => {
    const refusal = { fact: 'releaseIsOlderThanTheLedger', volume: 'local-n1-b' } as const;
    expect(explain(refusal)).toMatch(/last seen in, bound$/);
  });

  it('is made by a guard of its name, except those that are made by opening it', () => {
    const guards = GUARDS.map(({ name }) => name);
    expect([...guards, 'isNotABlockDevice', 'doesNotAnswer'].sort()).toEqual(Object.keys(EACH_REFUSAL).sort());
  });
});
