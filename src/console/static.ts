/** The files of the page: one page, one script, one style. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

/** Where the page is built to, below the root of the project; beside the program where that is one file. */
export const PAGE_DIRECTORY = 'dist/console';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
};

const UNBUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Holdfast</title>
<h1>The page of the console is not built</h1>
<p>Run <code>make console-page</code> (or <code>node tools/console/build.ts</code>) and load this page again. The API works meanwhile: <a href="/api/hello">/api/hello</a>.</p>
</html>
`;

const compress = promisify(gzip);

export class PageFiles {
  readonly #directories: readonly string[];
  readonly #kept = new Map<string, { readonly mtimeMs: number; readonly file: PageFile }>();

  constructor(directories: readonly string[] = directoriesFrom(import.meta.dirname)) {
    this.#directories = directories;
  }

  /** Nothing for what is no file of the page. */
  async find(path: string): Promise<PageFile | undefined> {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const [, extension = ''] = /^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name) ?? [];
    const type = TYPES[extension];
    if (type === undefined) return undefined;
    for (const directory of this.#directories) {
      const found = await this.#read(join(directory, name), type);
      if (found) return found;
    }
    return name === 'index.html' ? fileOf(Buffer.from(UNBUILT), type) : undefined;
  }

  async #read(file: string, type: string): Promise<PageFile | undefined> {
    try {
      const { mtimeMs } = await stat(file);
      const kept = this.#kept.get(file);
      if (kept?.mtimeMs === mtimeMs) return kept.file;
      const read = await fileOf(await readFile(file), type);
      this.#kept.set(file, { mtimeMs, file: read });
      return read;
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
        return undefined;
      throw error;
    }
  }
}

/** Beside the one file that the program is, or below the project's root. */
const directoriesFrom = (here: string): readonly string[] => [
  join(here, 'console'),
  join(here, '../..', PAGE_DIRECTORY),
];

async function fileOf(body: Buffer, type: string): Promise<PageFile> {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, etag, body, gzipped: await compress(body) };
}
