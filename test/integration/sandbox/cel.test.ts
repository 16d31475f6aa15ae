/** Expressions of CEL have the same value, or the same error, in the sandbox as on a real API server, and so have the policies around them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit, type Verdict } from '../../../src/sandbox/admission/admit.ts';
import type { AdmissionRequest, Binding, Policy } from '../../../src/sandbox/admission/policy.ts';
import type { JsonMap } from '../../../src/sandbox/json.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { EXPRESSIONS, OBJECT } from './expressions.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const nameOf = (index: number): string => `case-${index}`;

function policyOf(expression: string, index: number): Policy {
  return {
    metadata: { name: nameOf(index) },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      matchConditions: [{ name: 'is-meant', expression: `object.metadata.name == '${nameOf(index)}'` }],
      variables: [
        { name: 'double', expression: '1 + 1' },
        { name: 'chained', expression: 'variables.double * 2' },
        { name: 'broken', expression: '1 / 0' },
      ],
      validations: [{ expression }],
    },
  };
}

const bindingOf = (_: string, index: number): Binding => ({
  metadata: { name: nameOf(index) },
  spec: { policyName: nameOf(index), validationActions: ['Deny'] },
});

let plane: ControlPlane;
let namespaceObject: JsonMap;

beforeAll(async () => {
  plane = await startControlPlane();
  namespaceObject = await plane.admin.get<JsonMap>('/api/v1/namespaces/default');
  const sentinel = { ...policyOf('false', 0), metadata: { name: 'sentinel' } };
  const meant = [{ name: 'is-meant', expression: "object.metadata.name == 'sentinel'" }];
  const all = [
    ...EXPRESSIONS.map((each, i) => [policyOf(each, i), bindingOf(each, i)] as const),
    [
      { ...sentinel, spec: { ...sentinel.spec, matchConditions: meant } },
      { metadata: { name: 'sentinel' }, spec: { policyName: 'sentinel', validationActions: ['Deny'] } },
    ] as const,
  ];
  for (const [policy, binding] of all) {
    const [apiVersion, kind] = ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy'];
    await plane.admin.post(`${API}/validatingadmissionpolicies`, { apiVersion, kind, ...policy });
    await plane.admin.post(`${API}/validatingadmissionpolicybindings`, {
      apiVersion,
      kind: `${kind}Binding`,
      ...binding,
    });
  }
  await eventually(async () => expect((await create('sentinel')).status).toBe(422));
});

afterAll(async () => await plane[Symbol.asyncDispose]());

const create = (name: string) =>
  plane.admin.request<JsonMap>('POST', `${CONFIG_MAPS}?dryRun=All`, {
    ...OBJECT,
    metadata: { ...OBJECT.metadata, name },
  });

function inTheSandbox(expression: string, index: number): Verdict {
  const name = nameOf(index);
  const request: AdmissionRequest = {
    operation: 'CREATE',
    resource: { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
    name,
    namespace: 'default',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...OBJECT,
      metadata: { ...OBJECT.metadata, name, namespace: 'default' },
    },
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    namespaceObject,
    dryRun: true,
  };
  return admit(request, {
    policies: () => [policyOf(expression, index)],
    bindings: () => [bindingOf(expression, index)],
    params: () => undefined,
  });
}

test.each(EXPRESSIONS.map((expression, index) => ({ expression, index })))(
  '$expression',
  async ({ expression, index }) => {
    const { status, body } = await create(nameOf(index));
    const { denial } = inTheSandbox(expression, index);
    const ours = denial
      ? { status: denial.code, message: denial.message, reason: denial.reason, cause: denial.cause }
      : { status: 201 };
    const details = body.details as { readonly causes?: readonly { readonly message: string }[] } | undefined;
    const theirs =
      status === 201
        ? { status }
        : { status, message: body.message, reason: body.reason, cause: details?.causes?.[0]?.message };
    expect(ours).toEqual(theirs);
  },
);
