/**
 * The PV controller: binds claims to volumes, says in which phase each of them is, and lets go of volumes whose claim is gone. It works
 * on two kinds of keys, as the real one does: claims look for volumes, volumes look at what became of their claim.
 */

import { claimsOf, hasEnded } from '../../api/pods.ts';
import { apiVersionOf, keyOfObject } from '../../kit/kube/resource.ts';
import { timestamp } from '../server/identifiers.ts';
import { bestMatch, isReservedFor, mismatch, reservedFor } from './matching.ts';
import { CLAIMS, CLASSES, type Claim, type Class, PODS, VOLUMES, type Volume } from './resources.ts';
import { Told } from './told.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
const OLD_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

export class Binder {
  readonly #parts: WorldParts;
  readonly #told: Told;
  readonly #claims: Upkeep;
  readonly #volumes: Upkeep;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#told = new Told(parts, 'persistentvolume-controller');
    this.#claims = new Upkeep(parts, (key) => this.#lookAtClaim(key))
      .watch(CLAIMS, (_, key) => [key])
      .watch(VOLUMES, (volume) => this.#claimsThatCare(volume))
      .watch(CLASSES, ({ metadata }) => this.#waiting(({ spec }) => spec?.storageClassName === metadata.name));
    this.#volumes = new Upkeep(parts, (key) => this.#lookAtVolume(key))
      .watch(VOLUMES, (_, key) => [key])
      .watch(CLAIMS, ({ spec }, key) => this.#volumesThatCare(key, spec?.volumeName));
  }

  stop(): void {
    this.#claims.stop();
    this.#volumes.stop();
  }

  #lookAtClaim(key: string): void {
    const claim = this.#parts.objects.get(CLAIMS, key);
    if (!claim) return;
    if (claim.metadata.annotations?.[BIND_COMPLETED]) this.#lookAtBound(claim);
    else if (claim.spec?.volumeName) this.#lookAtAsking(claim, claim.spec.volumeName);
    else this.#lookAtUnbound(claim);
  }

  #lookAtUnbound(claim: Claim): void {
    const { objects } = this.#parts;
    const all = objects.list(VOLUMES);
    const storageClass = this.#classOf(claim);
    const isDelayed =
      storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !claim.metadata.annotations?.[SELECTED_NODE];
    const volume = isDelayed ? reservedFor(claim, all) : bestMatch(claim, all);
    if (volume) this.#bind(volume, claim);
    else this.#wait(claim, storageClass, isDelayed);
  }

  /** The claim names the volume that it wants. */
  #lookAtAsking(claim: Claim, name: string): void {
    const volume = this.#parts.objects.get(VOLUMES, name);
    if (!volume) {
      this.#setPhase(claim, 'Pending');
      return;
    }
    if (volume.spec?.claimRef && !isReservedFor(volume, claim)) {
      this.#warn(claim, 'FailedBinding', `volume ${JSON.stringify(name)} already bound to a different claim.`);
      this.#setPhase(claim, 'Pending');
      return;
    }
    const why = mismatch(volume, claim);
    if (!why) {
      this.#bind(volume, claim);
      return;
    }
    this.#warn(claim, 'VolumeMismatch', `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`);
    this.#setPhase(claim, 'Pending');
  }

  #lookAtBound(claim: Claim): void {
    const { volumeName = '' } = claim.spec ?? {};
    const volume = volumeName && this.#parts.objects.get(VOLUMES, volumeName);
    if (!volume) {
      if (claim.status?.phase !== 'Lost')
        this.#warn(claim, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
      this.#setPhase(claim, 'Lost');
      return;
    }
    if (!volume.spec?.claimRef || isReservedFor(volume, claim)) {
      this.#bind(volume, claim);
      return;
    }
    if (claim.status?.phase !== 'Lost')
      this.#warn(claim, 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
    this.#setPhase(claim, 'Lost');
  }

  /** Step by step, each of which may have happened before. */
  #bind(volume: Volume, claim: Claim): void {
    const bound = this.#bindVolume(volume, claim);
    this.#setVolumePhase(bound, 'Bound');
    const completed = this.#bindClaim(claim, bound);
    const { accessModes = [], capacity = {} } = bound.spec ?? {};
    const { conditions: _, ...status } = completed.status ?? {};
    const isSame = completed.status?.phase === 'Bound' && completed.status.capacity !== undefined;
    if (isSame) return;
    this.#parts.objects.update(
      CLAIMS,
      { ...completed, status: { ...status, phase: 'Bound', accessModes, capacity } },
      'status',
    );
  }

  #bindVolume(volume: Volume, claim: Claim): Volume {
    if (volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
    const byController = volume.spec?.claimRef ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata;
    const claimRef = { kind: CLAIMS.kind, namespace, name, uid, apiVersion: apiVersionOf(CLAIMS), resourceVersion };
    return this.#parts.objects.update(VOLUMES, {
      ...annotated(volume, byController),
      spec: { ...volume.spec, claimRef },
    });
  }

  #bindClaim(claim: Claim, { metadata: { name = '' } }: Volume): Claim {
    const { annotations = {} } = claim.metadata;
    if (claim.spec?.volumeName === name && annotations[BIND_COMPLETED]) return claim;
    const byController = claim.spec?.volumeName ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
    return this.#parts.objects.update(CLAIMS, {
      ...annotated(claim, { ...byController, [BIND_COMPLETED]: 'yes' }),
      spec: { ...claim.spec, volumeName: name },
    });
  }

  /** There is no volume for it: somebody has to make one, or it waits until it is used. */
  #wait(claim: Claim, storageClass: Class | undefined, isDelayed: boolean): void {
    this.#setPhase(claim, 'Pending');
    if (isDelayed) {
      this.#waitForConsumer(claim);
      return;
    }
    const { storageClassName } = claim.spec ?? {};
    if (!storageClassName) {
      this.#tell(claim, 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
      return;
    }
    if (!storageClass) {
      this.#warn(
        claim,
        'ProvisioningFailed',
        `storageclass.storage.k8s.io ${JSON.stringify(storageClassName)} not found`,
      );
      return;
    }
    const { provisioner = '' } = storageClass;
    if (provisioner === NO_PROVISIONER) {
      this.#warn(claim, 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
      return;
    }
    this.#askProvisioner(claim, provisioner);
  }

  #waitForConsumer(claim: Claim): void {
    const { namespace, name = '' } = claim.metadata;
    const pod = this.#parts.objects
      .list(PODS)
      .find((one) => one.metadata.namespace === namespace && claimsOf(one).includes(name) && !hasEnded(one));
    if (!pod) {
      this.#tell(claim, 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
      return;
    }
    this.#tell(claim, 'WaitForPodScheduled', `waiting for pod ${pod.metadata.name} to be scheduled`);
  }

  #askProvisioner(claim: Claim, provisioner: string): void {
    if (!claim.metadata.annotations?.[STORAGE_PROVISIONER]) {
      const asked = { [STORAGE_PROVISIONER]: provisioner, [OLD_STORAGE_PROVISIONER]: provisioner };
      this.#parts.objects.update(CLAIMS, annotated(claim, asked));
    }
    const note = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    this.#tell(claim, 'ExternalProvisioning', note);
  }

  #lookAtVolume(key: string): void {
    const { objects } = this.#parts;
    const volume = objects.get(VOLUMES, key);
    if (!volume) return;
    const { claimRef } = volume.spec ?? {};
    if (!claimRef?.uid) return void this.#setVolumePhase(volume, 'Available');
    const claim = objects.get(CLAIMS, `${claimRef.namespace}/${claimRef.name}`);
    if (claim?.metadata.uid !== claimRef.uid) {
      this.#release(volume);
      return;
    }
    if (claim.spec?.volumeName === key) return void this.#setVolumePhase(volume, 'Bound');
    if (!claim.spec?.volumeName) {
      this.#claims.add(keyOfObject(claim));
      return;
    }
    this.#unbind(volume);
  }

  #release(volume: Volume): void {
    if (volume.status?.phase === 'Failed') return;
    const released = this.#setVolumePhase(volume, 'Released') ?? volume;
    const isOurs = released.metadata.annotations?.[PROVISIONED_BY] === undefined;
    if (released.spec?.persistentVolumeReclaimPolicy !== 'Delete' || !isOurs) return;
    const message = 'error getting deleter volume plugin for volume "$": no volume plugin matched';
    this.#setVolumePhase(released, 'Failed', message.replace('$', released.metadata.name ?? ''));
  }

  /** Its claim has another volume. What a person had written into it stays, but for the claim's uid. */
  #unbind(volume: Volume): void {
    const { claimRef: { uid: _, ...claimRef } = {}, ...spec } = volume.spec ?? {};
    const isByController = volume.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined;
    if (volume.metadata.annotations?.[PROVISIONED_BY] && spec.persistentVolumeReclaimPolicy === 'Delete') {
      this.#release(volume);
      return;
    }
    const { [BOUND_BY_CONTROLLER]: _by, ...annotations } = volume.metadata.annotations ?? {};
    const metadata = { ...volume.metadata, annotations };
    this.#parts.objects.update(VOLUMES, { ...volume, metadata, spec: isByController ? spec : { ...spec, claimRef } });
  }

  #setVolumePhase(volume: Volume, phase: string, message?: string): Volume | undefined {
    if (volume.status?.phase === phase) return undefined;
    const lastPhaseTransitionTime = timestamp(this.#parts.clock.now());
    const status = { phase, lastPhaseTransitionTime, ...(message && { message }) };
    return this.#parts.objects.update(VOLUMES, { ...volume, status }, 'status');
  }

  #setPhase(claim: Claim, phase: string): void {
    if (claim.status?.phase === phase) return;
    this.#parts.objects.update(CLAIMS, { ...claim, status: { phase } }, 'status');
  }

  #classOf({ spec }: Claim): Class | undefined {
    return spec?.storageClassName ? this.#parts.objects.get(CLASSES, spec.storageClassName) : undefined;
  }

  /** Its own; those that ask for it; and if nobody has it, all that wait. */
  #claimsThatCare({ metadata, spec }: Volume): readonly string[] {
    const { claimRef } = spec ?? {};
    const own = claimRef ? [`${claimRef.namespace}/${claimRef.name}`] : [];
    const asking = this.#parts.objects.list(CLAIMS).filter((claim) => claim.spec?.volumeName === metadata.name);
    const waiting = claimRef ? [] : this.#waiting(() => true);
    return [...own, ...asking.map(keyOfObject), ...waiting];
  }

  #waiting(isMeant: (claim: Claim) => boolean): readonly string[] {
    const claims = this.#parts.objects.list(CLAIMS);
    return claims.filter((claim) => !claim.spec?.volumeName && isMeant(claim)).map(keyOfObject);
  }

  #volumesThatCare(claim: string, volumeName?: string): readonly string[] {
    const volumes = this.#parts.objects.list(VOLUMES);
    const named = volumes.filter(({ spec }) => `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}` === claim);
    return [...named.map(keyOfObject), ...(volumeName ? [volumeName] : [])];
  }

  #tell(claim: Claim, reason: string, note: string): void {
    this.#told.tell(CLAIMS, claim, { type: 'Normal', reason, note });
  }

  #warn(claim: Claim, reason: string, note: string): void {
    this.#told.tell(CLAIMS, claim, { type: 'Warning', reason, note });
  }
}

function annotated<T extends Volume | Claim>(object: T, added: Readonly<Record<string, string>>): T {
  if (Object.keys(added).length === 0) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } };
}
