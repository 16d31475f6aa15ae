/**
 * What RBAC cannot say: that the agent of a node writes only what is of its own node. A ValidatingAdmissionPolicy with its binding for
 * each kind of object that agents write. Everybody else is left alone.
 */
import type { Resource } from '../kube/resource.ts';

/** All agents are this service account; the token of each names its node. */
export interface AgentAccount {
  readonly namespace: string;
  readonly name: string;
}

/** What agents may write of one kind of object. */
export interface NodeLimit {
  /** Stands in the names of its policy and binding. */
  readonly name: string;
  readonly resource: Resource;
  /** What its rules are easier to read with. Each may use those before it. */
  readonly variables?: readonly Variable[];
  readonly asksEveryNode?: NodesAsked;
  readonly rules: readonly NodeRule[];
}

/**
 * A policy cannot look up a Node by its name: so its rules are asked for every Node, and have to hold for all. That Node is `params`, and
 * `variables.isOwnNode` tells whether it is the agent's. Each Node costs the server time, whoever writes: so this is about changes of
 * objects only, and another limit has to be about everything else.
 */
export interface NodesAsked {
  /** CEL, true of those other than the agent's own for which a rule might not hold. For the others they are not even asked. Has no variables. */
  readonly ifItMatters: string;
}

export interface NodeRule {
  /**
   * CEL, true of what is allowed. Beside `object` and `oldObject`, either of which may be null, there are `variables.node`, and
   * `variables.objects` with those of the two that there are.
   */
  readonly holds: string;
  /** Completes the sentence "The agent of node NAME may …". */
  readonly allowed: string;
}

/** In CEL, `variables.NAME`. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

type Validation = { readonly expression: string; readonly reason: 'Forbidden' } & (
  | { readonly message: string }
  | { readonly messageExpression: string }
);

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** The policy first, and then what puts it in force. */
export function admissionOf(prefix: string, limit: NodeLimit, account: AgentAccount) {
  const metadata = { name: `${prefix}-${limit.name}` };
  const binding = {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: {
      policyName: metadata.name,
      validationActions: ['Deny'],
      ...(limit.asksEveryNode && { paramRef: { selector: {}, parameterNotFoundAction: 'Deny' } }),
    },
  } as const;
  return [policy(metadata, limit, account), binding] as const;
}

const policy = (
  metadata: { readonly name: string },
  { resource, rules, variables = [], asksEveryNode }: NodeLimit,
  account: AgentAccount,
) =>
  ({
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      ...(asksEveryNode && { paramKind: { apiVersion: 'v1', kind: 'Node' } }),
      matchConstraints: { resourceRules: [asksEveryNode ? changesOf(resource) : everyWriteTo(resource)] },
      matchConditions: [
        { name: 'is-an-agent', expression: isAgent(account) },
        ...(asksEveryNode ? [{ name: 'is-a-node-that-matters', expression: matters(asksEveryNode) }] : []),
      ],
      variables: [...VARIABLES, ...(asksEveryNode ? [IS_OWN_NODE] : []), ...variables],
      validations: [NODE_IS_KNOWN, ...[...placeRules(resource, account), ...rules].map(validation)],
    },
  }) as const;

/** The parts of an object that are written apart from it are the object's, too. */
function everyWriteTo(resource: Resource) {
  const { group, version, plural } = resource;
  return {
    apiGroups: [group],
    apiVersions: [version],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: [plural, `${plural}/*`],
  } as const;
}

/** Not of the status, which the cluster itself writes most. */
const changesOf = (resource: Resource) =>
  ({ ...everyWriteTo(resource), operations: ['UPDATE'], resources: [resource.plural] }) as const;

/** An error in this would turn everybody away: so nothing is taken to be there. */
const isAgent = ({ namespace, name }: AgentAccount): string =>
  `request.userInfo.?username.orValue('') == ${celText(`system:serviceaccount:${namespace}:${name}`)}`;

const NODE_OF_TOKEN = "request.userInfo.?extra[?'authentication.kubernetes.io/node-name'][?0].orValue('')";

const matters = ({ ifItMatters }: NodesAsked): string => `params.metadata.name == ${NODE_OF_TOKEN} || ${ifItMatters}`;

const VARIABLES: readonly Variable[] = [
  { name: 'node', expression: NODE_OF_TOKEN },
  { name: 'objects', expression: '[object, oldObject].filter(each, each != null)' },
];

const IS_OWN_NODE: Variable = { name: 'isOwnNode', expression: 'params.metadata.name == variables.node' };

/** Only the first rule that does not hold is told: this one says more than those that then cannot hold either. */
const NODE_IS_KNOWN: Validation = {
  expression: "variables.node != ''",
  message:
    'An agent may write only with a token that names its node: one that is bound to its pod, as the kubelet gives it',
  reason: 'Forbidden',
};

const placeRules = ({ namespaced, kind }: Resource, { namespace }: AgentAccount): readonly NodeRule[] =>
  namespaced
    ? [
        {
          holds: `variables.objects.all(each, each.metadata.namespace == ${celText(namespace)})`,
          allowed: `write a ${kind} only in the namespace ${namespace}`,
        },
      ]
    : [];

const validation = ({ holds, allowed }: NodeRule): Validation => ({
  expression: holds,
  messageExpression: `'The agent of node ' + variables.node + ${celText(` may ${allowed}`)}`,
  reason: 'Forbidden',
});

/** A text as CEL writes it. */
export const celText = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
