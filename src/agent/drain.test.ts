import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sleep } from '../kit/clock/clock.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { silentLog } from '../kit/observe/log.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { Conflict, Refused, Unreachable, Untrue } from '../pool-client/errors.ts';
import { orderOf } from '../pool-client/order.ts';
import type { BlobInfo, Peer } from '../pool-client/protocol.ts';
import { Drain } from './drain.ts';
import { SimulatedDisk, SimulatedStore } from './drain-simulated-store.ts';

const peer = (name: string): Peer => ({ name, url: `http://${name}:8080` });
const [B, C] = [peer('b'), peer('c')];
const never = new AbortController().signal;

/** As every agent does: what does not fit its digest is not taken. */
async function arrived(to: Peer, { sha256 }: BlobInfo, body: AsyncIterable<Buffer>): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of body) hash.update(piece);
  if (hash.digest('hex') === sha256) return;
  throw new Refused(to, 'PUT', 422, { reason: 'DigestMismatch', message: 'other bytes than were announced' });
}

/** An agent `a` with blobs, whose peers take what they are sent unless told otherwise. */
function aDrain(keys: readonly string[], calls: Partial<AgentCalls> = {}, bandwidth?: number, diskMs = 0) {
  const clock = new VirtualClock();
  const disk = new SimulatedDisk();
  for (const key of keys) disk.add(key, Buffer.from(`bytes of ${key}`));
  const took: [string, string][] = [];
  const removed: string[] = [];
  let [drained, unsettled] = [0, 0];
  const all: Partial<AgentCalls> = {
    async put(to, blob, body) {
      await arrived(to, blob, body);
      took.push([to.name, blob.key]);
      return 'made';
    },
    async remove(to, key) {
      removed.push(`${to.name} ${key}`);
      return false;
    },
    ...calls,
  };
  const drain = new Drain({
    name: 'a',
    store: new SimulatedStore(disk, async () => {
      if (diskMs > 0) await sleep(clock, diskMs);
    }),
    calls: all as AgentCalls,
    clock,
    random: () => 1,
    log: silentLog,
    bandwidth,
    drained: async () => {
      drained += 1;
      unsettled = disk.unsettled.size;
    },
  });
  return { clock, disk, drain, took, removed, drained: () => drained, unsettled: () => unsettled };
}

test('each blob goes to the first of the peers in the order of its key, and the end is told', async () => {
  const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
  const { clock, disk, drain, took, drained } = aDrain(keys);
  drain.begin({ generation: 1, peers: [B, C] });
  await clock.advance(10);
  expect(new Map(took.map(([to, key]) => [key, to]))).toEqual(
    new Map(keys.map((key) => [key, orderOf(key, [B, C])[0]?.name ?? ''])),
  );
  expect([disk.blobs.size, drained()]).toEqual([0, 1]);
  expect(drain.status()).toMatchObject({ movedBlobs: 6, leftBlobs: 0, leftBytes: 0 });
});

test('an agent with nothing is drained at once, also without peers; one with blobs and no peers says that there is nowhere to go', async () => {
  const empty = aDrain([]);
  empty.drain.begin({ generation: 0, peers: [] });
  await empty.clock.advance(10);
  expect(empty.drained()).toBe(1);
  const full = aDrain(['k']);
  full.drain.begin({ generation: 0, peers: [peer('a')] });
  await full.clock.advance(60_000);
  expect(full.drained()).toBe(0);
  expect(full.drain.status()?.why).toBe('nowhere to go: the order has named no other agent');
});

test.each([
  ['is full', () => new Refused(B, 'PUT', 507, { reason: 'Full', message: 'no room' }), /no room/],
  ['drains as well', () => new Refused(B, 'PUT', 503, { reason: 'Draining', message: 'no' }), /refused PUT with 503/],
  ['is dead', () => new Unreachable(B, 'PUT', new Error('refused')), /the agent b .* did not answer/],
  ['lies about what it has stored', () => new Untrue(B, 'PUT', 'other bytes'), /what cannot be: other bytes/],
])(
  'while the only peer %s nothing is removed, and it is asked again after a while, seldom',
  async (_, failure, why) => {
    let asked = 0;
    const keys = Array.from({ length: 50 }, (_each, index) => `k${index}`);
    const { clock, disk, drain, drained } = aDrain(keys, {
      async put() {
        asked += 1;
        throw failure();
      },
    });
    drain.begin({ generation: 1, peers: [B] });
    await clock.advance(300_000);
    expect([disk.blobs.size, drained()]).toEqual([50, 0]);
    expect(drain.status()?.why).toMatch(why);
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(300);
  },
);

test('why it does not go on is told in a few words, however many peers take nothing', async () => {
  const peers = Array.from({ length: 1_000 }, (_, index) => peer(`p-${index}`));
  const { clock, drain } = aDrain(['k'], {
    async put(to) {
      throw new Unreachable(to, 'PUT');
    },
  });
  drain.begin({ generation: 1, peers });
  await clock.advance(100);
  expect(drain.status()?.why).toMatch(/^the agent p-\d+ .*; and 997 more$/);
});

test('what one peer does not take goes to the next', async () => {
  const { clock, disk, drain, drained } = aDrain(['k1', 'k2', 'k3', 'k4'], {
    async put(to, _blob, body) {
      if (to.name === 'b') throw new Unreachable(B, 'PUT');
      for await (const _ of body);
      return 'made';
    },
  });
  drain.begin({ generation: 1, peers: [B, C] });
  await clock.advance(100);
  expect([disk.blobs.size, drained()]).toEqual([0, 1]);
});

test('a peer that had the blob before must serve it before ours goes: its copy may have gone bad', async () => {
  let serves = 'rot';
  const { clock, disk, drain } = aDrain(['k'], {
    put: async () => 'same',
    async get(_to, key) {
      const info = { key, size: 1, sha256: 'as it was stored' };
      return { info, body: pieces(serves) };
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10_000);
  expect(disk.blobs.size).toBe(1);
  serves = 'bytes of k';
  await clock.advance(60_000);
  expect(disk.blobs.size).toBe(0);
});

test('conflicts and damage are named and stay, and the rest goes on', async () => {
  const { clock, disk, drain, drained } = aDrain(['twice', 'damaged', 'good'], {
    async put(to, blob, body) {
      if (blob.key === 'twice') throw new Conflict('b', blob.key);
      await arrived(to, blob, body);
      return 'made';
    },
  });
  disk.spoil('damaged');
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(100);
  expect([[...disk.blobs.keys()], [...disk.aside], drained()]).toEqual([['twice'], ['damaged'], 0]);
  expect(drain.status()?.why).toMatch(/under "twice".*damaged and not moved: "damaged"/);
});

test('of bytes that have not come as they were sent the peer is to blame, if ours are as they were stored', async () => {
  let refusals = 0;
  const { clock, disk, drain, drained } = aDrain(['k'], {
    async put(to) {
      refusals += 1;
      if (refusals === 1) throw new Refused(to, 'PUT', 422, { reason: 'DigestMismatch', message: 'other bytes' });
      return 'made';
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect([disk.blobs.size, disk.aside.size]).toEqual([1, 0]);
  expect(drain.status()?.why).toContain('refused PUT with 422');
  await clock.advance(10_000);
  expect([disk.blobs.size, drained()]).toEqual([0, 1]);
});

test('a removal does not wait for the move of the same key: that is cut off, and every peer is told', async () => {
  let wasCut = false;
  const { clock, disk, drain, removed } = aDrain(['k'], {
    put: (_to, _blob, _body, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          wasCut = true;
          reject(signal.reason);
        });
      }),
  });
  drain.begin({ generation: 1, peers: [B, C] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('k', never)).toBe('removed');
  expect([wasCut, disk.blobs.size, removed.toSorted()]).toEqual([true, 0, ['b k', 'c k']]);
});

test('a removal that waits while the drain is called off still goes where the blob may have gone', async () => {
  const arrived = Promise.withResolvers<void>();
  const removed: string[] = [];
  const peers: Partial<AgentCalls> = {
    async put() {
      await arrived.promise; // the peer has all of it before it hears that it is not to come
      return 'made';
    },
    async remove(to, key) {
      removed.push(`${to.name} ${key}`);
      return true;
    },
  };
  const { clock, drain } = aDrain(['k'], peers, undefined, 1);
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  const removing = drain.removeEverywhere('k', never);
  const ended = drain.end();
  arrived.resolve();
  await clock.advance(100);
  await ended;
  expect(await removing).toBe('removed');
  expect(removed).toEqual(['b k']);
});

test('a removal takes along at peers what was here, and no other bytes that a peer has under the key', async () => {
  const asked: (string | undefined)[] = [];
  const { clock, disk, drain } = aDrain(['twice'], {
    async put(_to, { key }) {
      throw new Conflict('b', key);
    },
    async remove(_to, _key, _signal, ifMatch) {
      asked.push(ifMatch);
      return false;
    },
  });
  const tag = `"${disk.blobs.get('twice')?.info.sha256}"`;
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('twice', never)).toBe('removed');
  expect(await drain.removeEverywhere('twice', never)).toBe('absent');
  expect(asked).toEqual([tag, undefined]);
});

test('what is left of a damaged blob is given up here only: a peer may have what was stored anew in its place', async () => {
  const { clock, disk, drain, removed, drained } = aDrain(['k']);
  disk.spoil('k');
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('k', never)).toBe('removed');
  expect([disk.aside.size, removed]).toEqual([0, []]);
  await clock.advance(60_000);
  expect(drained()).toBe(1);
});

test('a removal of other bytes than are here removes nothing, here or elsewhere', async () => {
  const { drain, disk, removed } = aDrain(['k']);
  drain.begin({ generation: 1, peers: [] });
  expect(await drain.removeEverywhere('k', never, '"other"')).toBe('another');
  expect(await drain.removeEverywhere('nothing', never, '*')).toBe('another');
  expect([disk.blobs.size, removed]).toEqual([1, []]);
});

test.each([
  ['has it', async () => true, 'removed'],
  ['has none, or another', async () => false, 'another'],
  [
    'does not answer',
    async () => {
      throw new Unreachable(B, 'DELETE');
    },
    'unknown',
  ],
])('a removal of certain bytes follows them with its condition, to a peer that %s', async (_, answer, outcome) => {
  const asked: (string | undefined)[] = [];
  const { clock, drain } = aDrain([], {
    async remove(_to, _key, _signal, ifMatch) {
      asked.push(ifMatch);
      return await answer();
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('k', never, '"ab", "cd"')).toBe(outcome);
  expect(asked).toEqual(['"ab", "cd"']);
});

test('a removal follows to those that are no longer given anything, too', async () => {
  const { clock, drain, removed } = aDrain([]);
  drain.begin({ generation: 1, peers: [C], former: [B, peer('a')] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('k', never)).toBe('absent');
  expect(removed.toSorted()).toEqual(['b k', 'c k']);
});

test('a removal is unknown when one peer did not answer, and is passed on nowhere when nothing drains', async () => {
  const { drain, clock } = aDrain(['k'], {
    async remove(to) {
      if (to.name === 'c') throw new Unreachable(C, 'DELETE');
      return true;
    },
  });
  expect(await drain.removeEverywhere('k', never)).toBe('removed');
  drain.begin({ generation: 1, peers: [B, C] });
  await clock.advance(10);
  expect(await drain.removeEverywhere('k', never)).toBe('unknown');
});

test('when it is called off it takes up nothing more, and ends what is on its way', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  const { clock, disk, drain } = aDrain(keys, {
    async put() {
      await mayEnd;
      return 'made';
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  const ended = drain.end();
  end();
  await ended;
  await clock.advance(60_000);
  expect(disk.blobs.size).toBe(4);
  expect(drain.status()).toBeUndefined();
});

test.each([
  ['small', 512 * 1024, 16],
  ['large', 512 * 1024 + 1, 4],
])('of %s blobs several are on their way at once', async (_, bytes, several) => {
  const underWay = new Set<string>();
  const { clock, disk, drain } = aDrain([], {
    async put(_to, { key }) {
      underWay.add(key);
      return await new Promise(() => {});
    },
  });
  for (let index = 0; index < 20; index++) disk.add(`k${index}`, Buffer.alloc(bytes));
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect(underWay.size).toBe(several);
});

test('no more bytes go out in a second than it may', async () => {
  const sent: { at: number; bytes: number }[] = [];
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
  const { clock, drain, disk } = aDrain(
    keys,
    {
      async put(_to, _blob, body) {
        for await (const piece of body) sent.push({ at: clock.monotonic(), bytes: piece.length });
        return 'made';
      },
    },
    10,
  );
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(60_000);
  expect(disk.blobs.size).toBe(0);
  const total = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(sent.at(-1)?.at).toBeGreaterThan((total / 10) * 1000 - 2_000);
});

test('other addresses for the same order are used at once', async () => {
  const { clock, drain, drained } = aDrain(['k'], {
    async put(to) {
      if (to.url !== 'http://new:8080') throw new Unreachable(to, 'PUT');
      return 'made';
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(100);
  const since = drain.status()?.since;
  drain.begin({ generation: 1, peers: [{ name: 'b', url: 'http://new:8080' }] });
  await clock.advance(1);
  expect(drained()).toBe(1);
  expect(drain.status()?.since).toBe(since);
});

async function* pieces(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

test('who is called off is rid of what an earlier order has sent, too, after a while', async () => {
  const { clock, disk, drain } = aDrain(['k'], {
    put: (_to, _blob, _body, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason)); // and otherwise never
      }),
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  drain.begin({ generation: 2, peers: [B] });
  const ended = drain.end();
  await clock.advance(5_001);
  await ended;
  expect([disk.blobs.size, drain.status()]).toEqual([1, undefined]);
});

test('of large blobs four are sent at a time, while those that have arrived wait for the disk of the peer: sixteen in all', async () => {
  let [sending, mostSending, arrived] = [0, 0, 0];
  const onDisk = Promise.withResolvers<void>();
  const { clock, disk, drain, drained } = aDrain([], {
    async put(_to, _blob, body) {
      sending += 1;
      mostSending = Math.max(mostSending, sending);
      for await (const _ of body) await sleep(clock, 1);
      sending -= 1;
      arrived += 1;
      await onDisk.promise;
      return 'made';
    },
  });
  for (let index = 0; index < 20; index++) disk.add(`k${index}`, Buffer.alloc(1024 * 1024 + 1, index));
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(1_000);
  expect([mostSending, arrived, disk.blobs.size]).toEqual([4, 16, 20]);
  onDisk.resolve();
  await clock.advance(1_000);
  expect([mostSending, arrived, disk.blobs.size, drained()]).toEqual([4, 20, 0, 1]);
});

test('large blobs that wait to be sent when the drain is called off are not sent', async () => {
  const begun: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const { clock, disk, drain } = aDrain([], {
    async put(_to, { key }, body) {
      begun.push(key);
      await mayEnd.promise;
      for await (const _ of body);
      return 'made';
    },
  });
  for (let index = 0; index < 8; index++) disk.add(`k${index}`, Buffer.alloc(1024 * 1024 + 1, index));
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect(begun).toHaveLength(4);
  const ended = drain.end();
  mayEnd.resolve();
  await clock.advance(10);
  await ended;
  expect([begun.length, disk.blobs.size]).toEqual([4, 4]);
});

test('what one peer does not take when the drain is called off is not sent to the next', async () => {
  const asked: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const { clock, disk, drain } = aDrain(['k'], {
    async put(to) {
      asked.push(to.name);
      await mayEnd.promise;
      throw new Unreachable(to, 'PUT');
    },
  });
  drain.begin({ generation: 1, peers: [B, C] });
  await clock.advance(10);
  const ended = drain.end();
  mayEnd.resolve();
  await ended;
  expect([asked.length, disk.blobs.size]).toEqual([1, 1]);
});

test('a blob in whose place another has come meanwhile has not moved', async () => {
  const { clock, disk, drain, drained } = aDrain(['k'], {
    async put(_to, { key }, body) {
      for await (const _ of body);
      disk.add(key, Buffer.from('another'));
      return 'made';
    },
  });
  drain.begin({ generation: 1, peers: [B] });
  await clock.advance(10);
  expect([disk.blobs.size, drained(), drain.status()?.movedBlobs]).toEqual([1, 0, 0]);
});

test('that everything has gone is on the disk before it is told, and when the drain is called off', async () => {
  const done = aDrain(['k1', 'k2']);
  done.drain.begin({ generation: 1, peers: [B] });
  await done.clock.advance(10);
  expect([done.drained(), done.unsettled()]).toEqual([1, 0]);
  const mayEnd = Promise.withResolvers<void>();
  const calledOff = aDrain(['k1', 'k2'], {
    async put() {
      await mayEnd.promise;
      return 'made';
    },
  });
  calledOff.drain.begin({ generation: 1, peers: [B] });
  await calledOff.clock.advance(10);
  const ended = calledOff.drain.end();
  mayEnd.resolve();
  await ended;
  expect([calledOff.disk.blobs.size, calledOff.disk.unsettled.size]).toEqual([0, 0]);
});
