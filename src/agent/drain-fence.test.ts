import { expect, test } from 'vitest';
import { Fence } from './drain-fence.ts';

/** A body whose pieces come when they are sent. */
function aBody() {
  const waiting: ((piece: Buffer | undefined) => void)[] = [];
  const send = (piece?: string) => waiting.shift()?.(piece === undefined ? undefined : Buffer.from(piece));
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = await new Promise<Buffer | undefined>((resolve) => waiting.push(resolve));
      if (piece === undefined) return;
      yield piece;
    }
  }
  return { pieces: pieces(), send };
}

async function whole(pieces: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes in undisturbed comes in whole', async () => {
  const { pieces, send } = aBody();
  const stored = new Fence().coming('k', pieces, whole);
  for (const piece of ['a', 'b', undefined]) {
    await turn();
    send(piece);
  }
  await expect(stored).resolves.toBe('ab');
});

test('what was half in when its key was removed never comes in', async () => {
  const fence = new Fence();
  const { pieces, send } = aBody();
  const stored = fence.coming('k', pieces, whole);
  await turn();
  send('a');
  await turn();
  await fence.cutOff('k');
  send();
  await expect(stored).rejects.toMatchObject({ reason: 'Stale' });
});

test('the removal waits for what was in already and is being stored', async () => {
  const fence = new Fence();
  const { pieces, send } = aBody();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const order: string[] = [];
  const stored = fence.coming('k', pieces, async (body) => {
    await whole(body);
    await written;
    order.push('stored');
  });
  await turn();
  send();
  await turn();
  const removed = fence.cutOff('k').then(() => order.push('removed'));
  await turn();
  write();
  await Promise.all([stored, removed]);
  expect(order).toEqual(['stored', 'removed']);
});

test('other keys, and what comes after the removal, are let in', async () => {
  const fence = new Fence();
  const other = aBody();
  const stored = fence.coming('other', other.pieces, whole);
  await fence.cutOff('k');
  const later = aBody();
  const storedLater = fence.coming('k', later.pieces, whole);
  await turn();
  other.send();
  later.send();
  await expect(Promise.all([stored, storedLater])).resolves.toEqual(['', '']);
});
