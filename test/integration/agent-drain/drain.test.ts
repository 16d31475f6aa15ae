import { createHash } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PoolClient } from '../../../src/pool-client/client.ts';
import { bytesSource } from '../../../src/pool-client/source.ts';
import { eventually } from '../../harness/wait.ts';
import { type AgentProcess, startPool } from './agent-process.ts';

const MIB = 2 ** 20;

/** Empty, small, not quite a piece, several pieces: always the same bytes for the same key. */
function bytesOf(key: string): Buffer {
  const digest = createHash('sha256').update(key).digest();
  const sizes = [0, 1, 100, 4096, 10_000, 65_536, 262_143, 262_144, 262_145, 300_000];
  const size = digest[0] === 0 ? 3 * MIB : (sizes[(digest[1] ?? 0) % sizes.length] ?? 0);
  return Buffer.alloc(size, digest);
}

async function read(client: PoolClient, key: string): Promise<Buffer | undefined> {
  const found = await client.get(key);
  if (!found) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of found.body) pieces.push(piece);
  return Buffer.concat(pieces);
}

const filesIn = async ({ path }: AgentProcess): Promise<readonly string[]> => {
  const entries = await readdir(join(path, 'blobs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
};

const orderTo = (generation: number, agents: readonly AgentProcess[]) => ({
  generation,
  peers: agents.map(({ peer }) => peer),
});

const isDrained = (agent: AgentProcess) =>
  eventually(async () => expect((await agent.status()).state).toBe('Decommissioned'), { for: 'the drain to end' });

/** Those who use the pool all the time. What was acknowledged to them is what must be true. */
class Users {
  readonly stored = new Set<string>();
  readonly removed = new Set<string>();
  readonly counts = { read: 0, stored: 0, removed: 0 };
  readonly #client: PoolClient;
  #isOver = false;

  constructor(client: PoolClient, stored: Iterable<string>) {
    this.#client = client;
    this.stored = new Set(stored);
  }

  async work(until: Promise<void>): Promise<void> {
    const workers = [this.#read(0), this.#read(7), this.#write(), this.#remove()];
    const over = until.finally(() => {
      this.#isOver = true;
    });
    await Promise.all([over, ...workers]);
  }

  async verify(): Promise<void> {
    for (const key of this.stored) expect(await read(this.#client, key), key).toEqual(bytesOf(key));
    for (const key of this.removed) expect(await this.#client.head(key), key).toBeUndefined();
    const listed = new Set<string>();
    for await (const { key } of this.#client.list()) listed.add(key);
    expect(listed).toEqual(this.stored);
  }

  /** Only what nobody is about to remove. */
  async #read(step: number): Promise<void> {
    for (let turn = step; !this.#isOver; turn += 13) {
      const keys = [...this.stored].filter((key) => !key.startsWith('doomed/'));
      const key = keys[turn % keys.length] ?? '';
      expect(await read(this.#client, key), `${key} while it may be moving`).toEqual(bytesOf(key));
      this.counts.read += 1;
    }
  }

  async #write(): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const key = `new/${count}`;
      await this.#client.put(key, bytesSource(bytesOf(key)));
      this.stored.add(key);
      this.counts.stored += 1;
    }
  }

  async #remove(): Promise<void> {
    for (const key of [...this.stored].filter((each) => each.startsWith('doomed/'))) {
      if (this.#isOver) return;
      expect(await this.#client.remove(key), key).toBe(true);
      expect(await this.#client.head(key), `${key} after its removal`).toBeUndefined();
      this.stored.delete(key);
      this.removed.add(key);
      this.counts.removed += 1;
    }
  }
}

test('500 blobs leave an agent under constant use, while it and those that take them are killed: none is lost, changed, or back', {
  timeout: 600_000,
}, async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdfast-drain-'));
  await using pool = await startPool(directory.path, ['p-0', 'p-1', 'p-2', 'p-3'], '--drain-bandwidth', '16Mi');
  const [source, ...targets] = pool.agents as [AgentProcess, ...AgentProcess[]];
  const keys = Array.from({ length: 500 }, (_, index) => (index % 10 === 0 ? `doomed/${index}` : `kept/${index}`));
  using filling = pool.client(source);
  for (const key of keys) await filling.put(key, bytesSource(bytesOf(key)));
  using client = pool.client();
  const users = new Users(client, keys);

  const drained = async () => {
    await source.decommission(orderTo(1, targets));
    const victims = [source, ...targets, source, ...targets, source];
    for (const [index, victim] of victims.entries()) {
      const left = 500 - (index + 1) * 45;
      await eventually(async () => expect((await filesIn(source)).length).toBeLessThan(left), { interval: 5 });
      await victim.kill();
      await victim.start();
    }
    await isDrained(source);
  };
  await users.work(drained());

  expect(await filesIn(source)).toEqual([]);
  expect(await source.status()).toMatchObject({ blobs: 0, bytes: 0, corrupt: 0, generation: 1 });
  await users.verify();
  for (const [what, count] of Object.entries(users.counts)) expect(count, what).toBeGreaterThan(0); // how many depends on the machine
  await source.kill(); // as when its pod goes
  using left = pool.client(...targets);
  for (const key of keys.filter((each) => users.stored.has(each))) expect(await read(left, key)).toEqual(bytesOf(key));
});

test('a damaged blob and one that is elsewhere with other bytes keep the drain from its end, by name, until a person gives them up', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdfast-drain-'));
  await using pool = await startPool(directory.path, ['p-0', 'p-1']);
  const [source, target] = pool.agents as [AgentProcess, AgentProcess];
  using onlySource = pool.client(source);
  using onlyTarget = pool.client(target);
  await onlySource.put('damaged', bytesSource(Buffer.alloc(MIB, 'a')));
  await spoil((await filesIn(source))[0] ?? '', 700_000);
  await onlySource.put('twice', bytesSource(Buffer.from('ours')));
  await onlyTarget.put('twice', bytesSource(Buffer.from('theirs')));
  await onlySource.put('good', bytesSource(Buffer.from('good')));

  await source.decommission(orderTo(1, [target]));
  await eventually(async () => {
    const { state, blobs, corrupt, drain } = await source.status();
    expect({ state, blobs, corrupt }).toEqual({ state: 'Decommissioning', blobs: 1, corrupt: 1 });
    expect(drain?.why).toMatch(/other bytes are stored at a peer under "twice".*damaged and not moved: "damaged"/);
  });
  expect((await read(onlyTarget, 'good'))?.toString()).toBe('good');
  expect((await read(onlyTarget, 'twice'))?.toString()).toBe('theirs');

  using client = pool.client();
  expect(await client.remove('damaged')).toBe(true);
  expect(await client.remove('twice')).toBe(true);
  await isDrained(source);
  expect(await onlyTarget.head('twice')).toBeUndefined();
});

test('a drain is called off, and what had not gone stays; ordered again, it goes on to where the peers are now', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdfast-drain-'));
  await using pool = await startPool(directory.path, ['p-0', 'p-1', 'p-2'], '--drain-bandwidth', '1Mi');
  const [source, first, second] = pool.agents as [AgentProcess, AgentProcess, AgentProcess];
  using onlySource = pool.client(source);
  const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
  for (const key of keys) await onlySource.put(key, bytesSource(Buffer.alloc(65_536, key)));

  await source.decommission(orderTo(1, [first]));
  await eventually(async () => expect((await source.status()).drain?.movedBlobs).toBeGreaterThan(2));
  await source.recommission(2);
  const { state, blobs = 0 } = await source.status();
  expect(state).toBe('Ready');
  expect(blobs).toBeGreaterThan(0);
  using client = pool.client();
  await client.put('later', bytesSource(Buffer.from('later')));

  await source.decommission({ generation: 3, peers: [{ name: 'p-2', url: 'http://127.0.0.1:9' }] });
  await eventually(async () => expect((await source.status()).drain?.why).toMatch(/the agent p-2 .* did not answer/));
  await source.decommission(orderTo(3, [second]));
  await isDrained(source);
  for (const key of keys) expect(await read(client, key)).toEqual(Buffer.alloc(65_536, key));
  expect((await read(client, 'later'))?.toString()).toBe('later');
});

async function spoil(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
