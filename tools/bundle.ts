/** Makes the program one file, `dist/holdfast.mjs`, that needs nothing but Node.js: `node tools/bundle.ts [--outfile FILE] [--commit ID] [--source-maps]`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { builtinsOnDemand } from './bundle/builtins.ts';
import { type Part, pack } from './bundle/pack.ts';

export interface BundleOptions {
  readonly outfile: string;
  /** What `holdfast version` tells; left out when it is not known. */
  readonly commit?: string | undefined;
  /** Writes the parts' source maps next to the bundle, where `node --enable-source-maps` finds them. */
  readonly sourceMaps?: boolean;
}

const root = resolve(import.meta.dirname, '..');

/**
 * Names are kept, and lines stay short: a stack trace from a cluster should lead somewhere. Blanks are not, because V8 holds the text of
 * all code that runs: they are megabytes of the 128 Mi that a job may have.
 */
const settings: BuildOptions & { write: false } = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  /** As modules where a package has both: of CommonJS nothing can be left out or loaded later. */
  mainFields: ['module', 'main'],
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'inline',
  logLevel: 'warning',
  plugins: [builtinsOnDemand],
};

export async function bundle({ outfile, commit, sourceMaps = false }: BundleOptions): Promise<readonly Part[]> {
  const files = await modulesOf(commit ?? '', sourceMaps);
  const parts = files.filter(isCode).map(({ path, text }): Part => ({ name: basename(path), code: text }));
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, pack(await bootCode(), parts));
  chmodSync(outfile, 0o755);
  for (const map of files.filter((file) => !isCode(file)))
    writeFileSync(join(dirname(outfile), basename(map.path)), map.text);
  return parts;
}

const isCode = ({ path }: OutputFile): boolean => path.endsWith('.js');

async function modulesOf(commit: string, sourceMaps: boolean): Promise<OutputFile[]> {
  const { outputFiles, metafile } = await build({
    ...settings,
    metafile: true,
    keepNames: true,
    entryPoints: { main: 'src/main.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: '[name]-[hash]',
    sourcemap: sourceMaps ? 'linked' : false,
    define: { HOLDFAST_VERSION: JSON.stringify(version()), HOLDFAST_COMMIT: JSON.stringify(commit) },
  });
  refuseLazyCommonJs(metafile);
  return outputFiles;
}

/** esbuild gives a CommonJS package that is imported lazily no named exports. Node does, so this would only fail in the bundle. */
function refuseLazyCommonJs({ inputs }: Metafile): void {
  for (const [file, { imports }] of Object.entries(inputs)) {
    if (!file.startsWith('src/')) continue;
    const lazy = imports.find(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs');
    if (lazy)
      throw new Error(
        `${file} lazily imports the CommonJS ${lazy.path}: import it in a file of our own, and that file lazily`,
      );
  }
}

async function bootCode(): Promise<string> {
  const { outputFiles } = await build({ ...settings, entryPoints: ['tools/bundle/boot.ts'] });
  return outputFiles.map(({ text }) => text).join('');
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  return manifest.version;
}

/** The commit of the checkout, marked when files differ from it; undefined where there is no git. */
function commitOfCheckout(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '-dirty'}`;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      outfile: { type: 'string', default: join(root, 'dist/holdfast.mjs') },
      commit: { type: 'string' },
      'source-maps': { type: 'boolean', default: false },
    },
  });
  const { outfile, commit = commitOfCheckout(), 'source-maps': sourceMaps } = values;
  const parts = await bundle({ outfile, commit, sourceMaps });
  const kilobytes = Math.round(readFileSync(outfile).length / 1000);
  console.log(`${outfile}: ${kilobytes} kB, ${parts.length} parts, commit ${commit ?? 'unknown'}`);
}
