/**
 * What this process has written and its cache does not show yet. A controller that looks at a key in between would decide on what was
 * there before, and write a second time.
 */
import type { KubeObject } from '../kube/resource.ts';
import { compareVersions } from './resource-version.ts';
import type { Identity, View } from './store.ts';

export class OwnWrites {
  readonly #view: Pick<View<unknown>, 'identityOf'>;
  readonly #written = new Map<string, Identity>();

  constructor(view: Pick<View<unknown>, 'identityOf'>) {
    this.#view = view;
  }

  /** Takes what the server answered to a write. */
  note(key: string, { metadata: { uid = '', resourceVersion = '' } }: KubeObject): void {
    this.#written.set(key, { uid, resourceVersion });
  }

  /** Whether the cache still shows the object as it was before our last write to it. */
  isAheadOfCache(key: string): boolean {
    const written = this.#written.get(key);
    if (!written) return false;
    const cached = this.#view.identityOf(key);
    if (cached?.uid === written.uid && compareVersions(cached.resourceVersion, written.resourceVersion) < 0)
      return true;
    this.#written.delete(key);
    return false;
  }
}
