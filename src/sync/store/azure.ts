/** Containers of Azure Blob Storage. The only file that knows the SDK: it is loaded when a store is opened. */

import { Readable } from 'node:stream';
import {
  BlobServiceClient,
  type ContainerClient,
  type ContainerListBlobFlatSegmentResponse,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { explainAzure, refusalOf } from './azure-failure.ts';
import { readBody } from './body.ts';
import { type Call, Calls } from './calls.ts';
import { orRefusedEarly } from './early-refusal.ts';
import { type Attempt, failure } from './failure.ts';
import type { CallOptions, GetOptions, Got, Head, Listed, ObjectStore, PutOptions, Stored } from './store.ts';

export interface AzureStoreOptions {
  readonly account: string;
  readonly secret: string;
  readonly container: string;
  readonly endpoint: URL;
  readonly clock: Clock;
  readonly random: Random;
}

const PAGE = 1000;

export class AzureStore implements ObjectStore {
  readonly description: string;
  readonly #container: ContainerClient;
  readonly #calls: Calls;

  constructor({ account, secret, container, endpoint, clock, random }: AzureStoreOptions) {
    this.description = `azure container ${container} at ${endpoint.origin}${endpoint.pathname.replace(/\/$/, '')}`;
    const credential = new StorageSharedKeyCredential(account, secret);
    const service = new BlobServiceClient(endpoint.href, credential, { retryOptions: { maxTries: 1 } });
    this.#container = service.getContainerClient(container);
    this.#calls = new Calls(clock, random, explainAzure);
  }

  get(key: string, { signal, ifNoneMatch, most }: GetOptions): Promise<Got> {
    const call = this.#call('read', key, signal);
    return this.#calls.again(call, async (abortSignal, alive) => {
      try {
        const conditions = ifNoneMatch === undefined ? {} : { ifNoneMatch };
        const answer = await this.#container
          .getBlobClient(key)
          .download(0, undefined, { abortSignal, conditions, maxRetryRequests: 0 });
        const { readableStreamBody, contentLength: length, etag, lastModified: modifiedAt } = answer;
        if (!(readableStreamBody instanceof Readable) || etag === undefined || modifiedAt === undefined)
          throw noObject(call);
        const body = await readBody(call, readableStreamBody, { length, most, signal: abortSignal, alive });
        return { kind: 'found', body, etag, modifiedAt };
      } catch (error) {
        const { status, code } = refusalOf(error) ?? {};
        if (status === 304) return { kind: 'unchanged' };
        if (code === 'BlobNotFound') return { kind: 'missing' };
        throw error;
      }
    });
  }

  head(key: string, { signal }: CallOptions): Promise<Head | undefined> {
    const call = this.#call('look at', key, signal);
    return this.#calls.again(call, async (abortSignal) => {
      try {
        const answer = await this.#container.getBlobClient(key).getProperties({ abortSignal });
        const { contentLength: size, etag, lastModified: modifiedAt } = answer;
        if (size === undefined || etag === undefined || modifiedAt === undefined) throw noObject(call);
        return { etag, size, modifiedAt };
      } catch (error) {
        if (refusalOf(error)?.code === 'BlobNotFound') return undefined;
        throw error;
      }
    });
  }

  put(key: string, body: Uint8Array, options: PutOptions): Promise<Stored> {
    const { signal, condition } = options;
    const call = { ...this.#call('write', key, signal), bytes: body.length };
    const etagNow = async () => (await this.head(key, { signal }))?.etag;
    return orRefusedEarly(call, condition, etagNow, () => this.#put(call, body, options));
  }

  #put(call: Call, body: Uint8Array, { condition, contentType }: PutOptions): Promise<Stored> {
    return this.#calls.once(call, async (abortSignal) => {
      const { etag } = await this.#container
        .getBlockBlobClient(call.key)
        .upload(Buffer.from(body.buffer, body.byteOffset, body.length), body.length, {
          abortSignal,
          ...(condition && { conditions: 'absent' in condition ? { ifNoneMatch: '*' } : { ifMatch: condition.etag } }),
          ...(contentType !== undefined && { blobHTTPHeaders: { blobContentType: contentType } }),
        });
      if (etag === undefined) throw noObject(call);
      return { etag };
    });
  }

  async *list(prefix: string, { signal }: CallOptions): AsyncGenerator<Listed> {
    const call = this.#call('list', prefix, signal);
    let continuationToken: string | undefined;
    do {
      const settings = { maxPageSize: PAGE, ...(continuationToken && { continuationToken }) };
      const page = await this.#calls.again(call, async (abortSignal) => {
        const pages = this.#container.listBlobsFlat({ prefix, abortSignal }).byPage(settings);
        const { value } = await pages.next();
        return { objects: objectsOn(value, call), next: value.continuationToken };
      });
      yield* page.objects;
      continuationToken = page.next;
    } while (continuationToken);
  }

  remove(key: string, { signal }: CallOptions): Promise<void> {
    return this.#calls.again(this.#call('remove', key, signal), async (abortSignal) => {
      try {
        await this.#container.getBlobClient(key).delete({ abortSignal });
      } catch (error) {
        if (refusalOf(error)?.code !== 'BlobNotFound') throw error;
      }
    });
  }

  async close(): Promise<void> {}

  #call(doing: Attempt['doing'], key: string, signal: AbortSignal): Call {
    return { doing, key, where: this.description, signal };
  }
}

/** The types promise more than a server that answers something else keeps. */
function objectsOn(page: Partial<ContainerListBlobFlatSegmentResponse> | undefined, call: Call): Listed[] {
  if (page?.segment === undefined) throw noObject(call);
  return page.segment.blobItems.map(({ name: key, properties: { contentLength: size, lastModified: modifiedAt } }) => {
    if (size === undefined) throw noObject(call);
    return { key, size, modifiedAt };
  });
}

const noObject = (call: Call) => failure('incomplete', call, 'the answer is not that of an object store');
