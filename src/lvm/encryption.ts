/** Encrypts volumes, opens them, and has them opened by the keys that their Secrets have by now. */
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import type { Host } from '../kit/host/host.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Log } from '../kit/observe/log.ts';
import { Slots } from '../kit/slots.ts';
import * as commands from './commands.ts';
import type { Declared } from './decide.ts';
import type { LogicalVolume } from './facts.ts';
import type { KeyHolder, KeyRing } from './key-ring.ts';
import { keyIsWrong, renewKeys } from './key-slots.ts';
import { cryptsetupIsMissing, type Keys, readKeys } from './keys.ts';
import { type LocalNode, pathOf } from './local-node.ts';
import type { SecretName } from './options.ts';
import { mappingName, type Sight, there } from './sight.ts';
import { isStillOn, told } from './signature.ts';
import type { Step } from './steps.ts';
import { ownerOf } from './tags.ts';

export interface EncryptionParts {
  readonly node: LocalNode;
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  /** For volumes that are looked after for long. */
  readonly keyRing?: KeyRing | undefined;
}

/** To derive a key takes 64 MiB and a processor, and after a boot all volumes are to be opened. */
const AT_ONCE = 4;

export class Encryption {
  readonly #parts: EncryptionParts;
  readonly #node: LocalNode;
  readonly #deriving = new Slots(AT_ONCE);

  constructor(parts: EncryptionParts) {
    this.#parts = parts;
    this.#node = parts.node;
  }

  /** Before anything is made that could not be used. */
  async isPossible(secret: SecretName, signal: AbortSignal): Promise<void> {
    if (!(await this.#parts.host.isInstalled('cryptsetup'))) throw cryptsetupIsMissing();
    await readKeys(this.#parts.client, secret, signal);
  }

  async encrypt(
    { over }: Step & { kind: 'encrypt' },
    { options }: Declared,
    lv: LogicalVolume,
    signal: AbortSignal,
  ): Promise<void> {
    if (!options.crypt) throw new Error('a volume without a key cannot be encrypted');
    const device = pathOf(lv);
    const { key } = await readKeys(this.#parts.client, options.crypt, signal);
    using _slot = await this.#deriving.take(signal);
    // Reading the key may have taken long, and somebody may have written to it since.
    isStillOn(device, over, await this.#node.contentAt(device, { group: lv.group, exclusive: true, signal }));
    await this.#node.isStill(device, lv.device);
    await this.#node.run(commands.luksFormat({ device, key }));
  }

  /**
   * Whether one of its keys opens what is there: then it was encrypted to the end. What only other keys open is refused, since nobody can
   * tell who has written it, and what is inside.
   */
  async opens(declared: Declared, device: string, signal: AbortSignal): Promise<boolean> {
    const { crypt } = declared.options;
    if (!crypt) return false;
    const keys = await readKeys(this.#parts.client, crypt, signal);
    using _slot = await this.#deriving.take(signal);
    return await this.#noting(declared, crypt, keys, () => this.#isOpenedBy(keys, device));
  }

  async #isOpenedBy(keys: Keys, device: string): Promise<boolean> {
    for (const key of [keys.key, keys.previousKey]) {
      const result = key && (await this.#node.result(commands.luksTestKey({ device, key })));
      if (!result) continue;
      if (commands.isWithoutSlots(result)) return false;
      if (commands.slotIn(result) !== undefined) return true;
    }
    throw keyIsWrong(device, keys);
  }

  async open(declared: Declared, lv: LogicalVolume, signal: AbortSignal): Promise<void> {
    const { uid, options } = declared;
    if (!options.crypt) throw new Error('a volume without a key cannot be opened');
    const device = pathOf(lv);
    const keys = await readKeys(this.#parts.client, options.crypt, signal);
    using _slot = await this.#deriving.take(signal);
    await this.#node.isStill(device, lv.device);
    await this.#noting(declared, options.crypt, keys, async () => {
      const opened = { device, name: mappingName(uid), readOnly: lv.isReadOnly };
      if (keys.previousKey && !lv.isReadOnly) await renewKeys(this.#parts.host, { device, keys });
      const tried = lv.isReadOnly ? [keys.key, keys.previousKey] : [keys.key];
      await this.#openWith(
        tried.filter((key) => key !== undefined),
        opened,
        keys,
      );
    });
  }

  /** With the first that fits: what is read only has the keys that it had when it was made so. */
  async #openWith(tried: readonly Uint8Array[], opened: Omit<commands.Opened, 'key'>, keys: Keys): Promise<void> {
    for (const key of tried) {
      try {
        return await this.#node.run(commands.luksOpen({ ...opened, key }));
      } catch (error) {
        if (!commands.isWrongKey(error)) throw error;
      }
    }
    throw keyIsWrong(opened.device, keys, { isSnapshot: opened.readOnly });
  }

  /** Only when nobody knows yet whether they fit: trying a key takes a second of a processor. */
  async renewKeys(declared: Declared, { lv }: Sight, signal: AbortSignal): Promise<void> {
    const { name, options } = declared;
    if (!options.crypt || !lv || lv.isReadOnly) return;
    const { client, host, keyRing, log } = this.#parts;
    const keys = await readKeys(client, options.crypt, signal);
    const refusal = keyRing?.refusalOf(declared, keys.version);
    if (refusal) throw refusal;
    if (keyRing?.versionOf(declared) === keys.version) return;
    using _slot = await this.#deriving.take(signal);
    await this.#noting(declared, options.crypt, keys, async () => {
      await this.#node.isStill(pathOf(lv), lv.device);
      const isRenewed = await renewKeys(host, { device: pathOf(lv), keys });
      if (isRenewed) log.info({ volume: name }, 'the volume has the new key, and not the one before');
    });
  }

  /** Remembers with what keys it was done, or that they do not fit; what was cut off is done again. */
  async #noting<T>(volume: KeyHolder, secret: SecretName, { version }: Keys, work: () => Promise<T>): Promise<T> {
    const { keyRing } = this.#parts;
    try {
      const result = await work();
      keyRing?.note(volume, secret, version);
      return result;
    } catch (error) {
      if (error instanceof Refuse) keyRing?.note(volume, secret, version, error);
      throw error;
    }
  }

  /** After the logical volume under it. */
  async grow(declared: Declared, sight: Sight, signal: AbortSignal): Promise<void> {
    const { uid, options } = declared;
    if (!options.crypt) return;
    const { client } = this.#parts;
    const keys = await readKeys(client, options.crypt, signal);
    const name = sight.mapping?.name ?? mappingName(uid);
    using _slot = await this.#deriving.take(signal);
    await this.#noting(declared, options.crypt, keys, async () => {
      try {
        await this.#node.run(commands.luksResize({ name, key: keys.key }));
      } catch (error) {
        throw commands.isWrongKey(error) ? keyIsWrong(pathOf(there(sight)), keys) : error;
      }
    });
  }

  /** Without its keys nobody can read what is on it. Where there are none, nobody ever could. */
  async eraseKeys(lv: LogicalVolume): Promise<void> {
    const found = told(pathOf(lv), await this.#node.contentAt(pathOf(lv), { group: lv.group }));
    await this.#node.isStill(pathOf(lv), lv.device);
    if (found === 'crypto_LUKS') return await this.#node.run(commands.luksErase(pathOf(lv)));
    if (ownerOf(lv)?.state === 'ready')
      throw new Retry(`${pathOf(lv)} is marked as encrypted and is not: it is not shredded, and so not removed`);
  }
}
