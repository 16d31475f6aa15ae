/**
 * The manifests in deploy/ are checked in, so that people can read and apply them without running anything, and so are those that the chart
 * makes its own of. They must not lag behind the code.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controllers } from '../src/controllers.ts';
import { customResources } from '../src/custom-resources.ts';
import { type Agents, admissionFiles, crdFiles, DEFAULT_AGENTS, rbacFiles } from '../src/kit/manifests/files.ts';

const root = resolve(import.meta.dirname, '..');
/** Its templates put the namespace of the release and the account of the job in the place of these. */
const IN_CHART: Agents = { namespace: 'RELEASE_NAMESPACE', serviceAccount: 'AGENT_ACCOUNT' };

describe.each([
  {
    directory: 'deploy',
    generated: [
      ...crdFiles(customResources),
      ...rbacFiles(controllers),
      ...admissionFiles(controllers, DEFAULT_AGENTS),
    ],
  },
  {
    directory: 'charts/holdfast/files',
    generated: [...crdFiles(customResources), ...rbacFiles(controllers), ...admissionFiles(controllers, IN_CHART)],
  },
])('in $directory/', ({ directory, generated }) => {
  test.each(generated)('$path is what the code declares (run make manifests)', async ({ path, text }) => {
    expect(await readFile(join(root, directory, path), 'utf8')).toBe(text);
  });

  test('nothing is left of what is no longer generated (delete it)', async () => {
    const kept = await Promise.all(
      ['crds', 'rbac', 'admission'].map(async (folder) =>
        (await readdir(join(root, directory, folder)).catch(() => [])).map((file) => `${folder}/${file}`),
      ),
    );
    const paths = new Set(generated.map(({ path }) => path));
    expect(kept.flat().filter((file) => !paths.has(file))).toEqual([]);
  });
});
