/** What the server tells about itself: which resources it has, in the two forms that clients know. */

import type { Kind, Subresource } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const STATUS_VERBS = ['get', 'patch', 'update'];

export function subresourcesOf({ resource, hasStatus, scale, subresources }: Kind): readonly Subresource[] {
  const own = [
    ...subresources,
    ...(scale ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: STATUS_VERBS }] : []),
    ...(hasStatus ? [{ name: 'status', kind: resource.kind, verbs: STATUS_VERBS }] : []),
  ];
  return own.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const byName = (a: Kind, b: Kind): number => (a.resource.plural < b.resource.plural ? -1 : 1);

export const kindsIn = (registry: Registry, { group, version }: GroupVersion): readonly Kind[] =>
  registry.all.filter(({ resource }) => resource.group === group && resource.version === version).sort(byName);

/** Of every group but the core one, in the order in which they came. */
export function groupsIn(registry: Registry): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { resource } of registry.all) {
    const versions = groups.get(resource.group) ?? [];
    if (!versions.includes(resource.version)) versions.push(resource.version);
    groups.set(resource.group, versions);
  }
  groups.delete('');
  return groups;
}

/** `/api/v1`, `/apis/apps/v1`. */
export function resourceList(registry: Registry, place: GroupVersion): object | undefined {
  const kinds = kindsIn(registry, place);
  if (kinds.length === 0) return undefined;
  const groupVersion = place.group ? `${place.group}/${place.version}` : place.version;
  return {
    kind: 'APIResourceList',
    ...(place.group && { apiVersion: 'v1' }),
    groupVersion,
    resources: kinds.flatMap(entriesOf),
  };
}

function entriesOf(kind: Kind): readonly object[] {
  const { resource, singular, shortNames, categories, verbs } = kind;
  const { namespaced } = resource;
  return [
    {
      name: resource.plural,
      singularName: singular,
      namespaced,
      kind: resource.kind,
      verbs,
      ...given({ shortNames, categories }),
    },
    ...subresourcesOf(kind).map(({ name, kind: told, group, version, verbs: ownVerbs }) => ({
      name: `${resource.plural}/${name}`,
      singularName: '',
      namespaced,
      ...(group && { group, version }),
      kind: told,
      verbs: ownVerbs,
    })),
  ];
}

export function groupOf(name: string, versions: readonly string[]): object {
  const told = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: told, preferredVersion: told[0] };
}

/** Everything at once. */
export function aggregated(registry: Registry, isCore: boolean): object {
  const groups: [string, readonly string[]][] = isCore ? [['', ['v1']]] : [...groupsIn(registry)];
  const items = groups.map(([group, versions]) => ({
    metadata: group ? { name: group } : {},
    versions: versions.map((version) => ({
      version,
      resources: kindsIn(registry, { group, version }).map(aggregatedEntry),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregatedEntry(kind: Kind): object {
  const { resource, singular, shortNames, categories, verbs, isCustom } = kind;
  const ofOwn = isCustom ? { group: resource.group, version: resource.version } : { group: '', version: '' };
  const subresources = subresourcesOf(kind).map(({ name, kind: told, group, version, verbs: ownVerbs }) => ({
    subresource: name,
    responseKind: { ...(group ? { group, version } : ofOwn), kind: told },
    verbs: ownVerbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { ...ofOwn, kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...given({ shortNames, categories, subresources }),
  };
}

/** Lists that have something in them. */
const given = (lists: Readonly<Record<string, readonly unknown[]>>): object =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
