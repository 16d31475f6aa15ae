import { expect, test } from 'vitest';
import { sharedLook } from './shared-look.ts';

/** A look that ends when it is told to, and says the how many-th it was. */
function aLook() {
  const looks: PromiseWithResolvers<number>[] = [];
  const ask = sharedLook(() => {
    const look = Promise.withResolvers<number>();
    looks.push(look);
    return look.promise;
  });
  return { looks, ask, end: (nth: number) => looks[nth]?.resolve(nth) };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test('those who ask at the same time share one look', async () => {
  const { looks, ask, end } = aLook();
  const answers = Promise.all([ask(), ask(), ask()]);
  await soon();
  end(0);
  expect(await answers).toEqual([0, 0, 0]);
  expect(looks).toHaveLength(1);
});

test('those who ask while a look is under way share the next one, which begins when that has ended', async () => {
  const { looks, ask, end } = aLook();
  const first = ask();
  await soon();
  const later = Promise.all([ask(), ask()]);
  await soon();
  expect(looks).toHaveLength(1);
  end(0);
  expect(await first).toBe(0);
  await soon();
  end(1);
  expect(await later).toEqual([1, 1]);
  expect(looks).toHaveLength(2);
});

test('a look that fails fails for those who share it, and not for the next ones', async () => {
  const { looks, ask, end } = aLook();
  const first = ask();
  await soon();
  const second = ask();
  looks[0]?.reject(new Error('blind'));
  await expect(first).rejects.toThrow('blind');
  await soon();
  end(1);
  expect(await second).toBe(1);
});
