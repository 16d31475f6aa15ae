/** Several jobs as one: they share the caches, the connection, the lease and the pages of their process. */
import type { Job } from '../job.ts';

export const inOneProcess =
  (setUps: readonly Job['setUp'][]): Job['setUp'] =>
  (parts) =>
    setUps.flatMap((setUp) => setUp(parts));
