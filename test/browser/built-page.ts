/** The page as it is now, made before the tests that look at it. */
import { resolve } from 'node:path';
import { PAGE_DIRECTORY } from '../../src/console/static.ts';
import { buildPageIfChanged } from '../../tools/console/build.ts';

export async function setup(): Promise<void> {
  await buildPageIfChanged(resolve(import.meta.dirname, '../..', PAGE_DIRECTORY));
}
