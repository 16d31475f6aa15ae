/** What the job writes to the API: always a volume that it has looked at, named by its uid and version. */
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { compareVersions } from '../kit/cache/resource-version.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { FIELD_MANAGER, FINALIZER, MADE_ANNOTATION, PREFIX } from './contract.ts';
import { type OwnWrite, type Volume, volumeOf } from './volume.ts';

export class Writes {
  readonly #client: KubeClient;
  /** The last to each volume, by its name. */
  readonly #last = new Map<string, OwnWrite>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * Before anything is made: its object stays until we let it go, Kubernetes leaves what it holds alone, and what is asked for stays so
   * if defaults change meanwhile.
   */
  hold(volume: Volume, inForce: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Volume> {
    const finalizers = [...volume.otherFinalizers, FINALIZER];
    const spec = volume.reclaimPolicy === 'Retain' ? {} : { spec: { persistentVolumeReclaimPolicy: 'Retain' } };
    return this.#patch(volume, { metadata: { finalizers, annotations: prefixed(inForce) }, ...spec }, signal);
  }

  /** After everything of it is gone. */
  async letGo(volume: Volume, signal: AbortSignal): Promise<void> {
    await this.#patch(volume, { metadata: { finalizers: volume.otherFinalizers } }, signal);
  }

  /** Without a claim it can be claimed again. */
  release(volume: Volume, signal: AbortSignal): Promise<Volume> {
    return this.#patch(volume, { spec: { claimRef: null } }, signal);
  }

  /** Annotations with our prefix, which they are given without; `null` removes one. Only those that differ are written. */
  async annotate(volume: Volume, marks: Marks, signal: AbortSignal): Promise<Volume> {
    const changed = Object.entries(marks.ours).filter(([key, value]) => (volume.annotations[key] ?? null) !== value);
    const isMarked = marks.made === undefined || volume.made !== undefined;
    if (changed.length === 0 && isMarked) return volume;
    const annotations = {
      ...prefixed(Object.fromEntries(changed)),
      ...(isMarked ? {} : { [MADE_ANNOTATION]: marks.made }),
    };
    return await this.#patch(volume, { metadata: { annotations } }, signal);
  }

  /** Our last write, if it is what made the one of the other, or a part of that. */
  between(before: Volume, after: Volume): OwnWrite | undefined {
    const last = this.#last.get(after.name);
    if (!last || last.written.uid !== after.uid) return undefined;
    const { resourceVersion } = last.written;
    const isBetween =
      compareVersions(before.resourceVersion, resourceVersion) < 0 &&
      compareVersions(resourceVersion, after.resourceVersion) <= 0;
    return isBetween ? last : undefined;
  }

  /** Of a volume that is gone. */
  forget(name: string): void {
    this.#last.delete(name);
  }

  /** As the API server has it now, past every cache. */
  async find(name: string, signal: AbortSignal): Promise<Volume | undefined> {
    const found = await this.#client.find(PERSISTENT_VOLUMES, { name }, { signal });
    return found && volumeOf(found);
  }

  /** All of them. */
  async all(signal: AbortSignal): Promise<readonly Volume[]> {
    const pages = this.#client.pages(PERSISTENT_VOLUMES, { signal });
    const volumes = await Array.fromAsync(pages, (page) => page.map(volumeOf));
    return volumes.flat().filter((volume) => volume !== undefined);
  }

  async #patch(volume: Volume, patch: Patch, signal: AbortSignal): Promise<Volume> {
    const { name, uid, resourceVersion } = volume;
    const options = { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal };
    const written: PersistentVolume = await this.#client.mergePatch(PERSISTENT_VOLUMES, { name }, patch, options);
    const now = volumeOf(written);
    if (!now) throw new Error(`the API server answered a change of ${name} with something that is no local volume`);
    if (now.resourceVersion !== resourceVersion) this.#last.set(name, { basis: volume, written: now });
    return now;
  }
}

const prefixed = <V>(marks: Readonly<Record<string, V>>): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(marks).map(([key, value]) => [`${PREFIX}${key}`, value]));

export interface Marks {
  readonly ours: Readonly<Record<string, string | null>>;
  /** The uuid of its logical volume, once there is one. */
  readonly made?: string | undefined;
}

interface Patch {
  readonly metadata?: object;
  readonly [field: string]: unknown;
}
