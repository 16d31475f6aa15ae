import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Quantity } from '../quantity.ts';
import { between, condition, listMap, listSet, quantity, withRules } from './fields.ts';
import { structuralSchema } from './structural-schema.ts';

test('every quantity that the schema takes can be read', () => {
  const spelled = fc
    .tuple(
      fc.constantFrom('', '+', '-'),
      fc.stringMatching(/^([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})$/),
      fc.constantFrom('', 'Ki', 'Ei', 'n', 'm', 'k', 'E', 'e3', 'E-99', 'e+07'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(spelled, (text) => {
      expect(quantity().safeParse(text).success).toBe(true);
      expect(() => Quantity.parse(text)).not.toThrow();
    }),
  );
});

test.each(['', 'Gi', '1GB', '1 Gi', '1e', '1e100', '1K', '--1', '1.2.3', 1.5])('%j is no quantity', (value) => {
  expect(quantity().safeParse(value).success).toBe(false);
});

describe('lists whose items are told apart', () => {
  test('by their value', () => {
    const tags = listSet(z.string());
    expect(tags.safeParse(['a', 'b']).success).toBe(true);
    expect(tags.safeParse(['a', 'a']).success).toBe(false);
    expect(structuralSchema(tags)).toMatchObject({ type: 'array', 'x-kubernetes-list-type': 'set' });
  });

  test('by chosen fields', () => {
    const ports = listMap(z.object({ port: z.int32(), protocol: z.string(), name: z.string() }), 'port', 'protocol');
    const port = (number: number, protocol: string) => ({ port: number, protocol, name: 'same' });
    expect(ports.safeParse([port(1, 'TCP'), port(1, 'UDP'), port(2, 'TCP')]).success).toBe(true);
    expect(ports.safeParse([port(1, 'TCP'), port(1, 'TCP')]).success).toBe(false);
    expect(structuralSchema(ports)).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    });
  });
});

describe('rules', () => {
  const range = withRules(
    z.object({ from: z.int(), to: z.int() }).describe('A range.'),
    { rule: 'self.from <= self.to', message: 'the wrong way round', holds: ({ from, to }) => from <= to },
    { rule: 'self.to >= oldSelf.to', message: 'may not shrink' },
  );

  test('hold for zod where they say how', () => {
    expect(range.safeParse({ from: 1, to: 2 }).success).toBe(true);
    expect(range.safeParse({ from: 2, to: 1 }).error?.message).toContain('the wrong way round');
  });

  test('are in the schema, beside the description', () => {
    expect(structuralSchema(range)).toMatchObject({
      description: 'A range.',
      'x-kubernetes-validations': [
        { rule: 'self.from <= self.to', message: 'the wrong way round' },
        { rule: 'self.to >= oldSelf.to', message: 'may not shrink' },
      ],
    });
  });

  test('given in two steps are all there', () => {
    const more = withRules(range, { rule: 'self.from >= 0', message: 'below zero' });
    expect(structuralSchema(more)['x-kubernetes-validations']).toHaveLength(3);
  });
});

test('a number between two others is refused with a sentence of ours', () => {
  const few = between(1, 3, 'one to three');
  expect(few.safeParse(3).success).toBe(true);
  expect(few.safeParse(4).error?.issues[0]?.message).toBe('one to three');
  expect(structuralSchema(few)).toMatchObject({
    'x-kubernetes-validations': [{ rule: 'self >= 1 && self <= 3', message: 'one to three' }],
  });
});

test('a condition is of one of its types', () => {
  const said = { status: 'True', reason: 'AsItShouldBe', message: '', lastTransitionTime: '2026-01-31T12:00:00Z' };
  expect(condition(['Ready']).safeParse({ ...said, type: 'Ready' }).success).toBe(true);
  expect(condition(['Ready']).safeParse({ ...said, type: 'Other' }).success).toBe(false);
});
