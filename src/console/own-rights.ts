/** Whether somebody may do all of something, asked before any of it is done. */
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Resource } from '../kit/kube/resource.ts';

export interface Doing {
  readonly verb: 'create' | 'list' | 'delete' | 'patch';
  readonly resource: Resource;
  readonly name?: string;
}

const AT_ONCE = 4;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** What of it they may not, such as `delete namespaces`. In all namespaces. */
export async function mayNot(
  client: KubeClient,
  all: readonly Doing[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answers = await fewAtATime(AT_ONCE, all, async ({ verb, resource: { group, version, plural }, name }) => {
    const resourceAttributes = { verb, group, version, resource: plural, ...(name !== undefined && { name }) };
    const review = await client.raw('POST', REVIEWS, { spec: { resourceAttributes } }, { signal });
    return Object(Object(review).status).allowed === true ? [] : [`${verb} ${plural}`];
  });
  return answers.flat();
}
