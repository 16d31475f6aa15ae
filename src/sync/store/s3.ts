/** Buckets of S3, and of whatever speaks its language. The only file that knows the SDK: it is loaded when a store is opened. */

import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { readBody } from './body.ts';
import { type Call, Calls } from './calls.ts';
import { orRefusedEarly } from './early-refusal.ts';
import { type Attempt, failure } from './failure.ts';
import { explainS3, refusalOf } from './s3-failure.ts';
import type { CallOptions, GetOptions, Got, Head, Listed, ObjectStore, PutOptions, Stored } from './store.ts';

export interface S3StoreOptions {
  readonly bucket: string;
  readonly region: string;
  /** Nothing means AWS. */
  readonly endpoint?: URL;
  /** Nothing means those that the SDK finds: variables, files, the identity of a pod or a machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The way to the endpoint. The SDK would not look for one; that of Azure does. */
  readonly proxy?: URL;
  readonly clock: Clock;
  readonly random: Random;
}

/** One such line would be a log line that nobody can parse. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const CONNECT_MS = 10_000;

export class S3Store implements ObjectStore {
  readonly description: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #calls: Calls;

  constructor(options: S3StoreOptions) {
    const { bucket, endpoint, region, clock, random } = options;
    this.#bucket = bucket;
    this.description = `s3 bucket ${bucket} at ${endpoint ? endpoint.origin : `AWS in ${region}`}`;
    this.#client = clientOf(options);
    this.#calls = new Calls(clock, random, explainS3);
  }

  get(key: string, { signal, ifNoneMatch, most }: GetOptions): Promise<Got> {
    const call = this.#call('read', key, signal);
    return this.#calls.again(call, async (abortSignal, alive) => {
      try {
        const input = { ...this.#object(key), IfNoneMatch: ifNoneMatch };
        const answer = await this.#client.send(new GetObjectCommand(input), { abortSignal });
        const { Body, ContentLength: length, ETag: etag, LastModified: modifiedAt } = answer;
        if (!(Body instanceof Readable) || etag === undefined || modifiedAt === undefined) throw noObject(call);
        const body = await readBody(call, Body, { length, most, signal: abortSignal, alive });
        return { kind: 'found', body, etag, modifiedAt };
      } catch (error) {
        const { status, code } = refusalOf(error) ?? {};
        if (status === 304) return { kind: 'unchanged' };
        if (status === 404 && code === 'NoSuchKey') return { kind: 'missing' };
        throw error;
      }
    });
  }

  async head(key: string, { signal }: CallOptions): Promise<Head | undefined> {
    const found = await this.#look(key, signal);
    if (found) return found;
    // an answer without a body cannot say what is missing
    await this.#calls.again(this.#call('look at', key, signal), (abortSignal) =>
      this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }), { abortSignal }),
    );
    return undefined;
  }

  /** Nothing when there is no such object, or no such bucket. */
  #look(key: string, signal: AbortSignal): Promise<Head | undefined> {
    const call = this.#call('look at', key, signal);
    return this.#calls.again(call, async (abortSignal) => {
      try {
        const answer = await this.#client.send(new HeadObjectCommand(this.#object(key)), { abortSignal });
        const { ContentLength: size, ETag: etag, LastModified: modifiedAt } = answer;
        if (size === undefined || etag === undefined || modifiedAt === undefined) throw noObject(call);
        return { etag, size, modifiedAt };
      } catch (error) {
        if (refusalOf(error)?.status === 404) return undefined;
        throw error;
      }
    });
  }

  put(key: string, body: Uint8Array, options: PutOptions): Promise<Stored> {
    const { signal, condition } = options;
    const call = { ...this.#call('write', key, signal), bytes: body.length };
    const etagNow = async () => (await this.#look(key, signal))?.etag;
    return orRefusedEarly(call, condition, etagNow, () => this.#put(call, body, options));
  }

  #put(call: Call, body: Uint8Array, { condition, contentType, sha256 }: PutOptions): Promise<Stored> {
    return this.#calls.once(call, async (abortSignal) => {
      const command = new PutObjectCommand({
        ...this.#object(call.key),
        Body: body,
        ContentType: contentType,
        ...(condition && ('absent' in condition ? { IfNoneMatch: '*' } : { IfMatch: condition.etag })),
      });
      if (sha256 !== undefined) isHashed(command, sha256);
      const { ETag: etag } = await this.#client.send(command, { abortSignal });
      if (etag === undefined) throw noObject(call);
      return { etag };
    });
  }

  async *list(prefix: string, { signal }: CallOptions): AsyncGenerator<Listed> {
    const call = this.#call('list', prefix, signal);
    let token: string | undefined;
    do {
      const input = { Bucket: this.#bucket, Prefix: prefix, ContinuationToken: token };
      const page: ListObjectsV2CommandOutput = await this.#calls.again(call, (abortSignal) =>
        this.#client.send(new ListObjectsV2Command(input), { abortSignal }),
      );
      yield* objectsOn(page, call);
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  remove(key: string, { signal }: CallOptions): Promise<void> {
    return this.#calls.again(this.#call('remove', key, signal), async (abortSignal) => {
      await this.#client.send(new DeleteObjectCommand(this.#object(key)), { abortSignal });
    });
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #object(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }

  #call(doing: Attempt['doing'], key: string, signal: AbortSignal): Call {
    return { doing, key, where: this.description, signal };
  }
}

/** The request is signed for this hash, and a server that finds another one in the body refuses it. */
function isHashed({ middlewareStack }: PutObjectCommand, sha256: string): void {
  middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'knownHash' },
  );
}

/** Older servers refuse the newer checksums, and we try again ourselves where that does no harm. */
function clientOf({ endpoint, region, credentials, proxy }: S3StoreOptions): S3Client {
  const agent = proxy ? { proxyEnv: { HTTP_PROXY: proxy.href, HTTPS_PROXY: proxy.href } } : {};
  return new S3Client({
    region,
    ...(endpoint && { endpoint: endpoint.href, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // With that header the SDK would take a connection of its own for each large body, and no proxy.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: CONNECT_MS, logger: SILENT, httpAgent: agent, httpsAgent: agent },
  });
}

/** An answer of which something is missing can still be one that is understood. */
function objectsOn(page: ListObjectsV2CommandOutput, call: Call): Listed[] {
  const { Name, KeyCount, Contents = [], IsTruncated, NextContinuationToken } = page;
  const isList = Name !== undefined || KeyCount !== undefined;
  const isWhole = (KeyCount ?? Contents.length) === Contents.length && !(IsTruncated && !NextContinuationToken);
  if (!isList || !isWhole) throw failure('incomplete', call, 'a part of the list is missing');
  return Contents.map(({ Key: key, Size: size, LastModified: modifiedAt }) => {
    if (key === undefined || size === undefined || modifiedAt === undefined) throw noObject(call);
    return { key, size, modifiedAt };
  });
}

const noObject = (call: Call) => failure('incomplete', call, 'the answer is not that of an object store');
