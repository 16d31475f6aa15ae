/**
 * That there is one object of a kind in a cluster, and no second. A policy cannot count, but it can be given all objects of the kind as
 * its parameters: whatever else is created must have the name of each of them. Two creations at the same moment may both pass.
 */
import { apiVersionOf, type Resource } from '../kube/resource.ts';
import { celText } from './node-limits.ts';

export interface Singleton {
  readonly resource: Resource;
  /** What whoever creates a second one is told, before the name of the first. */
  readonly sentence: string;
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** The policy first, and then what puts it in force. */
export function singletonObjects(prefix: string, { resource, sentence }: Singleton) {
  const metadata = { name: `${prefix}-only-one` };
  return [
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        paramKind: { apiVersion: apiVersionOf(resource), kind: resource.kind },
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [resource.group],
              apiVersions: [resource.version],
              operations: ['CREATE'],
              resources: [resource.plural],
            },
          ],
        },
        validations: [
          {
            expression: "params == null || params.metadata.name == object.metadata.?name.orValue('')",
            messageExpression: `${celText(`${sentence} `)} + params.metadata.name`,
            reason: 'Forbidden',
          },
        ],
      },
    },
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: {
        policyName: metadata.name,
        paramRef: { selector: {}, parameterNotFoundAction: 'Allow' },
        validationActions: ['Deny'],
      },
    },
  ] as const;
}
