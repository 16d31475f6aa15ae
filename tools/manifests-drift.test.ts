/** The manifests in deploy/ are checked in, so that people can read and apply them without running anything. They must not lag behind the code. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { controllers } from '../src/controllers.ts';
import { customResources } from '../src/custom-resources.ts';
import { admissionFiles, crdFiles, DEFAULT_AGENTS, rbacFiles } from '../src/kit/manifests/files.ts';

const deploy = resolve(import.meta.dirname, '../deploy');
const generated = [
  ...crdFiles(customResources),
  ...rbacFiles(controllers),
  ...admissionFiles(controllers, DEFAULT_AGENTS),
];

test.each(generated)('deploy/$path is what the code declares (run make manifests)', async ({ path, text }) => {
  expect(await readFile(join(deploy, path), 'utf8')).toBe(text);
});

test('nothing is left in deploy/ of what is no longer generated (delete it)', async () => {
  const kept = await Promise.all(
    ['crds', 'rbac', 'admission'].map(async (folder) =>
      (await readdir(join(deploy, folder)).catch(() => [])).map((file) => `${folder}/${file}`),
    ),
  );
  const paths = new Set(generated.map(({ path }) => path));
  expect(kept.flat().filter((file) => !paths.has(file))).toEqual([]);
});
