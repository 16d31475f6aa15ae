/** Looks at the volumes from the API server's side: which carry the labels that they should, and how often they were written to. */
import type { RawClient, RawList, RawObject } from '../../test/harness/raw-client.ts';
import { countRequests } from './api-requests.ts';
import { placeOf } from './volume.ts';

/** How many volumes carry exactly the labels that they should. */
export async function countLabelled(client: RawClient): Promise<number> {
  let labelled = 0;
  for (let next: string | undefined = ''; next !== undefined; ) {
    const from: string = next && `&continue=${next}`;
    const page: RawList = await client.list(`/api/v1/persistentvolumes?limit=500${from}`);
    labelled += page.items.filter(isLabelled).length;
    next = page.metadata.continue;
  }
  return labelled;
}

/** The number of a volume is at the end of its name. */
export function isLabelled({ metadata: { name, labels } }: RawObject): boolean {
  const found = (labels ?? {}) as Readonly<Record<string, string>>;
  return Object.entries(placeOf(Number(name.slice(-6)))).every(([key, value]) => found[key] === value);
}

/** How many PATCHes of volumes the API server has answered since its start, whatever it answered. */
export const countPatches = (client: RawClient): Promise<number> =>
  countRequests(client, { resources: ['persistentvolumes'], verbs: ['PATCH'] });
