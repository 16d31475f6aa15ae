/** Makes volumes for claims whose StorageClass asks for it, and removes them when they are released and to be deleted; as a CSI driver does. */
import { keyOfObject } from '../../kit/kube/resource.ts';
import { PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from './binder.ts';
import { CLAIMS, CLASSES, type Claim, type Class, NODES, VOLUMES, type Volume } from './resources.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

/** Classes of this provisioner are served. */
export const PROVISIONER = 'disks.sandbox.holdfast.dev';
const ZONE = 'topology.kubernetes.io/zone';

export class Provisioner {
  readonly #parts: WorldParts;
  readonly #claims: Upkeep;
  readonly #volumes: Upkeep;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#claims = new Upkeep(parts, (key) => this.#provide(key)).watch(CLAIMS, ({ metadata }, key) =>
      metadata.annotations?.[STORAGE_PROVISIONER] === PROVISIONER ? [key] : [],
    );
    this.#volumes = new Upkeep(parts, (key) => this.#takeBack(key)).watch(VOLUMES, ({ metadata }, key) =>
      metadata.annotations?.[PROVISIONED_BY] === PROVISIONER ? [key] : [],
    );
  }

  stop(): void {
    this.#claims.stop();
    this.#volumes.stop();
  }

  #provide(key: string): void {
    const { objects } = this.#parts;
    const claim = objects.get(CLAIMS, key);
    const storageClass = objects.get(CLASSES, claim?.spec?.storageClassName ?? '');
    if (!claim || !storageClass || claim.spec?.volumeName || claim.metadata.deletionTimestamp) return;
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !selected) return;
    if (objects.get(VOLUMES, `pvc-${claim.metadata.uid}`)) return;
    objects.create(VOLUMES, this.#volumeFor(claim, storageClass, selected));
  }

  #volumeFor(claim: Claim, storageClass: Class, node: string | undefined): Volume {
    const { uid = '', namespace = '', name = '' } = claim.metadata;
    const zone = node && this.#parts.objects.get(NODES, node)?.metadata.labels?.[ZONE];
    const terms = [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone ?? ''] }] }];
    return {
      metadata: { name: `pvc-${uid}`, annotations: { [PROVISIONED_BY]: PROVISIONER } },
      spec: {
        accessModes: claim.spec?.accessModes ?? [],
        capacity: { storage: claim.spec?.resources?.requests?.storage ?? '0' },
        claimRef: { namespace, name, uid },
        csi: { driver: PROVISIONER, volumeHandle: uid },
        ...(zone && { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.metadata.name ?? '',
        volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
      },
    };
  }

  #takeBack(key: string): void {
    const { objects } = this.#parts;
    const volume = objects.get(VOLUMES, key);
    const isToGo = volume?.spec?.persistentVolumeReclaimPolicy === 'Delete' && volume.status?.phase === 'Released';
    if (volume && isToGo && !volume.metadata.deletionTimestamp) objects.remove(VOLUMES, keyOfObject(volume));
  }
}
