/** For tests: what has to hold after every single write to a store, whoever made it. */
import { expect } from 'vitest';
import { type PointerMove, twoWritersNeverBothMoveThePointer } from '../../../test/invariants/sync.ts';
import { decode } from '../export/codec.ts';
import { readDocument } from '../export/document.ts';
import { type Keys, NO_KEYS } from '../export/keys.ts';
import type { Manifest, Pointer } from '../export/manifest.ts';
import { clusterPrefix, exportedAt, manifestPlace, ownPrefix, pointerKey } from '../export/names.ts';
import { readManifest, readPointer, sha256 } from '../export/records.ts';
import type { Write } from '../store/simulated-store.ts';

export class CheckedHistory {
  readonly #cluster: string;
  readonly #keys: Keys;
  readonly #objects = new Map<string, Buffer>();
  /** By the bytes of manifest and export. */
  readonly #read = new Map<string, string>();
  readonly #moves: PointerMove[] = [];
  #pointer: Pointer | undefined;

  constructor(cluster: string, keys: Keys = NO_KEYS) {
    this.#cluster = cluster;
    this.#keys = keys;
  }

  /** The claim that the newest export holds after the last write; nothing when there is none. */
  async check(history: readonly Write[]): Promise<string | undefined> {
    let newest: string | undefined;
    for (const write of history) newest = await this.#checked(write);
    return newest;
  }

  async #checked({ key, body, who, condition }: Write): Promise<string | undefined> {
    const before = this.#objects.get(key);
    if (body) this.#objects.set(key, body);
    else this.#objects.delete(key);
    if (key === pointerKey(this.#cluster)) this.#checkPointer(body, who, condition !== undefined);
    else if (body) this.#checkNew(key, before);
    return await this.#newest();
  }

  #checkPointer(body: Buffer | undefined, who: string, isConditional: boolean): void {
    const after = readPointer(body ?? expect.unreachable('the pointer was removed'), this.#expected);
    const before = this.#pointer;
    expect(after.clusterUid, 'a cluster writes for itself').toBe(`uid-of-${who}`);
    const { clusterUid: writer, epoch } = after;
    this.#moves.push({ writer, epoch, sequence: after.newest?.sequence ?? 0, isConditional });
    expect(twoWritersNeverBothMoveThePointer(this.#moves)).toEqual([]);
    const named = after.newest;
    if (named && named.sha256 !== before?.newest?.sha256) {
      const manifest = readManifest(this.#objects.get(named.key) ?? expect.unreachable(), this.#expected);
      expect(manifest.previous, 'it follows on what was named before').toEqual(before?.newest ?? null);
    }
    if (before && after.epoch !== before.epoch)
      expect(after.newest, 'a takeover names nothing new').toEqual(before.newest);
    this.#pointer = after;
  }

  /** What has a name of ours is never written over, and under the name of the cluster there is nothing else. */
  #checkNew(key: string, before: Buffer | undefined): void {
    const isExport = exportedAt(this.#cluster, key) !== undefined;
    const isManifest = manifestPlace(this.#cluster, key) !== undefined;
    if (isExport || isManifest) expect(before, `${key} is written once`).toBeUndefined();
    else expect(key).toMatch(/\/probes\//);
    const isInside = key.startsWith(clusterPrefix(this.#cluster)) || key.startsWith(ownPrefix(this.#cluster));
    expect(isInside, key).toBe(true);
  }

  /** What the pointer names can be restored, at any moment. */
  async #newest(): Promise<string | undefined> {
    const reference = this.#pointer?.newest;
    if (!reference) return undefined;
    const body = this.#objects.get(reference.key) ?? expect.unreachable(`${reference.key} is named and not there`);
    expect(sha256(body)).toBe(reference.sha256);
    const manifest = readManifest(body, this.#expected);
    expect(manifest.sequence).toBe(reference.sequence);
    const stored = this.#objects.get(manifest.export.key) ?? expect.unreachable(`${manifest.export.key} is gone`);
    const known = this.#read.get(`${reference.sha256} ${sha256(stored)}`);
    return known ?? (await this.#contentOf(stored, manifest, reference.sha256));
  }

  async #contentOf(stored: Buffer, manifest: Manifest, sum: string): Promise<string> {
    const { claims, counts } = readDocument(await decode(stored, manifest, this.#keys));
    expect(counts).toEqual(manifest.counts);
    const [claim] = claims;
    const name = claim?.metadata.name ?? expect.unreachable('it has no claim');
    this.#read.set(`${sum} ${sha256(stored)}`, name);
    return name;
  }

  get #expected() {
    return { cluster: this.#cluster, keys: this.#keys, isRequired: false };
  }
}
