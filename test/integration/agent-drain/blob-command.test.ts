import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NODE_FLAGS } from '../../../tools/bundle/pack.ts';
import { BUILT } from '../../harness/built.ts';
import { type Pool, startPool } from './agent-process.ts';

async function blob(pool: Pool, args: readonly string[], input = Buffer.alloc(0)) {
  const agents = pool.agents.map(({ peer }) => `--agent=${peer.name}=${peer.url}`);
  const all = [...NODE_FLAGS, BUILT, 'blob', ...args, ...agents, '--token-file', pool.tokenFile];
  const child = spawn(process.execPath, all, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

test('people put, get, list, look at and remove blobs', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdfast-blob-'));
  await using pool = await startPool(directory.path, ['p-0', 'p-1', 'p-2']);
  const file = (name: string) => join(directory.path, name);
  const bytes = Buffer.alloc(1_000_000, 'some bytes\0\xff', 'latin1');
  await writeFile(file('in'), bytes);

  const put = await blob(pool, ['put', 'photos/ä cat.jpg', file('in')]);
  expect({ code: put.code, err: put.err }).toEqual({ code: 0, err: '' });
  expect(put.out.toString()).toMatch(/^photos\/ä cat\.jpg: 1000000 bytes stored at p-\d\n$/);
  expect((await blob(pool, ['put', 'photos/ä cat.jpg', file('in')])).out.toString()).toMatch(
    /were stored before, at p-\d/,
  );
  expect((await blob(pool, ['put', '..', '-'], Buffer.from('from a pipe'))).code).toBe(0);

  expect((await blob(pool, ['get', 'photos/ä cat.jpg', file('out')])).code).toBe(0);
  expect(await readFile(file('out'))).toEqual(bytes);
  expect((await blob(pool, ['get', '..', '-'])).out.toString()).toBe('from a pipe');

  const listed = (await blob(pool, ['ls', '-o', 'json'])).out.toString().trim().split('\n');
  expect(listed.map((line) => JSON.parse(line).key).toSorted()).toEqual(['..', 'photos/ä cat.jpg']);
  expect((await blob(pool, ['ls', '--prefix', 'photos/'])).out.toString()).toMatch(
    /^ +1000000 {2}[0-9a-f]{64} {2}photos\/ä cat.jpg\n$/,
  );
  expect((await blob(pool, ['stat', '..'])).out.toString()).toMatch(
    /^key: +\.\.\nsize: +11\nsha256: +[0-9a-f]{64}\nagents: +p-\d\n$/,
  );

  const conflict = await blob(pool, ['put', '..', file('in')]);
  expect(conflict.code).toBe(1);
  expect(conflict.err).toMatch(/the agent p-\d holds other bytes under the key "\.\."/);

  expect((await blob(pool, ['rm', '..', 'photos/ä cat.jpg'])).code).toBe(0);
  const gone = await blob(pool, ['get', '..', file('gone')]);
  expect(gone.code).toBe(1);
  expect(gone.err).toMatch(/there is no blob "\.\." in the pool: every agent was asked/);
  expect(await readdir(directory.path)).toEqual(expect.not.arrayContaining(['gone']));
});
