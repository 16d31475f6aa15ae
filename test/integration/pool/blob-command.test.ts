/** `holdfast blob --pool`: the agents and the token are found in the cluster, by a person who may read pods and that Secret. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { NODE_FLAGS } from '../../../tools/bundle/pack.ts';
import { BUILT } from '../../harness/built.ts';
import { PoolWorld } from './world.ts';

test('people store and read blobs of a pool by its name, also while one of its agents leaves', async () => {
  await using world = await PoolWorld.start();
  const pool = await world.pool('photos', { numPVs: 2 });
  await pool.isReady(2);
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdfast-blob-'));
  const { kubeconfig } = world.plane;
  const ask = async (...args: readonly string[]): Promise<string> => {
    const line = [...NODE_FLAGS, BUILT, 'blob', ...args, '--kubeconfig', kubeconfig];
    return (await promisify(execFile)(process.execPath, line)).stdout;
  };
  const blob = (...args: readonly string[]) => ask(...args, '--pool', 'photos/photos');
  const [into, out] = [join(directory.path, 'in'), join(directory.path, 'out')];
  await writeFile(into, 'a cat');
  const keys = ['cat 1', 'cat 2', 'cat 3', 'cat 4'];
  for (const key of keys) expect(await blob('put', key, into)).toMatch(/5 bytes stored at photos-sts-[01]/);
  await pool.change({ numPVs: 1 });
  for (const key of keys) {
    await blob('get', key, out);
    expect(await readFile(out, 'utf8')).toBe('a cat');
  }
  await pool.isReady(1);
  expect((await blob('ls')).split('\n')).toHaveLength(keys.length + 1);
  await expect(blob('stat', 'dog')).rejects.toThrow(/there is no blob "dog" in the pool/);
  await expect(ask('ls', '--pool', 'photos/cats')).rejects.toThrow('of a pool cats in the namespace photos');
});
