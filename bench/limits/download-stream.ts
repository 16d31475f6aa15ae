/** The limit of reading and watching a collection, as a stream: each line is parsed as soon as it is there, and dropped. */
import type { Dispatcher } from 'undici';
import type { Contend } from '../measure/contender.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';

export interface Stream {
  readonly access: Access;
  readonly path: string;
  /** How many events are waited for after the list. */
  readonly changes: number;
}

interface Event {
  readonly type: string;
  readonly object: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
}

const QUERY = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

const stream: Contend<Stream> = async ({ access, path, changes }, meter) => {
  const pool = barePool(access, { connections: 1 });
  const listed = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  let objects = 0;
  let events = 0;
  let complete = false;
  const take = ({ type, object }: Event) => {
    if (complete && type !== 'BOOKMARK' && ++events === changes) changed.resolve();
    else if (type !== 'BOOKMARK') objects++;
    else if (object.metadata.annotations?.['k8s.io/initial-events-end']) {
      complete = true;
      listed.resolve();
    }
  };
  const failed = (error: Error) => {
    listed.reject(error);
    changed.reject(error);
  };
  await meter.measure('list', async () => {
    const headers = bareHeaders(access);
    pool.dispatch({ path: `${path}?${QUERY}`, method: 'GET', headers }, new Lines(take, failed));
    await listed.promise;
  });
  meter.count('objects', objects);
  await meter.measure('watch', async () => {
    meter.ready();
    await changed.promise;
  });
  await pool.destroy();
};

/** Parses line by line, as undici delivers, with nothing in between. */
class Lines implements Dispatcher.DispatchHandler {
  readonly #take: (event: Event) => void;
  readonly #failed: (error: Error) => void;
  #rest: Buffer[] = [];

  constructor(take: (event: Event) => void, failed: (error: Error) => void) {
    this.#take = take;
    this.#failed = failed;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status !== 200) this.#failed(new Error(`the server answered ${status}`));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      this.#take(JSON.parse(this.#line(chunk.subarray(start, end))));
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  onResponseEnd(): void {
    this.#failed(new Error('the server ended the stream'));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#failed(error);
  }

  #line(end: Buffer): string {
    if (this.#rest.length === 0) return end.toString('utf8');
    const line = Buffer.concat([...this.#rest, end]).toString('utf8');
    this.#rest = [];
    return line;
  }
}

export default stream;
