/** No more than ten owners by update are kept apart. Beyond that the oldest are put together. */
import { byBytes } from '../go-text.ts';
import { union } from './field-set.ts';
import { idOf, type Manager, type Owned, type Owners, secondsOf } from './managers.ts';

const MOST_UPDATERS = 10;
const OLDEST = 'ancient-changes';

export function capped(owners: Owners, most = MOST_UPDATERS): Owners {
  const updaters = [...owners].filter(([, { manager }]) => manager.operation === 'Update');
  if (updaters.length <= most) return owners;
  const oldest = updaters.toSorted(([a, one], [b, two]) => secondsOf(one) - secondsOf(two) || byBytes(a, b));
  const result = new Map(owners);
  const firsts = new Map<string, string>();
  let left = updaters.length;
  for (const [id, owned] of oldest) {
    if (left <= most) break;
    const { apiVersion } = owned.manager;
    const first = firsts.get(apiVersion);
    if (first === undefined) firsts.set(apiVersion, id);
    else {
      putTogether(result, first, id, owned);
      left -= 1;
    }
  }
  return result;
}

function putTogether(owners: Map<string, Owned>, first: string, id: string, { fields, time, manager }: Owned): void {
  const bucket: Manager = { name: OLDEST, operation: 'Update', apiVersion: manager.apiVersion, subresource: '' };
  const bucketId = idOf(bucket);
  const held = owners.get(bucketId) ?? owners.get(first);
  if (!owners.has(bucketId)) owners.delete(first);
  if (id !== bucketId) owners.delete(id);
  const all = { manager: bucket, fields: union(fields, held?.fields ?? new Map()) };
  owners.set(bucketId, time === undefined ? all : { ...all, time });
}
