/**
 * The first lines of the bundle. The rest of the file is its parts, each a comment line with compressed code, which Node's
 * parser skips; these lines hand a part to Node when it is first imported. So a command pays only for what it uses,
 * however much the file holds.
 */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`holdfast: this is Node.js ${process.version}, and Node.js ${OLDEST_NODE} or newer is needed\n`);
  process.exit(1);
}

const self = import.meta.url;
const lines = readFileSync(fileURLToPath(self), 'latin1').matchAll(/^\/\/part (\S+) (\S+)$/gm);
const parts = new Map(Array.from(lines, ([, name = '', packed = '']) => [`./${name}`, packed]));

/** A part goes by the URL of the bundle with its name added: stack traces show it, and a file next to the bundle is never taken for it. */
const urlOf = (specifier: string): string => `${self}?part=${specifier.slice(2)}`;
const specifierOf = (url: string): string | undefined =>
  url.startsWith(`${self}?part=`) ? `./${url.slice(`${self}?part=`.length)}` : undefined;

modules.registerHooks({
  resolve(specifier, context, next) {
    const fromWithin = context.parentURL === self || specifierOf(context.parentURL ?? '') !== undefined;
    if (!fromWithin || !parts.has(specifier)) return next(specifier, context);
    return { url: urlOf(specifier), format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const packed = parts.get(specifierOf(url) ?? '');
    if (packed === undefined) return next(url, context);
    return { source: brotliDecompressSync(Buffer.from(packed, 'base64')), format: 'module', shortCircuit: true };
  },
});

const entry: string = './main.js';
await import(entry);
