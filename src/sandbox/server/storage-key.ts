/** What a real server's storage calls an object: some refusals tell it. */
import { keyOf, type Target } from './target.ts';

/** Those that are kept under other names than they are served under. */
const PLACES: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };

export function storageKey(target: Target): string {
  const { resource, isCustom } = target.kind;
  const { group, plural } = resource;
  const hasGroup = isCustom || group === 'apiextensions.k8s.io';
  return `/registry/${hasGroup ? `${group}/` : ''}${PLACES[plural] ?? plural}/${keyOf(target)}`;
}
