import { expect, test } from 'vitest';
import { admissionOf, celText, type NodeLimit } from './node-limits.ts';

const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const VOLUMES = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };
const ACCOUNT = { namespace: 'storage', name: 'agents' };

const aLimit = (limit: Partial<NodeLimit> = {}): NodeLimit => ({
  name: 'things',
  resource: VOLUMES,
  rules: [{ holds: 'has(object.spec)', allowed: "write only what has a 'spec'" }],
  ...limit,
});

const policyOf = (limit: NodeLimit) => admissionOf('sample', limit, ACCOUNT)[0].spec;

test('a policy is in force by a binding of its own, and closed when it cannot be asked', () => {
  const [policy, binding] = admissionOf('sample', aLimit(), ACCOUNT);
  expect(policy.metadata.name).toBe('sample-things');
  expect(policy.spec.failurePolicy).toBe('Fail');
  expect(binding.spec).toEqual({ policyName: 'sample-things', validationActions: ['Deny'] });
});

test('it is about every write of the agents, to the parts of an object as well, and of nobody else', () => {
  const { matchConstraints, matchConditions } = policyOf(aLimit());
  expect(matchConstraints.resourceRules).toEqual([
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      resources: ['persistentvolumes', 'persistentvolumes/*'],
    },
  ]);
  expect(matchConditions.map(({ expression }) => expression)).toEqual([
    "request.userInfo.?username.orValue('') == 'system:serviceaccount:storage:agents'",
  ]);
});

test('the first rule is that the node is known, and each further one says to whom it applies', () => {
  const [first, ...others] = policyOf(aLimit()).validations;
  expect(first).toMatchObject({ expression: "variables.node != ''" });
  expect(others).toEqual([
    {
      expression: 'has(object.spec)',
      messageExpression: "'The agent of node ' + variables.node + ' may write only what has a \\'spec\\''",
      reason: 'Forbidden',
    },
  ]);
});

test('what has a namespace is written in that of the agents only', () => {
  const expressions = policyOf(aLimit({ resource: CONFIG_MAPS })).validations.map(({ expression }) => expression);
  expect(expressions).toContain("variables.objects.all(each, each.metadata.namespace == 'storage')");
});

test('rules that ask every Node are asked for each of them, and refused where there is none', () => {
  const limit = aLimit({
    asksEveryNode: { ifItMatters: 'has(params.metadata.labels)' },
    variables: [{ name: 'zone', expression: 'params.metadata.labels.zone' }],
  });
  const [policy, binding] = admissionOf('sample', limit, ACCOUNT);
  expect(policy.spec).toMatchObject({ paramKind: { apiVersion: 'v1', kind: 'Node' } });
  expect(binding.spec).toMatchObject({ paramRef: { selector: {}, parameterNotFoundAction: 'Deny' } });
  expect(policy.spec.variables.map(({ name }) => name)).toEqual(['node', 'objects', 'isOwnNode', 'zone']);
  expect(policy.spec.matchConstraints.resourceRules).toMatchObject([
    { operations: ['UPDATE'], resources: ['persistentvolumes'] },
  ]);
  expect(policy.spec.matchConditions.map(({ expression }) => expression)).toEqual([
    expect.stringContaining('system:serviceaccount:storage:agents'),
    expect.stringMatching(/^params\.metadata\.name == request\..* \|\| has\(params\.metadata\.labels\)$/),
  ]);
});

test('other rules have no parameters', () => {
  const [policy, binding] = admissionOf('sample', aLimit(), ACCOUNT);
  expect(policy.spec).not.toHaveProperty('paramKind');
  expect(binding.spec).not.toHaveProperty('paramRef');
});

test('a text cannot end the text that it stands in', () => {
  expect(celText(String.raw`it's \ "this"`)).toBe(String.raw`'it\'s \\ "this"'`);
});
