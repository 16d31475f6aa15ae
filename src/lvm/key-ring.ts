/** Which version of its Secret each encrypted volume was last looked at with: a volume whose Secret is another by now is looked at again. */
import { SECRETS } from '../api/secrets.ts';
import { type Clock, sleep } from '../kit/clock/clock.ts';
import type { Refuse } from '../kit/controller/outcome.ts';
import type { Source } from '../kit/controller/sources.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Log } from '../kit/observe/log.ts';
import type { Declared } from './decide.ts';
import type { SecretName } from './options.ts';

/** Secrets are read one by one, and not watched, so that the agent needs no right to list what else is in their namespace. */
const LOOK_MS = 60_000;

/** Another volume of the same name has other keys. */
export type KeyHolder = Pick<Declared, 'name' | 'uid'>;

interface Use {
  readonly uid: string;
  readonly secret: SecretName;
  readonly version: string;
  /** That none of its keys fits. */
  readonly refusal?: Refuse | undefined;
}

export interface KeyRingParts {
  readonly client: Pick<KubeClient, 'find'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly exists: (volume: string) => boolean;
}

export class KeyRing {
  readonly #parts: KeyRingParts;
  readonly #uses = new Map<string, Use>();
  #add: (volume: string) => void = () => undefined;

  constructor(parts: KeyRingParts) {
    this.#parts = parts;
  }

  /** Brings back each volume whose Secret has changed. */
  readonly changes: Source = (add) => {
    this.#add = add;
    return () => undefined;
  };

  /** The version that a volume was last looked at with. */
  versionOf(volume: KeyHolder): string | undefined {
    return this.#useOf(volume)?.version;
  }

  /** Why the keys of this version do not fit, if that is known: trying one takes a second of a processor. */
  refusalOf(volume: KeyHolder, version: string): Refuse | undefined {
    const use = this.#useOf(volume);
    return use?.version === version ? use.refusal : undefined;
  }

  note({ name, uid }: KeyHolder, secret: SecretName, version: string, refusal?: Refuse): void {
    this.#uses.set(name, { uid, secret, version, refusal });
  }

  #useOf({ name, uid }: KeyHolder): Use | undefined {
    const use = this.#uses.get(name);
    return use?.uid === uid ? use : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.#parts.clock, LOOK_MS, signal);
        await this.#look(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { exists, log } = this.#parts;
    for (const volume of this.#uses.keys()) if (!exists(volume)) this.#uses.delete(volume);
    const bySecret = Map.groupBy(this.#uses, ([, { secret }]) => `${secret.namespace}/${secret.name}`);
    for (const [name, uses] of bySecret) {
      try {
        await this.#lookAt(uses, signal);
      } catch (error) {
        log.info({ secret: name, why: `${error}` }, 'whether a key has changed could not be seen');
      }
    }
  }

  async #lookAt(uses: readonly (readonly [string, Use])[], signal: AbortSignal): Promise<void> {
    const [first] = uses;
    if (!first) return;
    const secret = await this.#parts.client.find(SECRETS, first[1].secret, { signal });
    const now = secret?.metadata.resourceVersion;
    for (const [volume, { version }] of uses) if (version !== now) this.#add(volume);
  }
}
