/** Nobody gives what he does not have, unless he may: neither by a role nor by a binding. */
import { type ApiObject, textAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import { RBAC } from '../kinds/resources.ts';
import type { AdmissionPlugin, Admitted } from '../server/admission.ts';
import { forbidden } from '../server/refusals.ts';
import type { User } from '../server/target.ts';
import { type Authorizer, MASTERS } from './authorizer.ts';
import { type PolicyRule, rulesIn, ruleText, uncovered } from './rules.ts';

export const noEscalation = (authorizer: Authorizer): AdmissionPlugin => ({
  check: (asked) => {
    const { operation, target, request, object } = asked;
    if (target.kind.resource.group !== RBAC || operation === 'DELETE' || !object) return;
    if (request.user.groups.includes(MASTERS)) return;
    if (target.kind.resource.plural.endsWith('bindings')) checkBinding(asked, object, authorizer);
    else checkRole(asked, object, authorizer);
  },
});

function checkRole({ target, request: { user }, old }: Admitted, object: ApiObject, authorizer: Authorizer): void {
  const { plural } = target.kind.resource;
  const name = object.metadata.name ?? '';
  const namespace = target.namespace ?? '';
  if (old && JSON.stringify(rulesIn(old)) === JSON.stringify(rulesIn(object))) return;
  if (authorizer.decide(user, { verb: 'escalate', group: RBAC, resource: plural, namespace, name }).allowed) return;
  checkHeld(target, name, user, rulesIn(object), authorizer);
}

function checkBinding({ target, request: { user }, old }: Admitted, object: ApiObject, authorizer: Authorizer): void {
  const namespace = target.namespace ?? '';
  const same = (field: string) => old && JSON.stringify(old[field]) === JSON.stringify(object[field]);
  if (same('roleRef') && same('subjects')) return;
  const roleName = textAt(object, 'roleRef', 'name');
  const resource = textAt(object, 'roleRef', 'kind') === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (authorizer.decide(user, { verb: 'bind', group: RBAC, resource, namespace, name: roleName }).allowed) return;
  const rules = authorizer.rulesOf(object.roleRef as Json, namespace) ?? [];
  checkHeld(target, object.metadata.name ?? '', user, rules, authorizer);
}

function checkHeld(
  target: Admitted['target'],
  name: string,
  user: User,
  rules: readonly PolicyRule[],
  authorizer: Authorizer,
): void {
  const missing = uncovered(authorizer.rules(user, target.namespace ?? ''), rules);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(ruleText).sort().join('\n')}`;
  throw forbidden(target.kind.resource, name, why);
}
