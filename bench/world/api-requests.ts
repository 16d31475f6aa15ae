/** How often the API server was asked for what, as it counts itself: nobody who is measured can forget a request. */
import type { RawClient } from '../../test/harness/raw-client.ts';

export interface Asked {
  /** In the plural. Of subresources nothing is counted. */
  readonly resources: readonly string[];
  /** As the server calls them: `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, … */
  readonly verbs: readonly string[];
}

/** Since its start, whatever it answered. */
export async function countRequests(client: RawClient, asked: Asked): Promise<number> {
  const metrics = await client.get<string>('/metrics');
  const counts = metrics.matchAll(/^apiserver_request_total\{(?<labels>.*)\} (?<count>\S+)$/gm);
  return counts
    .filter(({ groups }) => isAmong(asked, groups?.labels ?? ''))
    .reduce((sum, { groups }) => sum + Number(groups?.count), 0);
}

const isAmong = ({ resources, verbs }: Asked, labels: string): boolean =>
  labels.includes('subresource=""') &&
  resources.some((resource) => labels.includes(`resource="${resource}"`)) &&
  verbs.some((verb) => labels.includes(`verb="${verb}"`));
