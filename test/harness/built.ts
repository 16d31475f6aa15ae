/** The program as it is shipped: one file, made once before the tests that run it. It starts in a third of the time that its sources take. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../tools/bundle.ts';

/** In the checkout, so that guests see it as well. */
const DIRECTORY = 'dist/test';
export const BUILT_IN_CHECKOUT = `${DIRECTORY}/holdfast.mjs`;
export const BUILT = join(import.meta.dirname, '../..', BUILT_IN_CHECKOUT);

/** Others may run it while it is made anew. */
export async function setup(): Promise<void> {
  const fresh = `${BUILT}.${process.pid}`;
  await bundle({ outfile: fresh });
  renameSync(fresh, BUILT);
}
