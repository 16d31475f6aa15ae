/**
 * An object store, as far as sync needs one: five verbs over keys such as `cluster/1700000000_storage_objects.json`. Every
 * implementation keeps the same promises, which one suite checks against real servers (`conformance.ts`). All that fails is a
 * `StoreError`, except that a call whose signal is aborted rejects with the signal's reason.
 */

export interface ObjectStore {
  /** For messages: `s3 bucket backups at https://…`. Holds no secret. */
  readonly description: string;
  /**
   * The whole object; `unchanged` when it still has the given ETag; `missing` when it is not there. Throws `tooLarge` before it has
   * read more than `most` bytes.
   */
  get(key: string, options: GetOptions): Promise<Got>;
  head(key: string, options: CallOptions): Promise<Head | undefined>;
  /**
   * Stores all of it or nothing. Throws `preconditionFailed` when the condition does not hold; any other failure leaves open whether
   * it was stored.
   */
  put(key: string, body: Uint8Array, options: PutOptions): Promise<Stored>;
  /** All keys under a prefix, in the order of their bytes in UTF-8, however many pages that takes. */
  list(prefix: string, options: CallOptions): AsyncIterable<Listed>;
  /** Nothing happens when it is not there. */
  remove(key: string, options: CallOptions): Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
}

export interface GetOptions extends CallOptions {
  /** The answer is `unchanged` if the object still has this ETag. */
  readonly ifNoneMatch?: string;
  readonly most: number;
}

/** At most one condition: that there is nothing yet, or that it is still what was read. */
export interface PutOptions extends CallOptions {
  readonly condition?: { readonly absent: true } | { readonly etag: string };
  readonly contentType?: string;
  /** Of the body, in hexadecimal digits, where it is known already: a store that needs it does not hash a large body again. */
  readonly sha256?: string;
}

export type Got =
  | { readonly kind: 'found'; readonly body: Buffer; readonly etag: string; readonly modifiedAt: Date }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' };

export interface Head {
  /** Changes with the content. The same content may have the same one again. */
  readonly etag: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

export interface Stored {
  readonly etag: string;
}

export interface Listed {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Why a store did not do what it was asked for. The message names the store, the key and what to do. */
export type StoreFault =
  /** No connection, a time-out, 5xx, 429: may well work soon. */
  | 'unavailable'
  /** The credentials are wrong, or may not do this. */
  | 'denied'
  /** There is no such bucket, container or directory. */
  | 'noBucket'
  /** The condition of a write does not hold. */
  | 'preconditionFailed'
  /** What came is longer than it may be, or shorter than announced. */
  | 'tooLarge'
  | 'incomplete'
  /** The store does not know what it was asked for, such as conditional writes. */
  | 'unsupported';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export const hasFault = (error: unknown, fault: StoreFault): error is StoreError =>
  error instanceof StoreError && error.fault === fault;
