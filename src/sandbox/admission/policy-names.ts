/** What the expressions of a policy may speak of, and of which type it is. */
import {
  BOOL,
  DYN,
  INT,
  isScalar,
  listOf,
  mapOf,
  objectOf,
  STRING,
  type StaticType,
  scalar,
} from '../cel/static-types.ts';

type Fields = readonly (readonly [string, StaticType])[];

const texts = (...names: readonly string[]): Fields => names.map((name) => [name, STRING]);
const kind = objectOf('kubernetes.GroupVersionKind', texts('group', 'version', 'kind'));
const resource = objectOf('kubernetes.GroupVersionResource', texts('group', 'version', 'resource'));

const USER = objectOf('kubernetes.UserInfo', [
  ...texts('username', 'uid'),
  ['groups', listOf(STRING)],
  ['extra', mapOf(STRING, listOf(STRING))],
]);

const REQUEST = objectOf('kubernetes.AdmissionRequest', [
  ...texts('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
  ['kind', kind],
  ['resource', resource],
  ['requestKind', kind],
  ['requestResource', resource],
  ['userInfo', USER],
  ['dryRun', BOOL],
  ['options', DYN],
]);

const CONDITION = objectOf('kubernetes.NamespaceCondition', [
  ...texts('status', 'type', 'message', 'reason'),
  ['lastTransitionTime', scalar('timestamp')],
]);

const NAMESPACE = objectOf('kubernetes.Namespace', [
  [
    'metadata',
    objectOf('kubernetes.NamespaceMetadata', [
      ...texts('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
      ['labels', mapOf(STRING, STRING)],
      ['annotations', mapOf(STRING, STRING)],
      ['creationTimestamp', scalar('timestamp')],
      ['deletionTimestamp', scalar('timestamp')],
      ['deletionGracePeriodSeconds', INT],
      ['generation', INT],
      ['finalizers', listOf(STRING)],
    ]),
  ],
  ['spec', objectOf('kubernetes.NamespaceSpec', [['finalizers', listOf(STRING)]])],
  [
    'status',
    objectOf('kubernetes.NamespaceStatus', [
      ['conditions', listOf(CONDITION)],
      ['phase', STRING],
    ]),
  ],
]);

const opaque = (name: string): StaticType => ({ is: 'object', name: `kubernetes.authorization.${name}` });

const AUTHORIZER: Fields = [
  ['authorizer', opaque('Authorizer')],
  ['authorizer.requestResource', opaque('ResourceCheck')],
];

export interface PolicyNames {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** None where the policy has none, or where none may be named. */
  readonly variables?: ReadonlyMap<string, StaticType>;
}

export const policyNames = ({ hasParams, hasAuthorizer, variables }: PolicyNames): ReadonlyMap<string, StaticType> =>
  new Map<string, StaticType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['namespaceObject', NAMESPACE],
    ['request', REQUEST],
    ...(hasParams ? [['params', DYN] as const] : []),
    ...(hasAuthorizer ? AUTHORIZER : []),
    ...(variables ? [['variables', objectOf('kubernetes.variables', variables)] as const] : []),
  ]);

/** What is known of a variable where it is used: its type, unless that is one of Kubernetes. */
export function variableType(type: StaticType): StaticType {
  if (type.is === 'list') return listOf(variableType(type.of));
  if (type.is === 'map') return mapOf(variableType(type.key), variableType(type.of));
  return isScalar(type, 'bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint')
    ? type
    : DYN;
}
