/** What these mean to the API server is tried in test/integration/pool/admission.test.ts. */
import { expect, test } from 'vitest';
import { type Guard, guardObjects } from './guards.ts';

const SETS = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true };
const ACCOUNT = { namespace: 'storage', name: 'operator' };

const aGuard = (guard: Partial<Guard> = {}): Guard => ({
  name: 'things',
  resource: SETS,
  guarded: 'has(oldObject.spec)',
  holds: 'object.spec == oldObject.spec',
  sentence: "'Leave it to the operator'",
  ...guard,
});

test('a guard is in force by a binding of its own, and closed when it cannot be asked', () => {
  const [policy, binding] = guardObjects('sample', aGuard(), ACCOUNT);
  expect(policy.metadata.name).toBe('sample-things');
  expect(policy.spec.failurePolicy).toBe('Fail');
  expect(binding.spec).toEqual({ policyName: 'sample-things', validationActions: ['Deny'] });
});

test.each([
  [undefined, 'statefulsets'],
  ['scale', 'statefulsets/scale'],
])('it is about changes of the object, or of the one part that it names: %s', (subresource, resource) => {
  const [{ spec }] = guardObjects('sample', aGuard({ ...(subresource && { subresource }) }), ACCOUNT);
  expect(spec.matchConstraints.resourceRules).toEqual([
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: [resource] },
  ]);
});

test('it is for everybody but the controller, and only for what is guarded', () => {
  const [{ spec }] = guardObjects('sample', aGuard(), ACCOUNT);
  expect(spec.matchConditions.map(({ expression }) => expression)).toEqual([
    "request.userInfo.?username.orValue('') != 'system:serviceaccount:storage:operator'",
    'has(oldObject.spec)',
  ]);
  expect(spec.validations).toEqual([
    {
      expression: 'object.spec == oldObject.spec',
      messageExpression: "'Leave it to the operator'",
      reason: 'Forbidden',
    },
  ]);
});
