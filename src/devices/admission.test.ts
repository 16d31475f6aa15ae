/** What the rules say is tried on a real API server: test/integration/devices/admission.test.ts. */
import { expect, test } from 'vitest';
import { devicesLimits } from './admission.ts';
import { devicesSpec } from './spec.ts';

test('every kind of object that an agent writes is limited to those of its node', () => {
  const written = new Set(devicesSpec.writes.map(({ resource }) => resource.plural));
  expect(new Set(devicesLimits.map(({ resource }) => resource.plural))).toEqual(written);
});

test('each rule says in a sentence of its own what is allowed', () => {
  const sentences = devicesLimits.flatMap(({ rules }) => rules.map(({ allowed }) => allowed));
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const sentence of sentences) expect(`The agent of node a may ${sentence}`).toMatch(/ may (write|put|give|not) /);
});
