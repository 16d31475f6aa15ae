import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubeconfigFor } from '../sandbox/kubeconfig.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

const ours = (token: string) => kubeconfigFor({ url: 'https://127.0.0.1:1', ca: 'ca', token });
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('a new file is for its owner alone', async () => {
  const path = join(directory, 'new.yaml');
  await writeKubeconfig(path, ours('one'));
  expect(await readFile(path, 'utf8')).toBe(ours('one'));
  expect(await modeOf(path)).toBe('600');
});

test.each([
  ['that a sandbox has left', ours('a-longer-token')],
  ['that is empty', ''],
])('a file %s is written anew, and is for its owner alone from then on', async (_, before) => {
  const path = join(directory, 'before.yaml');
  await writeFile(path, before, { mode: 0o644 });
  await writeKubeconfig(path, ours('two'));
  expect(await readFile(path, 'utf8')).toBe(ours('two'));
  expect(await modeOf(path)).toBe('600');
});

const others = JSON.parse(ours('one')) as { readonly contexts: readonly object[] };

test.each([
  ['of other clusters', 'apiVersion: v1\nkind: Config\ncontexts:\n- name: production\n'],
  ['to which somebody has added a context', JSON.stringify({ ...others, contexts: [...others.contexts, {}] })],
  ['that is something else', 'shopping list'],
])('a file %s is left as it is', async (_, before) => {
  const path = join(directory, 'config');
  await writeFile(path, before, { mode: 0o640 });
  await expect(writeKubeconfig(path, ours('three'))).rejects.toThrow(/\(--kubeconfig-out\) .* choose another file/);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(await modeOf(path)).toBe('640');
});

test('a place where no file can be is told with the flag and the remedy', async () => {
  await expect(writeKubeconfig(join(directory, 'no', 'such'), '')).rejects.toThrow(
    /\(--kubeconfig-out\): there is no such directory; make it, or choose another/,
  );
  await expect(writeKubeconfig(directory, '')).rejects.toThrow('that is a directory; name a file in it');
});
