/**
 * Writes that happen only if nothing has changed. Where a store does not know them we look before we write, which is no fence: between
 * the two somebody else may write.
 */
import { randomUUID } from 'node:crypto';
import { probeKey } from '../export/names.ts';
import { hasFault, type ObjectStore, type PutOptions, type Stored } from '../store/store.ts';
import type { Site } from './writer.ts';

export class ConditionalWrites {
  readonly #store: ObjectStore;
  /** Whether the store checks conditions, as it was seen. */
  readonly isFenced: boolean;

  constructor(store: ObjectStore, isFenced: boolean) {
    this.#store = store;
    this.isFenced = isFenced;
  }

  /** Nothing when there is one of this name. */
  async create(
    key: string,
    body: Buffer,
    signal: AbortSignal,
    known: Pick<PutOptions, 'sha256'> = {},
  ): Promise<Stored | undefined> {
    const options = { ...known, signal };
    if (this.isFenced) return await attempt(this.#store, key, body, { ...options, condition: { absent: true } });
    if (await this.#store.head(key, { signal })) return undefined;
    return await attempt(this.#store, key, body, options);
  }

  /** Nothing when it is no longer what was read. */
  async replace(key: string, body: Buffer, etag: string, signal: AbortSignal): Promise<Stored | undefined> {
    if (this.isFenced) return await attempt(this.#store, key, body, { signal, condition: { etag } });
    const head = await this.#store.head(key, { signal });
    return head?.etag === etag ? await attempt(this.#store, key, body, { signal }) : undefined;
  }
}

async function attempt(
  store: ObjectStore,
  key: string,
  body: Buffer,
  options: PutOptions,
): Promise<Stored | undefined> {
  try {
    return await store.put(key, body, { ...options, contentType: contentTypeOf(key) });
  } catch (error) {
    if (hasFault(error, 'preconditionFailed')) return undefined;
    throw error;
  }
}

const contentTypeOf = (key: string): string =>
  key.endsWith('.json') ? 'application/json' : 'application/octet-stream';

/** What was found out, and how to leave nothing of the attempt in the store: nobody has to do that before he writes. */
export interface Probe {
  readonly isFenced: boolean;
  readonly cleanUp: () => Promise<void>;
}

/** Who is no longer waited for cleans up all the same. */
interface ProbeSignals {
  readonly probing: AbortSignal;
  readonly cleaning: AbortSignal;
}

/**
 * Whether the store keeps writers apart: tries on an object of its own that a second creation fails, and that a write over something
 * else than what was read does. Throws when the store cannot be reached: then nothing is known.
 */
export async function probeFences(
  store: ObjectStore,
  { cluster }: Pick<Site, 'cluster'>,
  { probing, cleaning }: ProbeSignals,
): Promise<Probe> {
  const key = probeKey(cluster, randomUUID());
  const cleanUp = () => store.remove(key, { signal: cleaning }).catch(() => {});
  try {
    return { isFenced: await isFencedAt(store, key, probing), cleanUp };
  } catch (error) {
    if (hasFault(error, 'unsupported')) return { isFenced: false, cleanUp };
    await cleanUp();
    throw error;
  }
}

async function isFencedAt(store: ObjectStore, key: string, signal: AbortSignal): Promise<boolean> {
  const put = (text: string, condition: NonNullable<PutOptions['condition']>) =>
    attempt(store, key, Buffer.from(JSON.stringify({ probe: text })), { signal, condition });
  /** A client that repeats a request whose reply was lost is told that its condition does not hold: what is there decides. */
  const etagAfter = async (stored: Stored | undefined) => (stored ?? (await store.head(key, { signal })))?.etag;
  const etag = await etagAfter(await put('first', { absent: true }));
  if (etag === undefined) return false;
  // Alone: a store may refuse either of two conditional writes to one key that it gets at once.
  const next = await put('next', { etag });
  if ((await etagAfter(next)) === etag) return false;
  const [second, over] = await Promise.all([
    put('second', { absent: true }),
    put('over what is no longer there', { etag }),
  ]);
  return !second && !over;
}
