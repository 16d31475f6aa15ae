/**
 * What this process has written and its cache does not show yet. A controller that looks at a key in between would decide on what was
 * there before, and write a second time; and one that looks again because of what it wrote itself looks for nothing.
 */
import type { KubeObject } from '../kube/resource.ts';
import { compareVersions } from './resource-version.ts';
import type { Identity, View } from './store.ts';

interface Written extends Identity {
  /** Somebody wanted to look at it, and was told to wait until the cache shows it. */
  isAwaited: boolean;
}

export class OwnWrites {
  readonly #view: Pick<View<unknown>, 'identityOf'>;
  readonly #written = new Map<string, Written>();

  constructor(view: Pick<View<unknown>, 'identityOf'>) {
    this.#view = view;
  }

  /** Takes what the server answered to a write. */
  note(key: string, { metadata: { uid = '', resourceVersion = '' } }: KubeObject): void {
    this.#written.set(key, { uid, resourceVersion, isAwaited: false });
  }

  /** Whether the cache still shows the object as it was before our last write to it. Then the key comes again when it does not. */
  isAheadOfCache(key: string): boolean {
    const written = this.#written.get(key);
    if (!written) return false;
    const cached = this.#view.identityOf(key);
    if (cached?.uid === written.uid && compareVersions(cached.resourceVersion, written.resourceVersion) < 0) {
      written.isAwaited = true;
      return true;
    }
    this.#written.delete(key);
    return false;
  }

  /** Whether what the cache shows now is just what we wrote, and nobody waits for that: to be asked once, when it has changed. */
  isEcho(key: string): boolean {
    const written = this.#written.get(key);
    if (!written || written.isAwaited) return false;
    const cached = this.#view.identityOf(key);
    if (cached?.uid !== written.uid || cached.resourceVersion !== written.resourceVersion) return false;
    this.#written.delete(key);
    return true;
  }

  /** The keys whose writes the cache was not seen to show: it may have passed over them, when somebody undid them at once. */
  unseen(): Iterable<string> {
    return this.#written.keys();
  }
}
