/** For tests: the other side, which writes exports with their manifests and moves the pointer, as we do it or as the original does. */
import type { Clock } from '../../kit/clock/clock.ts';
import { type Encoding, encode, keyIdOf } from '../export/codec.ts';
import { type Keys, NO_KEYS } from '../export/keys.ts';
import { type Manifest, type Pointer, SCHEMA_VERSION } from '../export/manifest.ts';
import { closedExportKey, exportKey, manifestKey, pointerKey } from '../export/names.ts';
import { sha256, writeManifest, writePointer } from '../export/records.ts';
import type { SimulatedStore } from '../store/simulated-store.ts';
import { bodyOf, type Exported } from './builders.ts';

export const CLUSTER = 'prod';

export interface SiteOptions {
  readonly clock: Clock;
  readonly store: SimulatedStore;
  readonly keys?: Keys;
  readonly encoding?: Encoding;
  readonly clusterUid?: string;
}

export class ProtectedSite {
  readonly #store: SimulatedStore;
  readonly #clock: Clock;
  readonly #keys: Keys;
  readonly #encoding: Encoding;
  clusterUid: string;
  epoch = 1;
  sequence = 0;
  previous: Manifest['previous'] = null;
  newest: Pointer['newest'] = null;

  constructor({ clock, store, keys = NO_KEYS, encoding, clusterUid = 'uid-of-prod' }: SiteOptions) {
    this.#clock = clock;
    this.#store = store;
    this.#keys = keys;
    this.#encoding = encoding ?? { compression: 'None', encryption: 'None' };
    this.clusterUid = clusterUid;
  }

  get seconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }

  /** What is in `changes` is said otherwise than it is. */
  async exports(exported: Exported | Buffer, changes: Partial<Manifest> = {}): Promise<Manifest> {
    const plain = Buffer.isBuffer(exported) ? exported : bodyOf(exported);
    const { epoch, clusterUid, seconds } = this;
    this.sequence += 1;
    const binding = { cluster: CLUSTER, epoch, sequence: this.sequence };
    const stored = await encode(plain, this.#encoding, this.#keys, binding);
    const isPlain = this.#encoding.compression === 'None' && this.#encoding.encryption === 'None';
    const manifest: Manifest = {
      schemaVersion: SCHEMA_VERSION,
      clusterUid,
      ...binding,
      createdAt: this.#clock.now().toISOString(),
      export: {
        key: isPlain ? exportKey(CLUSTER, seconds) : closedExportKey(CLUSTER, seconds),
        sha256: sha256(stored),
        bytes: stored.length,
        plain: { sha256: sha256(plain), bytes: plain.length },
        ...this.#encoding,
        keyId: keyIdOf(stored) ?? null,
      },
      counts: countsIn(exported),
      previous: this.previous,
      ...changes,
    };
    this.#store.write(manifest.export.key, stored);
    this.#record(manifest);
    return manifest;
  }

  #record(manifest: Manifest): void {
    const body = writeManifest(manifest, this.#keys.signing);
    const key = manifestKey(CLUSTER, this.epoch, this.sequence);
    this.#store.write(key, body);
    this.newest = { key, sha256: sha256(body), sequence: this.sequence };
    this.previous = this.newest;
    this.confirms();
  }

  /** Moves the pointer: a heartbeat. */
  confirms(changes: Partial<Pointer> = {}): void {
    const { clusterUid, epoch, newest } = this;
    const confirmedAt = this.#clock.now().toISOString();
    const pointer: Pointer = {
      schemaVersion: SCHEMA_VERSION,
      cluster: CLUSTER,
      clusterUid,
      epoch,
      newest,
      confirmedAt,
      ...changes,
    };
    this.#store.write(pointerKey(CLUSTER), writePointer(pointer, this.#keys.signing));
  }

  /** As the original does it: the export alone. */
  exportsAsTheOriginal(exported: Exported | Buffer | string, seconds = this.seconds): string {
    const key = exportKey(CLUSTER, seconds);
    const isText = Buffer.isBuffer(exported) || typeof exported === 'string';
    this.#store.write(key, isText ? exported : bodyOf(exported));
    return key;
  }
}

function countsIn(exported: Exported | Buffer): Manifest['counts'] {
  if (Buffer.isBuffer(exported)) return { storageClasses: 0, volumes: 0, claims: 0 };
  const { volumes = [], claims = [] } = exported;
  return { storageClasses: 0, volumes: volumes.length, claims: claims.length };
}
