/** What each job may do, and what for, from what its controller declares. */
import { controllers } from '../../src/controllers.ts';
import { nameOf } from '../../src/kit/kube/resource.ts';
import type { Access } from '../../src/kit/manifests/controller-spec.ts';
import { type Role, runtimeRoles } from '../../src/kit/manifests/rbac.ts';
import { code, table } from './table.ts';

/** For each job: what it reads or writes a resource for. The table cannot be made without. */
const WHY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  topology: {
    'read pods': 'which pods use a volume, on which node, and whether they are ready',
    'read persistentvolumeclaims': 'which claim, and so which pods, a volume belongs to',
    'read nodes': 'the zone and the region of a node',
    'read persistentvolumes': 'which labels a volume has, and who wrote them',
    'write persistentvolumes': 'to label it',
  },
  devices: {
    'read nodes': 'the annotations of its node: which configuration, and which approvals',
    'read persistentvolumes': 'which device is which volume, and whose claim is gone',
    'read configmaps': 'the configuration of its node',
    'read namespaces': 'the uid of kube-system, which says which cluster a disk was handed out in',
    'write persistentvolumes':
      'to make volumes of devices, mark those that are wiped, and take away those that are clean',
    'write configmaps': 'the report of its node, for people',
  },
  lvm: {
    'read nodes': 'the label that volumes name its node by',
    'read persistentvolumes': 'which volumes are declared for its node',
    'read configmaps': 'the defaults of options',
    'read namespaces': 'the uid of kube-system, which says which cluster a logical volume was made for',
    'read secrets': 'the keys of encrypted volumes',
    'write persistentvolumes': 'finalizers and annotations, and to let a released volume be claimed again',
    'write configmaps': 'the report of its node, for people',
  },
  pool: {
    'read pvpools.pvpool.noobaa.com': 'which pools are wanted',
    'read statefulsets.apps': 'how many agents there are, and of which template',
    'read services': 'whether the name is there under which agents find each other',
    'read poddisruptionbudgets.policy': 'whether there is one that keeps agents from being evicted together',
    'read pods': 'whether agents are ready, and where to ask them',
    'read persistentvolumeclaims': 'whether claims are bound, grow, or are left over',
    'read storageclasses.storage.k8s.io': 'whether volumes can grow',
    'read secrets': 'the token of the agents of a pool',
    'read events.events.k8s.io': 'why a StatefulSet cannot make its pods',
    'write pvpools.pvpool.noobaa.com': 'the finalizer, and to take back what was asked for by an annotation',
    'write pvpools.pvpool.noobaa.com/status': 'how the pool is, and which scale down is under way',
    'write pvpools.pvpool.noobaa.com/finalizers':
      'to own objects that the pool has to wait for, where a cluster asks for that',
    'write statefulsets.apps': 'to make it, scale it, and change its template',
    'write services': 'to make it',
    'write poddisruptionbudgets.policy': 'to make it',
    'write secrets': 'to make the token of a pool, if there is none',
    'write persistentvolumeclaims': 'to let them grow, and to delete those that were drained, where the pool says so',
  },
  sync: {
    'read persistentvolumesyncs.storage.cndev.nl': 'what is to be exported or restored',
    'read persistentvolumes': 'what is exported, and what is there already where it is restored',
    'read persistentvolumeclaims': 'the same',
    'read storageclasses.storage.k8s.io': 'they are exported; where it is restored, whether claims can grow',
    'read namespaces': 'whether those of claims are there, or are being deleted',
    'write persistentvolumesyncs.storage.cndev.nl': 'the finalizer',
    'write persistentvolumesyncs.storage.cndev.nl/status': 'how export or recovery stands',
    'write persistentvolumes': 'to restore them, and to remove what is no longer exported',
    'write persistentvolumeclaims': 'the same',
    'write namespaces': 'to make those of restored claims, where they are missing',
  },
  console: {
    'read persistentvolumes': 'what is shown',
    'read persistentvolumeclaims': 'what is shown',
    'read pods': 'who uses a volume',
    'read nodes': 'what is shown',
    'read pvpools.pvpool.noobaa.com': 'what is shown',
    'read persistentvolumesyncs.storage.cndev.nl': 'what is shown',
    'read configmaps': 'the reports of nodes',
    'write tokenreviews.authentication.k8s.io': 'to ask who a person is',
    'write subjectaccessreviews.authorization.k8s.io': 'to ask what that person may see and do',
  },
};

const WHERE = { cluster: 'everywhere', own: 'its own namespace', chosen: 'namespaces that are chosen' } as const;

export function rightsTable(job: string): string {
  const spec = controllers.find(({ name }) => name === job);
  if (!spec) throw new Error(`there is no controller ${job}`);
  const rows = (how: 'read' | 'write', accesses: readonly Access[]) =>
    accesses.map(({ resource, subresource, verbs, scope = 'cluster', names }) => {
      const name = [nameOf(resource), ...(subresource ? [subresource] : [])].join('/');
      const why = WHY[job]?.[`${how} ${name}`];
      if (why === undefined) throw new Error(`tools/reference/rbac.ts does not say why ${job} may ${how} ${name}`);
      const only = names ? ` (only ${names.map(code).join(', ')})` : '';
      return [`${code(name)}${only}`, verbs.join(', '), WHERE[scope], why];
    });
  return table(
    ['resource', 'verbs', 'where', 'what for'],
    [...rows('read', spec.reads), ...rows('write', spec.writes)],
  );
}

/** What has a role of its own, because it may be withheld. */
export const runtimeRightsTable = (): string =>
  table(
    ['role', 'resource', 'verbs', 'without it'],
    runtimeRoles().map(({ kind, metadata: { name }, rules }) => {
      const without = WITHOUT[name];
      if (without === undefined) throw new Error(`tools/reference/rbac.ts does not say what there is without ${name}`);
      return [code(`${kind} ${name}`), ...given(rules), without];
    }),
  );

const WITHOUT: Readonly<Record<string, string>> = {
  'holdfast-events': 'there are no Events, and one warning in the log; all else goes on',
  'holdfast-leader-election': 'a job that elects (`--leader-elect`) waits for the lease, and does nothing',
};

const given = (rules: Role['rules']): readonly [string, string] => [
  rules
    .flatMap(({ apiGroups, resources }) =>
      resources.map((name) => code([name, ...apiGroups].filter(Boolean).join('.'))),
    )
    .join(', '),
  [...new Set(rules.flatMap(({ verbs }) => verbs))].join(', '),
];

export function policyTable(): string {
  const rows = controllers.flatMap(({ name, limits = [], guards = [], singletons = [] }) => [
    ...limits.map(({ name: of, resource, rules }) => [
      code(`holdfast-${name}-${of}`),
      name,
      code(nameOf(resource)),
      `the agent of a node may ${rules.map(({ allowed }) => allowed).join('; ')}`,
    ]),
    ...guards.map(({ name: of, resource, subresource }) => [
      code(`holdfast-${name}-${of}`),
      name,
      code([nameOf(resource), ...(subresource ? [subresource] : [])].join('/')),
      'a change that is for this job alone to make, whoever else may write the object',
    ]),
    ...singletons.map(({ resource }) => [
      code(`holdfast-${name}-only-one`),
      name,
      code(nameOf(resource)),
      'there is one object at most',
    ]),
  ]);
  return table(['policy', 'job', 'of', 'what it holds to'], rows);
}
