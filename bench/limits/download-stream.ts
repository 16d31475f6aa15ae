/** The limit of reading and watching a collection, as a stream: each line is parsed as soon as it is there, and dropped. */
import type { Dispatcher } from 'undici';
import type { Contend } from '../measure/contender.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';
import { PHASES } from '../world/pod.ts';

export interface Stream {
  readonly access: Access;
  readonly path: string;
}

interface Event {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly status?: { readonly phase?: string };
  };
}

const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

const stream: Contend<Stream> = async ({ access, path }, meter) => {
  const pool = barePool(access, { connections: 1 });
  const headers = bareHeaders(access);
  const listed = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  let objects = 0;
  let known = '';
  const take = ({ type, object: { metadata, status } }: Event) => {
    if (type === 'ADDED' && known === '') objects++;
    if (type === 'BOOKMARK' && metadata.annotations?.['k8s.io/initial-events-end']) listed.resolve();
    if (type !== 'ADDED') known = metadata.resourceVersion ?? '';
    if (status?.phase === PHASES.last) changed.resolve();
  };
  /** A server that is short of time ends the stream of a reader which it finds too slow; one goes on where it ended, or from nothing. */
  const open = () => {
    if (known === '') objects = 0;
    const query = `watch=true&allowWatchBookmarks=true&${known === '' ? INITIAL : `resourceVersion=${known}`}`;
    pool.dispatch({ path: `${path}?${query}`, method: 'GET', headers }, new Lines(take, open, listed.reject));
  };
  await meter.measure('list', async () => {
    open();
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
export class Lines implements Dispatcher.DispatchHandler {
  readonly #take: (event: Event) => void;
  readonly #ended: () => void;
  readonly #failed: (error: Error) => void;
  #rest: Buffer[] = [];

  constructor(take: (event: Event) => void, ended: () => void, failed: (error: Error) => void) {
    this.#take = take;
    this.#ended = ended;
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
    this.#ended();
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
