import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from './body.ts';

const { signal } = new AbortController();
const call = { doing: 'read', key: 'a', where: 'the store', signal } as const;
const alive = () => {};
const bodyOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const read = (body: Readable, length: number | undefined, most = 100) =>
  readBody(call, body, { length, most, signal, alive });

test.each([6, undefined])('a body is read whole, of announced length %s', async (length) => {
  expect((await read(bodyOf('abc', 'def'), length)).toString()).toBe('abcdef');
});

test('an empty body is one', async () => {
  expect(await read(bodyOf(), 0)).toHaveLength(0);
});

test('a body that is announced as too large is not read at all', async () => {
  const body = bodyOf('abc');
  await expect(read(body, 101)).rejects.toMatchObject({ fault: 'tooLarge' });
  expect([body.readableDidRead, body.destroyed]).toEqual([false, true]);
});

test('a body that turns out to be too large is left', async () => {
  const body = bodyOf('a'.repeat(60), 'b'.repeat(60), 'c');
  await expect(read(body, undefined)).rejects.toMatchObject({ fault: 'tooLarge' });
  expect(body.destroyed).toBe(true);
});

test('a body that is shorter or longer than announced is incomplete', async () => {
  await expect(read(bodyOf('abc'), 4)).rejects.toThrow('3 bytes came, where 4 were announced');
  await expect(read(bodyOf('abc', 'de'), 4)).rejects.toMatchObject({ fault: 'incomplete' });
});

test('a body whose connection breaks is incomplete', async () => {
  const body = Readable.from(
    (async function* () {
      yield Buffer.from('abc');
      throw new Error('aborted');
    })(),
  );
  await expect(read(body, 6)).rejects.toMatchObject({ fault: 'incomplete', cause: { message: 'aborted' } });
});

test('each piece is a sign of life', async () => {
  let signs = 0;
  await readBody(call, bodyOf('a', 'b', 'c'), { length: 3, most: 3, signal, alive: () => (signs += 1) });
  expect(signs).toBe(3);
});

test('who gives up lets go of the connection', async () => {
  const controller = new AbortController();
  const body = new Readable({ read() {} });
  const reading = readBody(call, body, { length: 3, most: 3, signal: controller.signal, alive });
  controller.abort();
  await expect(reading).rejects.toThrow();
  expect(body.destroyed).toBe(true);
});
