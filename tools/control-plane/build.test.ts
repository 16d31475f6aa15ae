import { mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StandIn } from '../go-stand-in.ts';

let build: StandIn;
beforeEach(async () => {
  build = await StandIn.of('control-plane');
});
afterEach(() => build[Symbol.asyncDispose]());

test('makes a link for each component', async () => {
  const directory = await build.result();
  for (const component of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl'])
    expect(await readlink(join(directory, component))).toBe('control-plane');
});

test('KUBEBUILDER_ASSETS stands in for a build when it holds everything, and says what it lacks', async () => {
  const assets = join(build.root, 'assets');
  await mkdir(assets);
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) await writeFile(join(assets, name), '', { mode: 0o755 });
  expect(await build.run({ KUBEBUILDER_ASSETS: assets })).toMatchObject({
    code: 1,
    err: expect.stringContaining('missing there: kube-controller-manager kube-scheduler.'),
  });
  for (const name of ['kube-controller-manager', 'kube-scheduler'])
    await writeFile(join(assets, name), '', { mode: 0o755 });
  const expected = { code: 0, out: `${assets}\n`, err: '' };
  expect(await build.run({ KUBEBUILDER_ASSETS: assets })).toEqual(expected);
  expect(await build.run({ KUBEBUILDER_ASSETS: basename(assets) })).toEqual(expected);
});

test('where Go is missing it tells of KUBEBUILDER_ASSETS', async () => {
  await rm(build.program('go'));
  expect((await build.run()).err).toContain('or set KUBEBUILDER_ASSETS to a directory that holds etcd kube-apiserver');
});
