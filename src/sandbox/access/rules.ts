/** Rules of roles: what they allow. Pure. */
import { listAt } from '../api-object.ts';

/** Rules, as they stand in a Role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** What somebody wants to do. */
export type Attributes =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      /** Empty for what has none, and for all of them. */
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly verb: string; readonly path: string };

export function rulesIn(role: unknown): readonly PolicyRule[] {
  const texts = (rule: unknown, field: string) => listAt(rule, field).map(String);
  return listAt(role, 'rules').map((rule) => ({
    verbs: texts(rule, 'verbs'),
    apiGroups: texts(rule, 'apiGroups'),
    resources: texts(rule, 'resources'),
    resourceNames: texts(rule, 'resourceNames'),
    nonResourceURLs: texts(rule, 'nonResourceURLs'),
  }));
}

const hasOrAll = (list: readonly string[], one: string): boolean => list.includes('*') || list.includes(one);

export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if ('path' in asked) return rule.nonResourceURLs.some((url) => matchesPath(url, asked.path));
  return (
    hasOrAll(rule.apiGroups, asked.group) &&
    rule.resources.some((resource) => matchesResource(resource, asked)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name ?? ''))
  );
}

function matchesPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

/** A rule for everything includes subresources; `x/*` stands for none, and means what it says only in the form of a star and a slash. */
function matchesResource(
  rule: string,
  { resource, subresource }: { readonly resource: string; readonly subresource?: string },
): boolean {
  const whole = subresource ? `${resource}/${subresource}` : resource;
  return rule === '*' || rule === whole || (subresource !== undefined && rule === `*/${subresource}`);
}

/** Whether rules together allow all that another one does. Gives back what of it they do not. */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return compacted(wanted.flatMap(piecesOf).filter((piece) => !owned.some((rule) => covers(rule, piece))));
}

/** One rule for all verbs on the same thing. */
function compacted(pieces: readonly PolicyRule[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const { verbs, ...what } of pieces) {
    const id = JSON.stringify(what);
    rules.set(id, { ...what, verbs: [...(rules.get(id)?.verbs ?? []), ...verbs] });
  }
  return [...rules.values()];
}

/** One rule for each single thing that a rule allows. */
function piecesOf(rule: PolicyRule): readonly PolicyRule[] {
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        (rule.resourceNames.length > 0 ? rule.resourceNames : [undefined]).map((name) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: name === undefined ? [] : [name],
          nonResourceURLs: [],
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({
      verbs: [verb],
      apiGroups: [],
      resources: [],
      resourceNames: [],
      nonResourceURLs: [url],
    })),
  ]);
}

function covers(owner: PolicyRule, piece: PolicyRule): boolean {
  const has = (list: readonly string[], wanted: readonly string[]) =>
    list.includes('*') || wanted.every((one) => list.includes(one));
  const urls = piece.nonResourceURLs.every((url) => owner.nonResourceURLs.some((own) => matchesPath(own, url)));
  const names =
    owner.resourceNames.length === 0 ||
    (piece.resourceNames.length > 0 && has(owner.resourceNames, piece.resourceNames));
  return (
    has(owner.verbs, piece.verbs) &&
    has(owner.apiGroups, piece.apiGroups) &&
    coversResources(owner, piece) &&
    names &&
    urls
  );
}

const coversResources = (owner: PolicyRule, piece: PolicyRule): boolean =>
  piece.resources.every((wanted) => {
    const [resource = '', subresource] = wanted.split('/');
    return owner.resources.some((own) => matchesResource(own, { resource, ...(subresource && { subresource }) }));
  });

/** As errors show it. */
export function ruleText({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const lists: [string, readonly string[]][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['ResourceNames', resourceNames],
    ['NonResourceURLs', nonResourceURLs],
    ['Verbs', verbs],
  ];
  const told = lists
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:[${list.map((one) => JSON.stringify(one)).join(' ')}]`);
  return `{${told.join(', ')}}`;
}
