/** The roles that a controller needs, and those that the runtime itself needs. Who gets them, and in which namespace, is for the chart to say. */
import { nameOf } from '../kube/resource.ts';
import { LEASES } from '../lead/lease.ts';
import { EVENTS } from '../observe/event.ts';
import type { Access, ControllerSpec } from './controller-spec.ts';
import { type PolicyRule, policyRules } from './policy-rules.ts';

export interface Role {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'Role' | 'ClusterRole';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly PolicyRule[];
}

export const ELECTION: Access = { resource: LEASES, verbs: ['get', 'watch', 'create', 'update'], scope: 'own' };

/**
 * What the runtime uses beside the controllers. Each is a role of its own, because each may be withheld: the deployments of the
 * originals grant neither, and then there are no Events, and no election.
 */
export function runtimeRoles(): readonly Role[] {
  const events: Access = { resource: EVENTS, verbs: ['create', 'patch'] };
  return [...rolesFor('holdfast-events', [events]), ...rolesFor('holdfast-leader-election', [ELECTION])];
}

/** `chosen` are namespaces, for what is asked for in those: one Role for each, or one that can be put into any. */
export const rolesOf = ({ name, reads, writes }: ControllerSpec, chosen: readonly string[] = []): readonly Role[] =>
  rolesFor(`holdfast-${name}`, [...reads, ...writes], chosen);

/** For everywhere, for the program's own namespace, and for those that are chosen. */
function rolesFor(name: string, accesses: readonly Access[], chosen: readonly string[] = []): readonly Role[] {
  accesses.forEach(refuseUnnamed);
  const of = (wanted: Access['scope']) => accesses.filter(({ scope = 'cluster' }) => scope === wanted);
  const everywhere = of('cluster');
  const inChosen = role('Role', chosenName(name, of('chosen')), policyRules(of('chosen'), everywhere));
  const roles = [
    role('ClusterRole', name, policyRules(everywhere)),
    role('Role', name, policyRules(of('own'), everywhere)),
    ...(chosen.length === 0 ? [inChosen] : chosen.map((namespace) => placed(inChosen, namespace))),
  ];
  return roles.filter(({ rules }) => rules.length > 0);
}

/** After what it gives, since it is bound apart from the role of the program's own namespace, which may be among the chosen. */
const chosenName = (name: string, accesses: readonly Access[]): string =>
  [name, ...new Set(accesses.map(({ resource }) => resource.plural))].join('-');

const placed = (given: Role, namespace: string): Role => ({ ...given, metadata: { ...given.metadata, namespace } });

const role = (kind: Role['kind'], name: string, rules: readonly PolicyRule[]): Role => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  rules,
});

/**
 * The API server knows no name when an object is created or a collection deleted: such a right would never hold. To create a
 * subresource, such as the eviction of a pod, is to do something to an object that is there and has a name.
 */
function refuseUnnamed({ resource, subresource, names, verbs, scope }: Access): void {
  const unnamed = verbs.find((verb) => verb === 'create' || verb === 'deletecollection');
  if (names && unnamed && subresource === undefined) {
    throw new Error(
      `${unnamed} on ${nameOf(resource)} cannot be limited to names: declare it in an access without names`,
    );
  }
  if (scope !== undefined && scope !== 'cluster' && !resource.namespaced) {
    throw new Error(`${nameOf(resource)} has no namespaces, so access to it cannot be limited to ${scope} ones`);
  }
}
