/** A pool of real agents that grows and shrinks while blobs are stored, read and removed. */
import { createHash } from 'node:crypto';
import { PoolClient } from '../../../src/pool-client/index.ts';
import type { PlayedPods } from '../../../test/harness/played-pods.ts';
import type { RawClient } from '../../../test/harness/raw-client.ts';
import { blobOf } from '../../../test/integration/pool/blob-content.ts';
import { OURS, Pool } from '../../../test/integration/pool/world.ts';
import { patiently } from '../patient-client.ts';
import { type Churn, unless } from './churn.ts';

const NAME = 'soak-pool';
const SIZE = 64 * 1024;
const MOST_BLOBS = 60;
const ROUNDS_OF_A_SIZE = 25;
const SHELVES = 256;
const FEWEST = 2;
const MOST = 3;

export class PoolChurn implements Churn {
  readonly name = 'pool';
  readonly pauseMs = 1_000;
  readonly pool: Pool;
  readonly #client: PoolClient;
  readonly #blobs: number[] = [];
  #stored = 0;
  #rounds = 0;
  #size = FEWEST;

  private constructor(pool: Pool, client: PoolClient) {
    this.pool = pool;
    this.#client = client;
  }

  static async begin(admin: RawClient, pods: PlayedPods): Promise<PoolChurn> {
    await admin.post('/api/v1/namespaces', { metadata: { name: NAME } });
    await patiently('the service account of agents', () =>
      admin.get(`/api/v1/namespaces/${NAME}/serviceaccounts/default`),
    );
    const pool = new Pool({ admin, pods }, NAME, NAME);
    await pool.create({ image: OURS, args: ['storage-agent'], numPVs: FEWEST, pvSizeGB: 1 });
    await pool.isReady(FEWEST, 180_000);
    const churn = new PoolChurn(pool, await pool.client());
    await Promise.all(churn.lasting.map((ordinal) => churn.#warmUp(ordinal)));
    return churn;
  }

  /** Those that are never drained. */
  get lasting(): readonly number[] {
    return Array.from({ length: FEWEST }, (_, ordinal) => ordinal);
  }

  async round(): Promise<void> {
    await this.#store();
    await this.#read(this.#blobs[Math.floor(Math.random() * this.#blobs.length)] ?? 0);
    if (this.#blobs.length > MOST_BLOBS) await this.#remove();
    this.#rounds += 1;
    if (this.#rounds % ROUNDS_OF_A_SIZE === 0) await this.#resize();
  }

  async audit(): Promise<readonly string[]> {
    const ready = await unless(this.pool.isReady(this.#size, 240_000));
    const read = await Promise.all(this.#blobs.map((blob) => unless(this.#read(blob))));
    return [...ready, ...read.flat()];
  }

  /** An agent keeps each of its 256 directories open once it has written to it: one blob for each, so that this is over before it is looked at. */
  async #warmUp(ordinal: number): Promise<void> {
    const agent = (await this.pool.agents())[ordinal];
    if (!agent) throw new Error(`there is no agent ${ordinal}`);
    using client = new PoolClient({ agents: async () => [agent], token: await this.pool.token() });
    for (const key of keysOfAllShelves()) {
      await client.put(key, blobOf(key, 1));
      await client.remove(key);
    }
  }

  async #resize(): Promise<void> {
    this.#size = this.#size === FEWEST ? MOST : FEWEST;
    await patiently('the size to be changed', () => this.pool.change({ numPVs: this.#size }));
    await patiently(`the pool to have ${this.#size} agents`, () => this.pool.isReady(this.#size, 1_000));
  }

  async #store(): Promise<void> {
    const number = this.#stored++;
    await patiently(`blob ${number} to be stored`, () => this.#client.put(keyOf(number), contentOf(number)));
    this.#blobs.push(number);
  }

  async #remove(): Promise<void> {
    const number = this.#blobs.shift() ?? 0;
    await patiently(`blob ${number} to be removed`, () => this.#client.remove(keyOf(number)));
  }

  async #read(number: number): Promise<void> {
    await patiently(`blob ${number} to be read`, async () => {
      const found = await this.#client.get(keyOf(number));
      if (!found) throw new Error('it was said not to be there');
      const hash = createHash('sha256');
      for await (const piece of found.body) hash.update(piece);
      if (hash.digest('hex') !== contentOf(number).sha256) throw new Error('it has other bytes than were stored');
    });
  }
}

function keysOfAllShelves(): readonly string[] {
  const keys = new Map<string, string>();
  for (let number = 0; keys.size < SHELVES; number++) {
    const key = `warm/${number}`;
    keys.set(createHash('sha256').update(key).digest('hex').slice(0, 2), key);
  }
  return [...keys.values()];
}

const keyOf = (number: number): string => `soak/${number}`;
const contentOf = (number: number) => blobOf(keyOf(number), SIZE);
