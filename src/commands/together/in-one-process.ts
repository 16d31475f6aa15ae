/** Several jobs as one: they share the caches, the connection, the lease and the pages of their process. */
import type { Runnable } from '../../kit/manager/stage.ts';

type SetUp<Given extends readonly unknown[]> = (...given: Given) => readonly Runnable[];

export const inOneProcess =
  <Given extends readonly unknown[]>(setUps: readonly SetUp<Given>[]): SetUp<Given> =>
  (...given) =>
    setUps.flatMap((setUp) => setUp(...given));
