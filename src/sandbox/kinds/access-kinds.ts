/** Who may do what: roles, and who has them. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json } from '../json.ts';
import { type BuiltIn, builtIn } from './built-in.ts';
import { AGE, column, NAME, wide } from './columns.ts';
import { pathSegmentFaults } from './name-faults.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, RBAC, ROLE_BINDINGS, ROLES } from './resources.ts';
import { bindingFaults, roleFaults } from './small-kind-faults.ts';

const common = { createsOnUpdate: true, nameFaults: pathSegmentFaults };

function defaultedBinding(object: ApiObject): ApiObject {
  const given = valueAt(object, 'roleRef');
  const roleRef = { ...(isMap(given) && given), apiGroup: textAt(given, 'apiGroup') || RBAC };
  const subjects = listAt(object, 'subjects').map(defaultedSubject);
  return { ...object, roleRef, ...(subjects.length > 0 && { subjects }) };
}

/** Accounts are of the core group, users and groups of this one. */
function defaultedSubject(subject: Json): Json {
  if (!isMap(subject) || subject.apiGroup || subject.kind === 'ServiceAccount') return subject;
  return { apiGroup: RBAC, ...subject };
}

const subjects = (kind: string) => (object: ApiObject) =>
  listAt(object, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) =>
      kind === 'ServiceAccount'
        ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`
        : textAt(subject, 'name'),
    )
    .join(', ');

const binding = {
  ...common,
  defaulted: defaultedBinding,
  faults: bindingFaults,
  columns: [
    NAME,
    column('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
    AGE,
    wide('Users', subjects('User')),
    wide('Groups', subjects('Group')),
    wide('ServiceAccounts', subjects('ServiceAccount')),
  ],
} satisfies Partial<BuiltIn>;

/** A list without rules is none. */
const ruled = (object: ApiObject): ApiObject =>
  listAt(object, 'rules').length > 0 ? object : { ...object, rules: null };

const role = { ...common, begun: ruled, updated: ruled, faults: roleFaults } satisfies Partial<BuiltIn>;

export const roles = builtIn({ resource: ROLES, ...role });
export const clusterRoles = builtIn({ resource: CLUSTER_ROLES, ...role });
export const roleBindings = builtIn({ resource: ROLE_BINDINGS, ...binding });
export const clusterRoleBindings = builtIn({ resource: CLUSTER_ROLE_BINDINGS, ...binding });
