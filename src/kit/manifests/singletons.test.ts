/** What these mean to the API server is tried in test/integration/sync/admission.test.ts. */
import { expect, test } from 'vitest';
import { singletonObjects } from './singletons.ts';

const THINGS = { group: 'example.dev', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };

test('a second object is refused by the names of all that there are, and the first is not', () => {
  const [policy, binding] = singletonObjects('sample', { resource: THINGS, sentence: "There's one:" });
  expect(policy.spec.paramKind).toEqual({ apiVersion: 'example.dev/v1', kind: 'Thing' });
  expect(policy.spec.matchConstraints.resourceRules[0]).toMatchObject({
    operations: ['CREATE'],
    resources: ['things'],
  });
  expect(binding.spec.paramRef).toEqual({ selector: {}, parameterNotFoundAction: 'Allow' });
  expect(binding.spec.policyName).toBe(policy.metadata.name);
});

test('a sentence with an apostrophe in it stays a text of CEL', () => {
  const [{ spec }] = singletonObjects('sample', { resource: THINGS, sentence: "There's one:" });
  expect(spec.validations[0].messageExpression).toContain("There\\'s one: ");
});
