/** Why pods of a StatefulSet are not there: a quota or a policy may forbid them. Its controller says so in Events, and nowhere else. */
import { lastTimeOf, TOLD_EVENTS, type ToldEvent } from '../api/events.ts';
import type { StatefulSet } from '../api/stateful-sets.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { visible } from '../kit/visible.ts';

/** The controller tries again after 17 minutes at the latest. What it said before that is over. */
const RECENT_MS = 20 * 60_000;
const MOST_EVENTS = 500;
const LONGEST_WHY = 300;

/** By the names of the pods. That nothing can be read of it is no trouble: it is only for people. */
export async function refusedPods(
  client: KubeClient,
  { metadata: { namespace = '', uid = '' } }: StatefulSet,
  now: Date,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const fieldSelector = `regarding.uid=${uid},reason=FailedCreate,type=Warning`;
  try {
    const { items } = await client.list(TOLD_EVENTS, { namespace, fieldSelector, limit: MOST_EVENTS, signal });
    const recent = items.filter((event) => now.getTime() - lastTimeOf(event) < RECENT_MS);
    return new Map(recent.toSorted((a, b) => lastTimeOf(a) - lastTimeOf(b)).flatMap(refusalIn));
  } catch (error) {
    if (error instanceof ApiError) return new Map();
    throw error;
  }
}

/** `create Pod data-sts-3 in StatefulSet data-sts failed error: pods "data-sts-3" is forbidden: exceeded quota: …`; or `create Claim … for Pod data-sts-3 in …`. */
function refusalIn({ note = '' }: ToldEvent): readonly (readonly [string, string])[] {
  const [, pod, why] = /\bPod ([-a-z0-9.]+) in StatefulSet [-a-z0-9.]+ failed error: (.*)$/s.exec(note) ?? [];
  return pod !== undefined && why ? [[pod, visible(why.slice(0, LONGEST_WHY))]] : [];
}
