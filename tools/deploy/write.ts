/** Writes the plain manifests to deploy/install. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { deployFiles } from './files.ts';

for (const { path, text } of deployFiles()) {
  const file = join(resolve(import.meta.dirname, '../..'), 'deploy', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
