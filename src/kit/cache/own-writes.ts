/**
 * What this process has written and its cache does not show yet. A controller that looks at a key in between would decide on what was
 * there before, and write a second time.
 */
import type { Clock } from '../clock/clock.ts';
import type { KubeObject } from '../kube/resource.ts';
import { compareVersions } from './resource-version.ts';
import type { Identity, View } from './store.ts';

/** A watch that is heard so long after a write has told of it by then. A server that was restored to a time before it never will. */
const PATIENCE_MS = 30_000;

type Cache = Pick<View<unknown>, 'identityOf' | 'staleMs'>;

interface Written extends Identity {
  readonly at: number;
}

export class OwnWrites {
  readonly #view: Cache;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #written = new Map<string, Written>();

  constructor(view: Cache, clock: Pick<Clock, 'monotonic'>) {
    this.#view = view;
    this.#clock = clock;
  }

  /** Takes what the server answered to a write. */
  note(key: string, { metadata: { uid = '', resourceVersion = '' } }: KubeObject): void {
    this.#written.set(key, { uid, resourceVersion, at: this.#clock.monotonic() });
  }

  /** Whether the cache still shows the object as it was before our last write to it. */
  isAheadOfCache(key: string): boolean {
    const written = this.#written.get(key);
    if (!written) return false;
    const cached = this.#view.identityOf(key);
    const isBehind =
      cached?.uid === written.uid && compareVersions(cached.resourceVersion, written.resourceVersion) < 0;
    const heardAt = this.#clock.monotonic() - this.#view.staleMs;
    if (isBehind && heardAt - written.at < PATIENCE_MS) return true;
    this.#written.delete(key);
    return false;
  }
}
