/** What every object store must do, declared as tests over one. Real servers, directories and the simulated store run the same. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kit/clock/clock.ts';
import { failureOf } from '../../kit/failure-of.ts';
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import { type GetOptions, type ObjectStore, type PutOptions, StoreError, type StoreFault } from './store.ts';

export interface StoreSubject extends AsyncDisposable {
  readonly store: ObjectStore;
  /** Another client of the same objects. */
  readonly other: ObjectStore;
  /** The same kind of store where it goes wrong, by what it is then. */
  readonly broken: Readonly<Partial<Record<StoreFault, ObjectStore>>>;
}

const MOST = 64 * 2 ** 20;
/** How much it takes for the store to treat it otherwise than a little. */
export interface Much {
  readonly large: number;
  readonly moreThanAPage: number;
}

const OF_A_SERVER: Much = { large: 20_000_000, moreThanAPage: 1_100 };
const ROUNDS = 20;
const AT_ONCE = 16;
const A_WHILE_MS = 600_000;
const ODD_KEYS = ['with spaces', 'a+b=c&d', '100%25', "it's (odd)!*~", 'ключ/中文/🗝', '.hidden/.dot', 'a:b@c;d,e$f'];

const { signal } = new AbortController();
const digest = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

export function storeConformance(name: string, make: () => Promise<StoreSubject>, much = OF_A_SERVER): void {
  describe(`${name} as an object store`, () => {
    let subject: StoreSubject;
    let store: ObjectStore;
    let prefix = 'test-0/';
    let tests = 0;
    beforeAll(async () => {
      subject = await make();
      store = subject.store;
    });
    afterAll(() => subject?.[Symbol.asyncDispose]());
    beforeEach(() => {
      prefix = `test-${++tests}/`; // no test sees the objects of another
    });

    const put = (key: string, body: string | Uint8Array, condition?: PutOptions['condition'], by = store) =>
      by.put(prefix + key, Buffer.from(body), { signal, ...(condition && { condition }) });
    const get = (key: string, options: Partial<GetOptions> = {}) =>
      store.get(prefix + key, { signal, most: MOST, ...options });
    const head = (key: string) => store.head(prefix + key, { signal });
    const remove = (key: string) => store.remove(prefix + key, { signal });
    const list = (under = prefix) => Array.fromAsync(store.list(under, { signal }));
    const keys = async (under = prefix) => (await list(under)).map(({ key }) => key.slice(prefix.length));
    const text = async (key: string) => {
      const got = await get(key);
      return got.kind === 'found' ? got.body.toString() : got.kind;
    };

    it('keeps what it was given, and tells when that was', async () => {
      const { etag } = await put('a', 'content');
      expect(await get('a')).toMatchObject({ kind: 'found', body: Buffer.from('content'), etag });
      expect(await head('a')).toMatchObject({ etag, size: 7 });
      expect(await list()).toMatchObject([{ key: `${prefix}a`, size: 7 }]);
      const [looked, listed, got] = [await head('a'), (await list())[0], await get('a')];
      for (const at of [looked?.modifiedAt, listed?.modifiedAt, got.kind === 'found' ? got.modifiedAt : undefined])
        expect(Math.abs(systemClock.now().getTime() - (at?.getTime() ?? 0))).toBeLessThan(A_WHILE_MS);
    });

    it('keeps the newest, under an ETag that changes with the content', async () => {
      const first = await put('a', 'first');
      const second = await put('a', 'second');
      expect(second.etag).not.toBe(first.etag);
      expect([await text('a'), (await head('a'))?.etag, await keys()]).toEqual(['second', second.etag, ['a']]);
    });

    it('keeps an object whose hash is known already', async () => {
      const body = randomBytes(much.large);
      await store.put(`${prefix}hashed`, body, { signal, condition: { absent: true }, sha256: digest(body) });
      const got = await get('hashed');
      expect(got.kind === 'found' && digest(got.body)).toBe(digest(body));
    });

    it('keeps an empty object, which is not a missing one', async () => {
      await put('empty', '');
      expect(await get('empty')).toMatchObject({ kind: 'found', body: Buffer.alloc(0) });
      expect([(await head('empty'))?.size, await keys()]).toEqual([0, ['empty']]);
    });

    it('keeps a large object, byte for byte', async () => {
      const body = randomBytes(much.large);
      await put('large', body);
      const got = await get('large');
      expect(got.kind === 'found' && digest(got.body)).toBe(digest(body));
      expect((await head('large'))?.size).toBe(much.large);
    });

    it.each(ODD_KEYS)('keeps an object under the key %s', async (key) => {
      const { etag } = await put(key, key);
      expect([await text(key), await keys(), (await head(key))?.etag]).toEqual([key, [key], etag]);
      await put(key, 'changed', { etag });
      expect(await text(key)).toBe('changed');
      await remove(key);
      expect([await text(key), await keys()]).toEqual(['missing', []]);
    });

    it('answers that nothing is there where nothing is', async () => {
      expect([await get('none'), await head('none'), await list()]).toEqual([{ kind: 'missing' }, undefined, []]);
      await remove('none');
    });

    it('forgets what is removed', async () => {
      await put('a', '1');
      await put('b', '1');
      await remove('a');
      expect([await text('a'), await head('a'), await keys()]).toEqual(['missing', undefined, ['b']]);
    });

    it('reads no more than it may', async () => {
      await put('a', '12345');
      expect(await get('a', { most: 5 })).toMatchObject({ kind: 'found' });
      await expect(get('a', { most: 4 })).rejects.toMatchObject({ name: 'StoreError', fault: 'tooLarge' });
    });

    it('does not send again what its reader has', async () => {
      const { etag } = await put('a', '1');
      expect(await get('a', { ifNoneMatch: etag })).toEqual({ kind: 'unchanged' });
      await put('a', '2');
      expect(await get('a', { ifNoneMatch: etag })).toMatchObject({ kind: 'found', body: Buffer.from('2') });
      await remove('a');
      expect(await get('a', { ifNoneMatch: etag })).toEqual({ kind: 'missing' });
    });

    it('lists what is under a prefix, which need not be a directory, in the order of bytes', async () => {
      for (const key of ['b/2', 'b0', 'b-1', 'b/10', 'a', 'B', 'ö', 'c/d/e', 'b/1']) await put(key, key);
      expect(await keys()).toEqual(['B', 'a', 'b-1', 'b/1', 'b/10', 'b/2', 'b0', 'c/d/e', 'ö']);
      expect(await keys(`${prefix}b/`)).toEqual(['b/1', 'b/10', 'b/2']);
      expect(await keys(`${prefix}b/1`)).toEqual(['b/1', 'b/10']);
      expect(await keys(`${prefix}c`)).toEqual(['c/d/e']);
      expect(await keys(`${prefix}none/`)).toEqual([]);
    });

    it('lists more than fits on a page, each once and in order', async () => {
      const wanted = Array.from({ length: much.moreThanAPage }, (_, n) => `${String(n * 7).padStart(6, '0')}.json`);
      await fewAtATime(AT_ONCE, wanted.toReversed(), (key) => put(key, key));
      expect(await keys()).toEqual(wanted);
    });

    it('writes only where nothing is, when it is told so', async () => {
      await put('a', 'first', { absent: true });
      await expect(put('a', 'second', { absent: true })).rejects.toMatchObject({ fault: 'preconditionFailed' });
      expect(await text('a')).toBe('first');
      await remove('a');
      await put('a', 'third', { absent: true });
      expect(await text('a')).toBe('third');
    });

    it('replaces only what is still what was read, when it is told so', async () => {
      const { etag } = await put('a', 'first');
      await put('a', 'second', { etag });
      await expect(put('a', 'third', { etag })).rejects.toMatchObject({ fault: 'preconditionFailed' });
      expect(await text('a')).toBe('second');
      await remove('a');
      await expect(put('a', 'fourth', { etag })).rejects.toMatchObject({ fault: 'preconditionFailed' });
      expect(await text('a')).toBe('missing');
    });

    it('refuses a large object as it does a small one', async () => {
      const { etag } = await put('a', 'first');
      await put('a', 'second');
      for (const condition of [{ absent: true }, { etag }] as const)
        await expect(put('a', randomBytes(much.large), condition)).rejects.toMatchObject({
          fault: 'preconditionFailed',
        });
      expect(await text('a')).toBe('second');
    });

    it.each([
      ['make an object', (): PutOptions['condition'] => ({ absent: true })],
      ['replace an object', (etag: string): PutOptions['condition'] => ({ etag })],
    ])('lets exactly one of two clients %s that both want to', async (_, condition) => {
      for (let round = 0; round < ROUNDS; round++) {
        const key = `race-${round}`;
        const { etag } = await put(key, 'before');
        if ('absent' in (condition(etag) ?? {})) await remove(key);
        const race = (who: ObjectStore, body: string) => failureOf(() => put(key, body, condition(etag), who));
        const [east, west] = await Promise.all([race(store, 'east'), race(subject.other, 'west')]);
        expect([east, west].filter((failure) => failure === undefined)).toHaveLength(1);
        expect(east ?? west).toBeInstanceOf(StoreError);
        expect(await text(key)).toBe(east === undefined ? 'east' : 'west');
      }
    });

    it('does nothing on behalf of who has given up', async () => {
      const gone = AbortSignal.abort(new Error('gave up'));
      for (const call of calls(store, `${prefix}a`, gone)) await expect(call()).rejects.toThrow('gave up');
      expect(await text('a')).toBe('missing');
    });

    it('stops when it is told to', async () => {
      await put('large', randomBytes(much.large));
      const controller = new AbortController();
      const reading = get('large', { signal: controller.signal });
      controller.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
    });

    it('names the fault, and where it was, whatever it was asked for', async () => {
      for (const [fault, broken] of Object.entries(subject.broken)) {
        for (const call of calls(broken, `${prefix}a`, signal)) {
          const error = await failureOf(call);
          expect(error).toMatchObject({ name: 'StoreError', fault });
          expect(error?.message).toContain(broken.description);
          expect(error?.message).toContain(`${prefix}a`);
        }
      }
    });
  });
}

/** Each verb once. */
const calls = (store: ObjectStore, key: string, signal: AbortSignal): readonly (() => Promise<unknown>)[] => [
  () => store.get(key, { signal, most: MOST }),
  () => store.head(key, { signal }),
  () => store.put(key, Buffer.from('1'), { signal }),
  () => store.put(key, Buffer.from('1'), { signal, condition: { absent: true } }),
  () => Array.fromAsync(store.list(key, { signal })),
  () => store.remove(key, { signal }),
];
