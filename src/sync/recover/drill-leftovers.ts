/** The copies that drills have made, as they are found in a cluster: told by their label and by their names, so that nothing else goes with them. */
import { NAMESPACES } from '../../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import { hasReason } from '../../kit/kube/api-error.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { type KubeObject, keyOfObject, type Resource, refOf } from '../../kit/kube/resource.ts';
import { DRILL_LABEL } from '../contract.ts';
import { isNameOfCopy } from './drill-copies.ts';

export interface Leftover {
  readonly resource: Resource;
  readonly key: string;
  readonly uid: string;
  /** The drill that has made it. */
  readonly drill: string;
}

const PARALLEL = 32;
/** In this order they are removed: a volume is in use until its claim is gone. */
const COPIED = [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, NAMESPACES];

/** Of one drill, or of all. */
export async function leftoversOf(client: KubeClient, drill?: string): Promise<readonly Leftover[]> {
  const labelSelector = drill === undefined ? DRILL_LABEL : `${DRILL_LABEL}=${drill}`;
  const found: Leftover[] = [];
  for (const resource of COPIED)
    for await (const page of client.pages<KubeObject>(resource, { labelSelector }))
      found.push(...page.flatMap((object) => leftoverOf(resource, object)));
  return found;
}

/** Anybody may put a label on something. */
function leftoverOf(resource: Resource, object: KubeObject): readonly Leftover[] {
  const { name = '', namespace, uid = '', labels } = object.metadata;
  const drill = labels?.[DRILL_LABEL] ?? '';
  return isNameOfCopy(namespace ?? name, drill) ? [{ resource, key: keyOfObject(object), uid, drill }] : [];
}

/** Only what was found: of another of the same name nothing is known. */
export async function removeLeftovers(
  client: KubeClient,
  leftovers: readonly Leftover[],
  progress: (line: string) => void,
): Promise<void> {
  let removed = 0;
  for (const resource of COPIED) {
    const some = leftovers.filter((each) => each.resource === resource);
    await fewAtATime(PARALLEL, some, async ({ key, uid }) => {
      await client.delete(resource, refOf(key), { preconditions: { uid } }).catch(unlessGone);
      removed += 1;
      progress(`${removed} copies removed`);
    });
  }
}

function unlessGone(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
