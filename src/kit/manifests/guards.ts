/**
 * What RBAC cannot say: that a change of an object is for one controller alone to make, whoever else may write the object. A
 * ValidatingAdmissionPolicy with its binding for each.
 */
import type { Resource } from '../kube/resource.ts';
import { type AgentAccount, celText, type Variable } from './node-limits.ts';

export interface Guard {
  /** Stands in the names of its policy and binding. */
  readonly name: string;
  readonly resource: Resource;
  /** Only writes to this part of the object; otherwise those to the object itself, and to none of its parts. */
  readonly subresource?: string;
  /** CEL, true of the objects that are guarded, as they were. An error in it would turn everybody away: so nothing is taken to be there. */
  readonly guarded: string;
  readonly variables?: readonly Variable[];
  /** CEL, true of a change that anybody may make. */
  readonly holds: string;
  /** CEL, the sentence that others are told: who may do it, why, and what to do instead. */
  readonly sentence: string;
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** The policy first, and then what puts it in force. */
export function guardObjects(prefix: string, guard: Guard, account: AgentAccount) {
  const metadata = { name: `${prefix}-${guard.name}` };
  return [
    { apiVersion: API_VERSION, kind: 'ValidatingAdmissionPolicy', metadata, spec: policySpec(guard, account) },
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ] as const;
}

const policySpec = (
  { resource, subresource, guarded, variables = [], holds, sentence }: Guard,
  { namespace, name }: AgentAccount,
) => ({
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [resource.group],
        apiVersions: [resource.version],
        operations: ['UPDATE'],
        resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
      },
    ],
  },
  matchConditions: [
    {
      name: 'is-another-account',
      expression: `request.userInfo.?username.orValue('') != ${celText(`system:serviceaccount:${namespace}:${name}`)}`,
    },
    { name: 'is-guarded', expression: guarded },
  ],
  ...(variables.length > 0 && { variables }),
  validations: [{ expression: holds, messageExpression: sentence, reason: 'Forbidden' }],
});
