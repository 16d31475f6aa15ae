/** Writes to many objects, a few at a time. What one object is refused for does not keep the others from being written; what concerns all of them ends it. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import type { Identity } from '../../kit/cache/store.ts';
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import { ApiError, hasReason } from '../../kit/kube/api-error.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { type KubeObject, type Resource, refOf } from '../../kit/kube/resource.ts';
import { ConnectionError } from '../../kit/kube/transport.ts';
import { FIELD_MANAGER, RECOVERY_LABEL } from '../contract.ts';
import type { Alteration, Kind, Target } from './plan.ts';

export interface Writing {
  readonly client: KubeClient;
  /** The name of the resource. */
  readonly sync: string;
  readonly signal: AbortSignal;
  /** How many at a time. */
  readonly parallel?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What could not be written. The next pass looks at it again. */
export interface Failure extends Target {
  readonly doing: Doing;
  readonly error: Error;
}

export type Doing = 'disown' | 'create' | 'change' | 'remove' | 'release';

export interface Written {
  readonly counts: Readonly<Record<Doing, number>>;
  readonly failures: readonly Failure[];
}

const PARALLEL = 32;

const RESOURCES: Readonly<Record<Kind, Resource>> = {
  PersistentVolume: PERSISTENT_VOLUMES,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIMS,
};

export const resourceOf = ({ kind }: Target): Resource => RESOURCES[kind];
export const nameOfTarget = ({ kind, key }: Target): string => `${kind} ${key}`;

export class Pass {
  readonly writing: Writing;
  readonly #total: number;
  readonly #counts: Record<Doing, number> = { disown: 0, create: 0, change: 0, remove: 0, release: 0 };
  readonly #failures: Failure[] = [];
  readonly #failed = new Set<string>();
  #done = 0;
  /** How many in a row could not be sent at all. */
  #unsent = 0;

  constructor(writing: Writing, total: number) {
    this.writing = writing;
    this.#total = total;
  }

  get written(): Written {
    return { counts: { ...this.#counts }, failures: [...this.#failures] };
  }

  hasFailed(target: string): boolean {
    return this.#failed.has(target);
  }

  /** Rejects when it is aborted, when we may not write any more, and when the server is not there. */
  async each<T extends Target>(
    doing: Doing,
    targets: readonly T[],
    write: (target: T) => Promise<unknown>,
  ): Promise<void> {
    const { parallel = PARALLEL, onProgress } = this.writing;
    await fewAtATime(parallel, targets, async (target) => {
      await this.#one(doing, target, write);
      this.#done += 1;
      onProgress?.({ done: this.#done, total: this.#total });
    });
  }

  async #one<T extends Target>(doing: Doing, target: T, write: (target: T) => Promise<unknown>): Promise<void> {
    try {
      await write(target);
      this.#counts[doing] += 1;
      this.#unsent = 0;
    } catch (error) {
      this.#fail({ kind: target.kind, key: target.key, doing }, error);
    }
  }

  #fail(failed: Omit<Failure, 'error'>, error: unknown): void {
    const { signal, parallel = PARALLEL } = this.writing;
    const isAnswer = error instanceof NotWritten || (error instanceof ApiError && isOfOneObject(error));
    const isServerGone = error instanceof ConnectionError || error instanceof ApiError;
    this.#unsent = isAnswer ? 0 : this.#unsent + 1;
    if (signal.aborted || !(isAnswer || isServerGone) || this.#unsent > parallel) throw error;
    this.#failures.push({ ...failed, error });
    this.#failed.add(nameOfTarget(failed));
  }
}

/** Something that it depends on has failed, or it is no longer ours. */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';
}

const isOfOneObject = ({ status }: ApiError): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429;

export const patch = (
  { client, signal }: Writing,
  target: Target,
  { uid, resourceVersion }: Identity,
  change: Alteration['patch'],
): Promise<KubeObject> =>
  client.mergePatch(
    resourceOf(target),
    refOf(target.key),
    { ...change },
    { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal },
  );

/** How often an object may change under our hands before it is left for the next pass: binding writes to volumes and claims all the time. */
const TRIES = 4;

/** Does something to the version of an object that was seen; or to a later one, which is looked at first and has to be still ours. */
export async function ofLatest<T>(
  { client, sync, signal }: Writing,
  target: Target,
  seen: Identity,
  act: (identity: Identity, object?: KubeObject) => Promise<T>,
): Promise<T | undefined> {
  let identity = seen;
  let object: KubeObject | undefined;
  for (let tries = 1; ; tries++) {
    try {
      return await act(identity, object);
    } catch (error) {
      if (!hasReason(error, 'Conflict') || tries >= TRIES) throw error;
    }
    object = await client.find(resourceOf(target), refOf(target.key), { signal });
    if (!object || object.metadata.uid !== seen.uid) return undefined;
    if (object.metadata.labels?.[RECOVERY_LABEL] !== sync)
      throw new NotWritten(`${nameOfTarget(target)} was taken from this resource meanwhile`);
    identity = { uid: seen.uid, resourceVersion: object.metadata.resourceVersion ?? '' };
  }
}
