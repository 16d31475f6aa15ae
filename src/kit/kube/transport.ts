/** How requests reach an API server. The real one speaks HTTP; a sandbox answers in process. */

export interface Transport {
  /**
   * Resolves when the response's status and headers are here; the body follows as it arrives.
   * Rejects with a `ConnectionError` when no response came, and with the signal's reason when it was aborted. Once it has resolved,
   * the body must be read or left: until then it holds its connection.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Ends every connection. Requests under way are rejected. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, already encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A watch lives long and must not take a connection from the pool that short requests share. */
  readonly longLived?: boolean;
  /**
   * Called at the last moment before bytes are handed to the kernel, after any wait for a free connection.
   * When it throws, nothing is sent and the request is rejected with that error.
   */
  readonly beforeSend?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body, once. Leaving the loop early ends the stream. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as text. */
  text(): Promise<string>;
}

/** No response came. Whether the server has seen the request is in `mayHaveHappened`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly mayHaveHappened: boolean;

  constructor(message: string, options: { readonly mayHaveHappened: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveHappened = options.mayHaveHappened;
  }
}
