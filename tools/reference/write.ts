/** Writes the tables of reference into the pages that have them. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PAGES, pageAsItShouldBe } from './reference.ts';

for (const page of PAGES) writeFileSync(join(resolve(import.meta.dirname, '../..'), page), pageAsItShouldBe(page));
