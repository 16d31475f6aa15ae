/** For tests: takes one right away from our roles, and hears what is refused then. */
import type { Resource } from '../kit/kube/resource.ts';
import type { PolicyRule } from '../kit/manifests/policy-rules.ts';
import type { Role } from '../kit/manifests/rbac.ts';
import type { Cluster } from './cluster.ts';
import { CLUSTER_ROLES, ROLES } from './kinds/resources.ts';

/** A verb on a resource, as `patch persistentvolumes`. */
export type Right = string;

export function rightsIn(roles: readonly Pick<Role, 'rules'>[]): readonly Right[] {
  const rules = roles.flatMap(({ rules }) => rules);
  return rules.flatMap(({ resources, verbs }) => resources.flatMap((on) => verbs.map((verb) => `${verb} ${on}`)));
}

export function takeAway({ objects }: Pick<Cluster, 'objects'>, right: Right): void {
  for (const resource of [CLUSTER_ROLES, ROLES])
    for (const role of objects.list(resource as Resource<Role>))
      if (role.metadata.name.startsWith('holdfast-'))
        objects.update(resource as Resource<Role>, {
          ...role,
          rules: role.rules.flatMap((rule) => without(rule, right)),
        });
}

/** The same rule for the other resources, and the other verbs for this one. */
function without(rule: PolicyRule, right: Right): readonly PolicyRule[] {
  const [verb, resource = ''] = right.split(' ');
  const others = { ...rule, resources: rule.resources.filter((each) => each !== resource) };
  const rest = { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) };
  const isAbout = others.resources.length < rule.resources.length;
  return [others, ...(isAbout ? [rest] : [])].filter(({ resources, verbs }) => resources.length * verbs.length > 0);
}

/** Everything that is refused from now on. */
export function hearRefusals({ access: { authorizer } }: Pick<Cluster, 'access'>, refusals: Set<Right>): void {
  const decide = authorizer.decide.bind(authorizer);
  authorizer.decide = (user, asked) => {
    const decision = decide(user, asked);
    if (!decision.allowed && 'resource' in asked) {
      const { verb, resource, subresource } = asked;
      refusals.add(`${verb} ${subresource ? `${resource}/${subresource}` : resource}`);
    }
    return decision;
  };
}
