/** The page as it is shipped. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildPage, buildPageIfChanged } from './build.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
afterAll(() => rmSync(root, { recursive: true }));

test('it is three files of less than 150 kB compressed, and nothing in it comes from elsewhere', async () => {
  const outdir = join(root, 'page');
  const { files } = await buildPage(outdir);
  const names = files.map(({ name }) => name.replace(/\.[A-Z0-9]{8}\./, '.HASH.')).sort();
  expect(names).toEqual(['app.HASH.css', 'app.HASH.js', 'index.html']);
  expect(files.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0)).toBeLessThan(150_000);
  const document = readFileSync(join(outdir, 'index.html'), 'utf8');
  for (const [, address = ''] of document.matchAll(/(?:src|href)="([^"]+)"/g))
    expect(address.startsWith('data:') || existsSync(join(outdir, address))).toBe(true);
  expect(document).not.toMatch(/<style|<script(?![^>]*src=)|\sstyle=|\son\w+=/);
});

test('it is made anew only when something of it has changed', async () => {
  const outdir = join(root, 'again');
  expect(await buildPageIfChanged(outdir)).toBeDefined();
  const before = statSync(join(outdir, 'index.html')).mtimeMs;
  expect(await buildPageIfChanged(outdir)).toBeUndefined();
  expect(statSync(join(outdir, 'index.html')).mtimeMs).toBe(before);
  rmSync(join(outdir, '.made-of'));
  expect(await buildPageIfChanged(outdir)).toBeDefined();
  expect(readdirSync(root).sort()).toEqual(['again', 'page']);
});
