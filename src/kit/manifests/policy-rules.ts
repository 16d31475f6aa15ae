/** RBAC rules from declared accesses: as few as say the same, never more than declared, always in the same order. */
import type { Access, Verb } from './controller-spec.ts';

/** As in rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

const VERBS: readonly string[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** One right: a verb on one resource, on all its objects or on the one of a name. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
  readonly verb: Verb;
}

/** `already` are accesses granted elsewhere to the same account; what they cover is not granted again. */
export function policyRules(accesses: readonly Access[], already: readonly Access[] = []): readonly PolicyRule[] {
  const granted = rightsOf(already);
  const rights = rightsOf(accesses);
  const needed = rights.filter((right) => !granted.some(covers(right)) && !isNarrowerThanOneOf(rights, right));
  return rulesOf(needed);
}

function rightsOf(accesses: readonly Access[]): readonly Right[] {
  return accesses.flatMap(({ resource: { group, plural }, subresource, names = [undefined], verbs }) => {
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    return names.flatMap((name) => verbs.map((verb): Right => ({ group, resource, name, verb })));
  });
}

const covers = (narrow: Right) => (wide: Right) =>
  wide.group === narrow.group &&
  wide.resource === narrow.resource &&
  wide.verb === narrow.verb &&
  (wide.name === undefined || wide.name === narrow.name);

const isNarrowerThanOneOf = (rights: readonly Right[], right: Right): boolean =>
  right.name !== undefined && rights.some((other) => other.name === undefined && covers(right)(other));

/** Folds what differs in one respect only: first the verbs, then the names, then the resources. */
function rulesOf(rights: readonly Right[]): readonly PolicyRule[] {
  const byObject = merged(rights.map(ruleOf), ({ verbs: _, ...rest }) => rest, 'verbs');
  const byName = merged(byObject, ({ resourceNames, ...rest }) => [rest, resourceNames === undefined], 'resourceNames');
  const byResource = merged(byName, ({ resources: _, ...rest }) => rest, 'resources');
  return byResource.toSorted((a, b) => compare(sortKey(a), sortKey(b)));
}

const ruleOf = ({ group, resource, name, verb }: Right): PolicyRule => ({
  apiGroups: [group],
  resources: [resource],
  ...(name !== undefined && { resourceNames: [name] }),
  verbs: [verb],
});

/** Rules that are alike in all but one list become one rule with the lists joined. */
function merged(
  rules: readonly PolicyRule[],
  alike: (rule: PolicyRule) => unknown,
  list: 'verbs' | 'resourceNames' | 'resources',
): readonly PolicyRule[] {
  const groups = Map.groupBy(rules, (rule) => JSON.stringify(alike(rule)));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const joined = [first, ...others].flatMap((rule) => rule[list] ?? []);
    return joined.length === 0 ? [first] : [{ ...first, [list]: inOrder(joined) }];
  });
}

/** Verbs as people list them, everything else by the alphabet. */
function inOrder(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort((a, b) => VERBS.indexOf(a) - VERBS.indexOf(b) || compare(a, b));
}

const sortKey = ({ apiGroups, resources, resourceNames = [], verbs }: PolicyRule): string =>
  [apiGroups, resources, resourceNames, verbs].join('\n');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
