import { type Cases, mergePatch, post, type Request } from '../steps.ts';

type Fields = Readonly<Record<string, unknown>>;

const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const RULES = [RULE];

const policy = (spec: Fields): object => ({
  metadata: { name: '{case}' },
  spec: { matchConstraints: { resourceRules: RULES }, validations: [{ expression: 'true' }], ...spec },
});
/** Only tried, so that one case can try many. */
const tried = (spec: Fields): Request => post('validatingadmissionpolicies?dryRun=All', policy(spec));
const validated = (...expressions: readonly string[]): readonly Request[] =>
  expressions.map((expression) => tried({ validations: [{ expression }] }));
const ruled = (rule: Fields): Request => tried({ matchConstraints: { resourceRules: [{ ...RULE, ...rule }] } });
const binding = (spec: Fields): object => ({
  metadata: { name: '{case}' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});
const bound = (spec: Fields): Request => post('validatingadmissionpolicybindings?dryRun=All', binding(spec));
const named = (length: number): readonly object[] =>
  Array.from({ length }, (_, index) => ({ name: `c${index}`, expression: 'true' }));

/** What a policy and its binding have to be. */
export const writtenPolicies: Cases = {
  'an expression can be read': validated(
    ...['object.', '1 +', 'true &&', '(1', '1)', 'object[1', 'true true', 'if', 'object.if == 1', '', ' '],
    ...['has(1)', '[1].all(1, true)', '[1].map(x.y, true)', '[1].all(x)', '99999999999999999999', '[1,] == [1]'],
  ),
  'an expression is true or false': validated(
    ...['1', '"a"', 'object', 'object.x', 'object.x + 1', 'request.name', '[object.x]', 'object.?x', 'null', 'request'],
    ...['string(object.x)', 'duration("1s")', 'timestamp("2020-01-01T00:00:00Z")', 'object.x == 1', 'object.x && true'],
  ),
  'an expression speaks of what there is': validated(
    ...[
      'nope',
      'nope(1)',
      'object.nope()',
      'params.x == 1',
      'variables.x == 1',
      'request.nope == 1',
      'request.uid == 1',
    ],
    ...['request.userInfo.nope == 1', 'namespaceObject.nope == 1', 'namespaceObject.metadata.uid == "a"'],
    'nope == 1 || request.nope == 2 || object.nope()',
  ),
  'an expression does what can be done': validated(
    ...['request.name == 1', 'request.name && true', 'request.dryRun == "a"', 'request.userInfo.groups == 1'],
    ...['request.userInfo.extra["a"] == "b"', 'request.kind == request.resource', 'object.metadata.name.startsWith(1)'],
    ...['object.a.exists(x, 1)', 'request.name.all(x, true)', 'request.operation in [1]', '[1, "a"].size() == 2'],
    ...['object.x.matches("(")', 'duration("x") > duration("1s")', 'object.?x.orValue(1)', 'oldObject == null'],
    ...['authorizer.check("get")', 'authorizer.path("/").check(1).allowed()', 'authorizer.requestResource == 1'],
  ),
  'a policy says what it is for': [
    tried({ failurePolicy: 'Maybe' }),
    tried({ failurePolicy: '' }),
    tried({ matchConstraints: null }),
    tried({ matchConstraints: {} }),
    tried({ validations: [] }),
    tried({ validations: [], auditAnnotations: [{ key: 'a', valueExpression: "'x'" }] }),
    tried({ validations: 'x' }),
    tried({ bogus: 1 }),
    post('validatingadmissionpolicies?dryRun=All', { metadata: { name: 'A_B' }, spec: {} }),
    post('validatingadmissionpolicies?dryRun=All&fieldValidation=Strict', policy({ bogus: 1 })),
  ],
  'a validation says what it means': [
    tried({ validations: [{ expression: 'true', message: ' ' }] }),
    tried({ validations: [{ expression: 'true', message: 'two\nlines' }] }),
    tried({ validations: [{ expression: 'true', messageExpression: ' ' }] }),
    tried({ validations: [{ expression: 'true', messageExpression: '1' }, { expression: 'nope' }] }),
    tried({ validations: [{ expression: 'true', messageExpression: 'object.x' }] }),
    tried({ validations: [{ expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' }] }),
    tried({ validations: [{ expression: 'true', reason: 'Because' }] }),
    tried({ validations: [{ expression: 'true', reason: 'Unauthorized' }] }),
  ],
  'parameters are of a kind': [
    tried({ paramKind: {} }),
    tried({ paramKind: { apiVersion: 'v1' } }),
    tried({ paramKind: { kind: 'Node' } }),
    tried({ paramKind: { apiVersion: 'a/b/c', kind: 'A_B' } }),
    tried({ paramKind: { apiVersion: 'A/b', kind: 'Node' } }),
    tried({ paramKind: { apiVersion: 'a/', kind: 'Node' } }),
    tried({ paramKind: { apiVersion: '/', kind: 'node' } }),
    tried({
      paramKind: { apiVersion: 'nope.example.com/v1', kind: 'Nope' },
      matchConditions: [{ name: 'a', expression: 'params.x == 1' }],
      validations: [{ expression: 'params.x == 1', messageExpression: 'string(params.x)' }],
    }),
  ],
  'conditions have names': [
    tried({ matchConditions: [{ name: '', expression: '' }, { expression: 'true' }] }),
    tried({ matchConditions: [{ name: 'a b', expression: '1' }] }),
    tried({
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: 'variables.x == 1' },
      ],
    }),
    tried({ matchConditions: [{ name: 'd', expression: ' nope ' }] }),
    tried({ matchConditions: named(65) }),
  ],
  'variables have names, and types': [
    tried({
      variables: [
        { name: '', expression: '1' },
        { name: 'a-b', expression: '1' },
      ],
    }),
    tried({
      variables: [
        { name: 'true', expression: '1' },
        { name: 'ok', expression: '' },
      ],
    }),
    tried({
      variables: [
        { name: 'x', expression: 'variables.y' },
        { name: 'y', expression: "1 + 'a'" },
      ],
    }),
    tried({
      variables: [
        { name: 'n', expression: '1' },
        { name: 'l', expression: "['a']" },
        { name: 'm', expression: "{'a': 1}" },
        { name: 'o', expression: 'object' },
        { name: 'r', expression: 'request' },
        { name: 'q', expression: "quantity('1')" },
      ],
      validations: [
        { expression: "variables.n == 'a'" },
        { expression: 'variables.l == [1]' },
        { expression: "variables.m['a'] == 'b'" },
        { expression: 'variables.o == 1' },
        { expression: 'variables.r.nope == 1' },
        { expression: 'variables.q == 1' },
        { expression: 'variables.nope == 1' },
        { expression: 'variables == 1' },
        { expression: 'variables.n' },
      ],
    }),
  ],
  'annotations are texts': [
    tried({
      auditAnnotations: [
        { key: 'a', valueExpression: '1' },
        { key: 'a', valueExpression: '' },
      ],
    }),
    tried({
      auditAnnotations: [
        { key: 'A b', valueExpression: "'x'" },
        { key: '', valueExpression: 'null' },
      ],
    }),
    tried({
      auditAnnotations: [
        { key: 'c', valueExpression: 'object.x' },
        { key: 'd', valueExpression: 'nope' },
      ],
    }),
  ],
  'which requests a policy is for': [
    ruled({ operations: [] }),
    ruled({ operations: ['*', 'CREATE'] }),
    ruled({ operations: ['create'] }),
    ruled({ apiGroups: [] }),
    ruled({ apiGroups: ['*', 'a'], apiVersions: ['*', 'v1'] }),
    ruled({ apiVersions: [''] }),
    ruled({ resources: [] }),
    ruled({ resources: [''] }),
    ruled({ resources: ['*/*', 'pods'] }),
    ruled({ resources: ['*', 'pods'] }),
    ruled({ resources: ['pods/*', 'pods/status'] }),
    ruled({ resources: ['*/status', 'pods/status'] }),
    ruled({ scope: 'Global' }),
    ruled({ resourceNames: ['a', 'a', '..', 'a/b'] }),
    tried({ matchConstraints: { matchPolicy: 'Some', resourceRules: RULES, excludeResourceRules: [{}] } }),
    tried({
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'a b': 'c d' }, matchExpressions: [{ key: 'x', operator: 'In' }] },
        objectSelector: { matchExpressions: [{ key: 'z', operator: 'Exists', values: ['1'] }] },
        resourceRules: RULES,
      },
    }),
  ],
  'what a binding says': [
    bound({}),
    bound({ policyName: '' }),
    bound({ policyName: 'A_B' }),
    bound({ validationActions: [] }),
    bound({ validationActions: ['Deny', 'Warn', 'Deny'] }),
    bound({ validationActions: ['Shout', 'Audit'] }),
    bound({ paramRef: {} }),
    bound({ paramRef: { name: 'a' } }),
    bound({ paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Allow' } }),
    bound({ paramRef: { name: 'a/b', parameterNotFoundAction: 'Maybe' } }),
    bound({ paramRef: { selector: { matchLabels: { 'a b': 'c' } }, parameterNotFoundAction: 'Deny' } }),
    bound({ matchResources: { matchPolicy: 'x', resourceRules: [{}] } }),
    post('validatingadmissionpolicybindings?dryRun=All', { metadata: { name: '{case}' } }),
  ],
  'what is changed is looked at again': [
    post('validatingadmissionpolicies', policy({})),
    mergePatch('validatingadmissionpolicies/{case}', { spec: { validations: [{ expression: 'nope' }] } }),
    mergePatch('validatingadmissionpolicies/{case}', { spec: { failurePolicy: 'x' } }),
    mergePatch('validatingadmissionpolicies/{case}', { metadata: { labels: { a: 'b' } } }),
    post('validatingadmissionpolicybindings', binding({})),
    mergePatch('validatingadmissionpolicybindings/{case}', { spec: { validationActions: [] } }),
  ],
};
