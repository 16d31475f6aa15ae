/**
 * Makes the console's page out of web/: one script and one style sheet, named after what they hold, and the document that loads them:
 * `node tools/console/build.ts [--outdir DIR] [--force]`. Does nothing where nothing has changed since.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const STAMP = '.made-of';

/** For V8: while nobody waits. Else each function is compiled when it is first called, as by whoever opens the first volume. */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad';

/** The files' names and their sizes as they go over the network. */
export interface Page {
  readonly files: readonly { readonly name: string; readonly compressedBytes: number }[];
}

export async function buildPage(outdir: string): Promise<Page> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { app: 'web/main.tsx' },
    bundle: true,
    write: false,
    outdir: 'dist/console',
    entryNames: '[name].[hash]',
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    banner: { js: COMPILE_AT_ONCE },
    logLevel: 'warning',
  });
  const assets = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const document = documentWith(assets.map(({ name }) => name));
  const files = [...assets, { name: 'index.html', contents: Buffer.from(document) }];
  put(outdir, files);
  return {
    files: files.map(({ name, contents }) => ({ name, compressedBytes: gzipSync(contents, { level: 9 }).length })),
  };
}

/** A server may be reading the old ones: the new directory takes their place at once. */
function put(outdir: string, files: readonly { readonly name: string; readonly contents: Uint8Array }[]): void {
  const fresh = `${outdir}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const { name, contents } of files) writeFileSync(join(fresh, name), contents);
  rmSync(outdir, { recursive: true, force: true });
  renameSync(fresh, outdir);
}

function documentWith(names: readonly string[]): string {
  const named = (ending: string): string => {
    const name = names.find((each) => each.endsWith(ending));
    if (name === undefined) throw new Error(`the page has no ${ending} file`);
    return name;
  };
  return readFileSync(join(root, 'web/index.html'), 'utf8')
    .replace('app.css', named('.css'))
    .replace('app.js', named('.js'));
}

/** Of everything that the page is made of. */
function digest(): string {
  const inputs = ['package-lock.json', 'tools/console/build.ts', 'src/console/model.ts', 'src/kit/backoff.ts'];
  const hash = createHash('sha256');
  for (const file of [...inputs, ...globSync('web/**/*.{ts,tsx,css,html}', { cwd: root }).sort()])
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Says whether it had to be made. */
export async function buildPageIfChanged(outdir: string): Promise<Page | undefined> {
  const stamp = join(outdir, STAMP);
  const now = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return undefined;
  const page = await buildPage(outdir);
  writeFileSync(stamp, now);
  return page;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { outdir: { type: 'string', default: join(root, 'dist/console') }, force: { type: 'boolean' } },
  });
  const page = values.force ? await buildPage(values.outdir) : await buildPageIfChanged(values.outdir);
  if (page) {
    const kilobytes = page.files.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0) / 1000;
    console.log(`${values.outdir}: ${kilobytes.toFixed(1)} kB compressed`);
  }
}
