/** What the rules say is tried on a real API server: test/integration/lvm/admission.test.ts. */
import { expect, test } from 'vitest';
import { lvmLimits } from './admission.ts';
import { lvmSpec } from './spec.ts';

test('every kind of object that an agent writes is limited to those of its node', () => {
  const written = new Set(lvmSpec.writes.map(({ resource }) => resource.plural));
  expect(new Set(lvmLimits.map(({ resource }) => resource.plural))).toEqual(written);
});

test('each rule says in a sentence of its own what is allowed', () => {
  const sentences = lvmLimits.flatMap(({ rules }) => rules.map(({ allowed }) => allowed));
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const sentence of sentences) expect(`may ${sentence}`).toMatch(/^may (only|write|change|put|take|give|not) /);
});
