/** kill -9 of a real agent on a real disk while blobs come in: none that was acknowledged is lost, and none that is there is half of one. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../harness/wait.ts';
import { AgentProcess } from './agent-process.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'agent-'));
});
afterEach(() => rm(path, { recursive: true }));

const KILLS = 25;
const WRITERS = 6;
/** From what is written at once with its trailer to what takes many writes. */
const SIZES = [0, 100, 4096, 70_000, 300_000, 3_000_000];

/** What is stored under a key can be made again from the key. */
function bytesOf(key: string, size: number): Buffer {
  const piece = createHash('sha512').update(key).digest();
  return Buffer.alloc(size, piece);
}

interface Written {
  readonly key: string;
  readonly size: number;
}

/** Stores one after the other until the agent is gone. */
async function write(
  agent: AgentProcess,
  name: string,
  acknowledged: Written[],
  tried: Map<string, number>,
): Promise<void> {
  for (let index = 0; ; index++) {
    const size = SIZES[index % SIZES.length] ?? 0;
    const key = `${name}-${index}`;
    tried.set(key, size);
    try {
      const { status } = await agent.ask('PUT', `/blobs/${key}`, bytesOf(key, size));
      expect(status).toBe(201);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return; // it was killed
      throw error;
    }
    acknowledged.push({ key, size });
  }
}

async function listed(agent: AgentProcess): Promise<readonly Written[]> {
  const items: Written[] = [];
  let rest = '';
  do {
    const page = (await agent.json(`/blobs?limit=1000${rest}`)) as { items: Written[]; continue?: string };
    items.push(...page.items);
    rest = page.continue ? `&continue=${page.continue}` : '';
  } while (rest !== '');
  return items;
}

test(`${KILLS} times at any instant`, { timeout: 600_000 }, async () => {
  const acknowledged: Written[] = [];
  const tried = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    const agent = await AgentProcess.start(path);
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(agent, `${kill}-${writer}`, acknowledged, tried),
    );
    const before = acknowledged.length;
    await eventually(() => acknowledged.length > before + WRITERS, { interval: 1 }); // then at any instant
    await sleep(Math.random() * 150);
    await agent.kill();
    await Promise.all(writers);
  }
  await using agent = await AgentProcess.start(path);
  await eventually(async () => (await agent.json('/status')).state === 'Ready');
  const there = await listed(agent);
  expect(acknowledged.length).toBeGreaterThan(KILLS * WRITERS);
  expect(there.map(({ key }) => key)).toEqual(expect.arrayContaining(acknowledged.map(({ key }) => key)));
  for (const { key, size } of there) {
    expect(size).toBe(tried.get(key));
    const { status, bytes } = await agent.ask('GET', `/blobs/${key}`);
    expect({ key, status, isSame: bytes.equals(bytesOf(key, size)) }).toEqual({ key, status: 200, isSame: true });
  }
  expect(await agent.json('/status')).toMatchObject({ corrupt: 0, blobs: there.length });
  expect(await readdir(join(path, 'uploads'))).toEqual([]);
  expect(await readdir(join(path, 'quarantine'))).toEqual([]);
});

test('between the first byte of a body and its last: nothing of it is there', async () => {
  const agent = await AgentProcess.start(path);
  const body = randomBytes(20_000_000);
  const sending = agent.ask('PUT', '/blobs/k', body, { 'content-length': body.length + 1 }).catch(() => {});
  await eventually(async () => (await readdir(join(path, 'uploads'))).length === 1, { interval: 1 });
  await agent.kill();
  await sending;
  await using next = await AgentProcess.start(path);
  expect((await next.ask('GET', '/blobs/k')).status).toBe(404);
  expect(await readdir(join(path, 'uploads'))).toEqual([]);
});

test('right after it was told to drain: it knows', async () => {
  const agent = await AgentProcess.start(path);
  await agent.ask('PUT', '/blobs/k', 'bytes');
  const order = JSON.stringify({ generation: 9, peers: [{ name: 'other', url: 'http://127.0.0.1:9' }] });
  expect((await agent.ask('PUT', '/manage-agent/decommission', order)).status).toBe(200);
  await agent.kill();
  await using next = await AgentProcess.start(path);
  await eventually(async () =>
    expect(await next.json('/status')).toMatchObject({ state: 'Decommissioning', generation: 9 }),
  );
  expect((await next.ask('PUT', '/blobs/l', 'bytes')).status).toBe(503);
  expect((await next.ask('GET', '/blobs/k')).bytes.toString()).toBe('bytes');
});

test('right after a DELETE was answered: it stays gone', async () => {
  for (let round = 0; round < 5; round++) {
    const agent = await AgentProcess.start(path);
    await agent.ask('PUT', '/blobs/k', 'bytes');
    expect((await agent.ask('DELETE', '/blobs/k')).status).toBe(204);
    await agent.kill();
    await using next = await AgentProcess.start(path);
    expect((await next.ask('GET', '/blobs/k')).status).toBe(404);
  }
});
