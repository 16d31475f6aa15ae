/** The rights that an original's own manifest gives to its account, as `make e2e` applies it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { PolicyRule } from '../harness/users.ts';

export function rightsOfOriginal(job: string): readonly PolicyRule[] {
  const manifest = resolve(import.meta.dirname, `../e2e/originals/${job}.yaml`);
  const objects = parseAllDocuments(readFileSync(manifest, 'utf8')).map((document) => document.toJS());
  return objects.find(({ kind }) => kind === 'ClusterRole').rules;
}
