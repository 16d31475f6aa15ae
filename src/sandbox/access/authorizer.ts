/** Who may do what, by the roles that are bound to them. */
import { type ApiObject, listAt, textAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import type { User } from '../server/target.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import { type Attributes, type PolicyRule, ruleAllows, rulesIn } from './rules.ts';

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** What a user may do in a namespace, and why some of it could not be found out. */
interface Grants {
  readonly rules: readonly { readonly rule: PolicyRule; readonly by: string }[];
  readonly faults: readonly string[];
}

/** The same, with what was decided by it. */
interface Known extends Grants {
  readonly decisions: WeakMap<Attributes, Decision>;
}

export const MASTERS = 'system:masters';
const GROUP = 'rbac.authorization.k8s.io';

export class Authorizer {
  readonly #roles: Collection;
  readonly #roleBindings: Collection;
  readonly #clusterRoles: Collection;
  readonly #clusterRoleBindings: Collection;
  /** What was found out by user and namespace, until a role or a binding changes. */
  readonly #known = new Map<string, Map<string, Known>>();
  /** The same by the users themselves: most requests come from those who have asked before. */
  #ofUsers = new WeakMap<User, Map<string, Known>>();

  constructor(store: Store) {
    this.#roles = store.collection(`roles.${GROUP}`);
    this.#roleBindings = store.collection(`rolebindings.${GROUP}`);
    this.#clusterRoles = store.collection(`clusterroles.${GROUP}`);
    this.#clusterRoleBindings = store.collection(`clusterrolebindings.${GROUP}`);
    for (const collection of [this.#roles, this.#roleBindings, this.#clusterRoles, this.#clusterRoleBindings]) {
      collection.onChange(() => this.#forget());
    }
  }

  decide(user: User, asked: Attributes): Decision {
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    const known = this.#grants(user, 'path' in asked ? '' : (asked.namespace ?? ''));
    const decided = known.decisions.get(asked);
    if (decided) return decided;
    const decision = decisionBy(known, asked);
    known.decisions.set(asked, decision);
    return decision;
  }

  /** By roles. Masters need none. */
  rules(user: User, namespace: string): readonly PolicyRule[] {
    return this.#grants(user, namespace).rules.map(({ rule }) => rule);
  }

  /** The rules of what a binding refers to. */
  rulesOf(roleRef: Json | undefined, namespace: string): readonly PolicyRule[] | undefined {
    const role = this.#role(roleRef, namespace);
    return role && rulesIn(role);
  }

  #grants(user: User, namespace: string): Known {
    const known = this.#ofUsers.get(user) ?? this.#knownOf(user);
    const found = known.get(namespace);
    if (found) return found;
    const grants: Known = { ...this.#find(user, namespace), decisions: new WeakMap() };
    known.set(namespace, grants);
    return grants;
  }

  #knownOf(user: User): Map<string, Known> {
    const id = JSON.stringify([user.name, user.groups]);
    const known = this.#known.get(id) ?? new Map<string, Known>();
    this.#known.set(id, known);
    this.#ofUsers.set(user, known);
    return known;
  }

  #forget(): void {
    this.#known.clear();
    this.#ofUsers = new WeakMap();
  }

  #find(user: User, namespace: string): Grants {
    const everywhere = this.#granted(this.#clusterRoleBindings.objects(), user, '');
    const here = namespace === '' ? [] : this.#granted(this.#roleBindings.objects(`${namespace}/`), user, namespace);
    const all = [...everywhere, ...here];
    return { rules: all.flatMap(({ rules }) => rules), faults: all.flatMap(({ faults }) => faults) };
  }

  #granted(bindings: Iterable<ApiObject>, user: User, namespace: string): readonly Grants[] {
    return [...bindings].flatMap((binding) => {
      const subject = listAt(binding, 'subjects').find((one) => isSubject(one, user, namespace));
      return subject === undefined ? [] : [this.#bound(binding, subject, namespace)];
    });
  }

  #bound(binding: ApiObject, subject: Json, namespace: string): Grants {
    const rules = this.rulesOf(binding.roleRef as Json, namespace);
    const kind = textAt(binding, 'roleRef', 'kind');
    const name = textAt(binding, 'roleRef', 'name');
    if (!rules) return { rules: [], faults: [`${kind.toLowerCase()}.${GROUP} "${name}" not found`] };
    const bound = namespace
      ? `RoleBinding "${binding.metadata.name}/${namespace}"`
      : `ClusterRoleBinding "${binding.metadata.name}"`;
    const by = `${bound} of ${kind} "${name}" to ${subjectText(subject)}`;
    return { rules: rules.map((rule) => ({ rule, by })), faults: [] };
  }

  #role(roleRef: Json | undefined, namespace: string): ApiObject | undefined {
    const name = textAt(roleRef, 'name');
    return textAt(roleRef, 'kind') === 'ClusterRole'
      ? this.#clusterRoles.get(name)
      : this.#roles.get(`${namespace}/${name}`);
  }
}

function decisionBy({ rules, faults }: Grants, asked: Attributes): Decision {
  const found = rules.find(({ rule }) => ruleAllows(rule, asked));
  if (found) return { allowed: true, reason: `RBAC: allowed by ${found.by}` };
  return { allowed: false, reason: faults.length === 0 ? '' : `RBAC: ${inBrackets(faults)}` };
}

function isSubject(subject: Json, user: User, namespace: string): boolean {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  if (kind === 'User') return name === user.name;
  if (kind === 'Group') return user.groups.includes(name);
  return user.name === `system:serviceaccount:${textAt(subject, 'namespace') || namespace}:${name}`;
}

function subjectText(subject: Json): string {
  const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  return kind === 'ServiceAccount' ? `ServiceAccount "${name}/${textAt(subject, 'namespace')}"` : `${kind} "${name}"`;
}

const inBrackets = (faults: readonly string[]): string =>
  faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`;
