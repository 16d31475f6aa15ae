import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { settled, VirtualClock } from '../kit/clock/virtual.ts';
import { Slots } from '../kit/slots.ts';
import { Pace } from '../kit/wipe/pace.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { PeerStandings } from './drain-decide.ts';
import { type MoveParts, move } from './drain-move.ts';
import type { OpenBlob } from './store.ts';

const never = new AbortController().signal;
const LARGE = Buffer.alloc(1024 * 1024 + 1);

async function* pieces() {
  yield LARGE;
}

function aBlob(done: string[]): OpenBlob {
  return {
    info: { key: 'k', size: LARGE.length, sha256: createHash('sha256').update(LARGE).digest('hex') },
    read: () => pieces(),
    readUnverified: () => pieces(),
    release: () => void done.push('released'),
    async remove() {
      done.push('removed');
      return 'removed';
    },
    async [Symbol.asyncDispose]() {},
  };
}

function partsWith(sending: Slots, done: string[]): MoveParts {
  const clock = new VirtualClock();
  const standings = new PeerStandings(() => 1);
  standings.replace([{ name: 'b', url: 'http://b:8080' }]);
  const calls: Partial<AgentCalls> = {
    async put(_to, _blob, body) {
      for await (const _ of body);
      done.push('on the disk of the peer');
      return 'made';
    },
  };
  return { calls: calls as AgentCalls, clock, standings, pace: new Pace(undefined, clock), sending };
}

test('the memory is given back when the last byte has left, and not only when the peer has it on its disk', async () => {
  const done: string[] = [];
  expect(await move(partsWith(new Slots(1), done), aBlob(done), { stop: never, signal: never })).toMatchObject({
    is: 'moved',
  });
  expect(done).toEqual(['released', 'on the disk of the peer', 'removed']);
});

test('one that waits to be sent waits no longer when the drain is called off', async () => {
  const done: string[] = [];
  const stop = new AbortController();
  const moving = move(partsWith(new Slots(0), done), aBlob(done), { stop: stop.signal, signal: never });
  stop.abort();
  expect(await moving).toEqual({ is: 'kept' });
  expect(done).toEqual([]);
});

test('one that is cut off in the moment in which it gets its turn to be sent leaves that to another', async () => {
  const sending = new Slots(1);
  const before = await sending.take(never);
  const end = new AbortController();
  const moving = move(partsWith(sending, []), aBlob([]), { stop: never, signal: end.signal });
  await settled();
  before[Symbol.dispose]();
  end.abort(new Error('cut off'));
  await expect(moving).rejects.toThrow('cut off');
  let isFree = false;
  void sending.take(never).then(() => {
    isFree = true;
  });
  await settled();
  expect(isFree).toBe(true);
});
