import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonMap } from '../json.ts';
import { admit, type ParamObjects, type PolicySources } from './admit.ts';
import { compiledPolicy } from './compiled.ts';
import type { AdmissionRequest, Binding, Policy } from './policy.ts';

const root = resolve(import.meta.dirname, '../../..');
const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const VOLUMES = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };
const object = (name: string, more: JsonMap = {}): JsonMap => ({
  metadata: { name, namespace: 'default', labels: { a: 'b' } },
  ...more,
});

const creating = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  resource: CONFIG_MAPS,
  name: 'x',
  namespace: 'default',
  object: object('x'),
  userInfo: { username: 'ada' },
  namespaceObject: { metadata: { name: 'default', labels: { team: 'one' } } },
  dryRun: false,
  ...more,
});

const policy = (spec: Partial<Policy['spec']> = {}): Policy => ({
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    },
    validations: [{ expression: 'false' }],
    ...spec,
  },
});
const binding = (spec: Partial<Binding['spec']> = {}): Binding => ({
  metadata: { name: 'b' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});
const from = (one: Policy, bound: Binding = binding(), params?: ParamObjects): PolicySources => ({
  policies: () => [one],
  bindings: () => [bound],
  params: () => params,
});
const messageOf = (request: AdmissionRequest, sources: PolicySources) => admit(request, sources).denial?.message;
const DENIED = `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `;

describe('what is said', () => {
  test.each<[string, Partial<NonNullable<Policy['spec']['validations']>[number]>, string]>([
    ['the expression, if nothing else', {}, 'failed expression: false'],
    ['the message', { message: ' no ' }, 'no'],
    ['the message that is worked out', { message: 'no', messageExpression: "'not ' + object.metadata.name" }, 'not x'],
    ['the message, where none can be worked out', { message: 'no', messageExpression: 'object.nothing' }, 'no'],
    ['the message, where that has lines', { message: 'no', messageExpression: "'a\\nb'" }, 'no'],
  ])('%s', (_, validation, message) => {
    expect(messageOf(creating(), from(policy({ validations: [{ expression: 'false', ...validation }] })))).toBe(
      DENIED + message,
    );
  });

  test('with the reason of the rule', () => {
    const validations = [{ expression: 'false', reason: 'Forbidden' as const }];
    expect(admit(creating(), from(policy({ validations }))).denial).toMatchObject({ reason: 'Forbidden', code: 403 });
    expect(admit(creating(), from(policy())).denial).toMatchObject({ reason: 'Invalid', code: 422 });
  });

  test('as a warning, where that is wanted', () => {
    expect(admit(creating(), from(policy(), binding({ validationActions: ['Warn', 'Audit'] })))).toEqual({
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false"],
    });
  });
});

describe('errors', () => {
  const broken = { validations: [{ expression: 'object.nothing' }] };

  test('deny, unless they are to be ignored', () => {
    const told = `${DENIED}expression 'object.nothing' resulted in error: no such key: nothing`;
    expect(messageOf(creating(), from(policy(broken)))).toBe(told);
    expect(admit(creating(), from(policy({ ...broken, failurePolicy: 'Ignore' })))).toEqual({ warnings: [] });
  });

  test('in a condition deny, unless another does not hold', () => {
    const conditions = (expression: string) => ({
      matchConditions: [
        { name: 'a', expression: 'object.nothing' },
        { name: 'b', expression },
      ],
    });
    expect(messageOf(creating(), from(policy(conditions('true'))))).toContain('no such key: nothing');
    expect(messageOf(creating(), from(policy(conditions('false'))))).toBeUndefined();
  });

  test('in a variable name it', () => {
    const spec = { variables: [{ name: 'v', expression: '1 / 0' }], validations: [{ expression: 'variables.v == 1' }] };
    expect(messageOf(creating(), from(policy(spec)))).toContain(
      'composited variable "v" fails to evaluate: division by zero',
    );
  });
});

describe('which requests', () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const isAsked = (
    request: Partial<AdmissionRequest>,
    matchConstraints: Policy['spec']['matchConstraints'],
    bound?: Binding,
  ) => messageOf(creating(request), from(policy({ matchConstraints }), bound)) !== undefined;

  test.each<[string, Partial<AdmissionRequest>, Policy['spec']['matchConstraints'], boolean]>([
    ['the resource', {}, { resourceRules: [rule] }, true],
    ['another operation', { operation: 'DELETE' }, { resourceRules: [rule] }, false],
    ['another resource', {}, { resourceRules: [{ ...rule, resources: ['pods'] }] }, false],
    ['a subresource', { subresource: 'status' }, { resourceRules: [rule] }, false],
    [
      'a subresource that is meant',
      { subresource: 'status' },
      { resourceRules: [{ ...rule, resources: ['configmaps/*'] }] },
      true,
    ],
    [
      'a subresource, and all resources are meant',
      { subresource: 'status' },
      { resourceRules: [{ ...rule, resources: ['*'] }] },
      false,
    ],
    [
      'all resources with theirs',
      { subresource: 'status' },
      { resourceRules: [{ ...rule, resources: ['*/*'] }] },
      true,
    ],
    ['a name that is meant', {}, { resourceRules: [{ ...rule, resourceNames: ['x'] }] }, true],
    ['another name', {}, { resourceRules: [{ ...rule, resourceNames: ['y'] }] }, false],
    ['what is excluded', {}, { resourceRules: [rule], excludeResourceRules: [rule] }, false],
    ['the scope', {}, { resourceRules: [{ ...rule, scope: 'Cluster' }] }, false],
    ['labels of the object', {}, { resourceRules: [rule], objectSelector: { matchLabels: { a: 'b' } } }, true],
    ['other labels', {}, { resourceRules: [rule], objectSelector: { matchLabels: { a: 'c' } } }, false],
    [
      'labels that it had',
      { oldObject: object('x'), object: { metadata: {} } },
      { resourceRules: [rule], objectSelector: { matchLabels: { a: 'b' } } },
      true,
    ],
    [
      'labels of the namespace',
      {},
      { resourceRules: [rule], namespaceSelector: { matchLabels: { team: 'one' } } },
      true,
    ],
    ['another namespace', {}, { resourceRules: [rule], namespaceSelector: { matchLabels: { team: 'two' } } }, false],
    [
      'what has no namespace',
      { resource: VOLUMES, namespace: '' },
      { resourceRules: [{ ...rule, resources: ['*'] }], namespaceSelector: { matchLabels: { team: 'two' } } },
      true,
    ],
  ])('%s', (_, request, constraints, expected) => {
    expect(isAsked(request, constraints)).toBe(expected);
  });

  test('the binding has a say, too', () => {
    const other = binding({ matchResources: { resourceRules: [{ ...rule, resources: ['pods'] }] } });
    expect(isAsked({}, { resourceRules: [rule] }, other)).toBe(false);
    expect(isAsked({}, { resourceRules: [rule] }, binding({ policyName: 'another' }))).toBe(false);
  });
});

describe('parameters', () => {
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'Node' },
    validations: [{ expression: "params.metadata.name == 'n1'" }],
  };
  const nodes = (namespaced = false): ParamObjects => ({ namespaced, objects: [object('n1'), object('n2')] });
  const asked = (paramRef: NonNullable<Binding['spec']['paramRef']>, params?: ParamObjects, request = creating()) =>
    messageOf(request, from(policy(spec), binding({ paramRef }), params))?.replace(DENIED, '');

  test('the policy is asked for each', () => {
    expect(asked({ selector: {} }, nodes())).toContain('failed expression');
    expect(asked({ name: 'n1' }, nodes())).toBeUndefined();
    expect(asked({ name: 'n2' }, nodes())).toContain('failed expression');
    expect(asked({ selector: { matchLabels: { a: 'other' } } }, nodes())).toBeUndefined();
  });

  test('where there are none, it depends', () => {
    const none = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
    expect(asked({ name: 'n9', parameterNotFoundAction: 'Deny' }, nodes())).toBe(none);
    expect(asked({ name: 'n9', parameterNotFoundAction: 'Allow' }, nodes())).toBeUndefined();
    expect(asked({ name: 'n9' })).toBe('failed to configure binding: paramKind kind `v1, Kind=Node` not known');
  });

  test('they are those of the namespace', () => {
    expect(asked({ name: 'n2', namespace: 'other' }, nodes(true))).toBeUndefined();
    expect(asked({ name: 'n2' }, nodes(true))).toContain('failed expression');
    const cannot =
      'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
    const { denial } = admit(
      creating({ resource: VOLUMES, namespace: '' }),
      from(policy(spec), binding({ paramRef: { name: 'n2' } }), nodes(true)),
    );
    expect(denial?.cause).toContain(cannot);
  });
});

describe('our own policies', () => {
  const documents = globSync('deploy/admission/*.yaml', { cwd: root }).flatMap((file) =>
    parseAllDocuments(readFileSync(join(root, file), 'utf8')).map(
      (each) => each.toJS() as Policy & Binding & { kind: string },
    ),
  );
  const policies = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const bindings = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
  const sources = (params?: ParamObjects): PolicySources => ({
    policies: () => policies,
    bindings: () => bindings,
    params: () => params,
  });

  test('all compile', () => {
    expect(policies.length).toBeGreaterThan(5);
    for (const each of policies) expect(() => compiledPolicy(each)).not.toThrow();
  });

  const agent = (node: string) => ({
    username: 'system:serviceaccount:holdfast:holdfast-devices',
    extra: { 'authentication.kubernetes.io/node-name': [node] },
  });
  const label = 'local-pv-provisioner.cybozu.com/node';
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }];
  const volume = (node: string): JsonMap => ({
    metadata: { name: `local-${node}-sda`, labels: { [label]: node, 'local-pv-provisioner.cybozu.io/node': node } },
    spec: {
      local: { path: '/dev/sda' },
      persistentVolumeReclaimPolicy: 'Retain',
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  const making = (node: string, userInfo: AdmissionRequest['userInfo']): AdmissionRequest =>
    creating({ resource: VOLUMES, namespace: '', name: `local-${node}-sda`, object: volume(node), userInfo });

  test('an agent may make volumes of its own node, and of no other', () => {
    expect(admit(making('n1', agent('n1')), sources()).denial).toBeUndefined();
    expect(admit(making('n1', agent('n2')), sources()).denial?.message).toBe(
      `persistentvolumes "local-n1-sda" is forbidden: ValidatingAdmissionPolicy 'holdfast-devices-volumes' with binding 'holdfast-devices-volumes' denied request: The agent of node n2 may write only volumes of that node, whose label ${label} is its name`,
    );
    const { extra: _, ...nameless } = agent('n1');
    expect(admit(making('n1', nameless), sources()).denial?.message).toContain('only with a token that names its node');
    expect(admit(making('n1', { username: 'ada' }), sources()).denial).toBeUndefined();
  });

  test('there is one object of a kind that may be one only', () => {
    const resource = {
      group: 'storage.cndev.nl',
      version: 'v1',
      plural: 'persistentvolumesyncs',
      kind: 'PersistentVolumeSync',
      namespaced: false,
    };
    const version = policies.find(({ metadata }) => metadata.name.endsWith('only-one'))?.spec.matchConstraints
      .resourceRules?.[0]?.apiVersions?.[0];
    const second = creating({
      resource: { ...resource, version: version ?? '' },
      namespace: '',
      name: 'second',
      object: object('second'),
    });
    expect(admit(second, sources({ namespaced: false, objects: [object('first')] })).denial?.reason).toBe('Forbidden');
    expect(admit(second, sources({ namespaced: false, objects: [] })).denial).toBeUndefined();
  });
});
