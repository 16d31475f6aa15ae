/** Volumes and claims that are in use stay until they are not, however they are deleted: the protection finalizers, which the API server puts on, are taken off here. */
import { claimsOf } from '../../api/pods.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { CLAIMS, PODS, type Pod, VOLUMES } from './resources.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  [VOLUMES.plural]: 'kubernetes.io/pv-protection',
  [CLAIMS.plural]: 'kubernetes.io/pvc-protection',
};

export class Protection {
  readonly #upkeeps: readonly Upkeep[];

  constructor(parts: WorldParts) {
    const { objects } = parts;
    const volumes = new Upkeep(parts, (key) => {
      const volume = objects.get(VOLUMES, key);
      if (volume?.metadata.deletionTimestamp && volume.status?.phase !== 'Bound')
        letGo(volume, FINALIZERS[VOLUMES.plural], (freed) => objects.update(VOLUMES, freed));
    }).watch(VOLUMES, (_, key) => [key]);
    const claims = new Upkeep(parts, (key) => {
      const claim = objects.get(CLAIMS, key);
      if (claim?.metadata.deletionTimestamp && !objects.list(PODS).some((pod) => uses(pod, key)))
        letGo(claim, FINALIZERS[CLAIMS.plural], (freed) => objects.update(CLAIMS, freed));
    })
      .watch(CLAIMS, ({ metadata }, key) => (metadata.deletionTimestamp ? [key] : []))
      .watch(PODS, (pod) => claimsOf(pod).map((claim) => `${pod.metadata.namespace}/${claim}`));
    this.#upkeeps = [volumes, claims];
  }

  stop(): void {
    for (const upkeep of this.#upkeeps) upkeep.stop();
  }
}

/** One that has ended counts as long as it is there; one that has no node yet does not. */
const uses = (pod: Pod, claim: string): boolean =>
  Boolean(pod.spec?.nodeName) && claimsOf(pod).some((name) => `${pod.metadata.namespace}/${name}` === claim);

function letGo<T extends KubeObject>(object: T, finalizer: string | undefined, update: (freed: T) => void): void {
  const { finalizers = [] } = object.metadata;
  const left = finalizers.filter((each) => each !== finalizer);
  if (left.length < finalizers.length) update({ ...object, metadata: { ...object.metadata, finalizers: left } });
}
