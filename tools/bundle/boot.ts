/**
 * The first lines of the bundle. The rest of the file is its parts, each a comment line with compressed code, which Node's
 * parser skips; these lines hand a part to Node when it is first imported. So a command pays only for what it uses,
 * however much the file holds.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Index } from './pack.ts';
import { startAnewIfBetter } from './start-anew.ts';

/** Stands before these lines, see pack.ts. */
declare const PARTS: Index;

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`holdfast: this is Node.js ${process.version}, and Node.js ${OLDEST_NODE} or newer is needed\n`);
  process.exit(1);
}

startAnewIfBetter();

const self = import.meta.url;

/** Reads nothing but the part: all of the text, even if it is let go, is memory that a small container does not have. */
function textOf({ fromEnd, length }: Index[string]): string {
  const file = openSync(fileURLToPath(self), 'r');
  try {
    const text = Buffer.allocUnsafe(length);
    readSync(file, text, 0, length, fstatSync(file).size - fromEnd);
    return text.toString('latin1');
  } finally {
    closeSync(file);
  }
}

/** A part goes by the URL of the bundle with its name added: stack traces show it, and a file next to the bundle is never taken for it. */
const urlOf = (specifier: string): string => `${self}?part=${specifier.slice(2)}`;
const specifierOf = (url: string): string | undefined =>
  url.startsWith(`${self}?part=`) ? `./${url.slice(`${self}?part=`.length)}` : undefined;

registerHooks({
  resolve(specifier, context, next) {
    const fromWithin = context.parentURL === self || specifierOf(context.parentURL ?? '') !== undefined;
    if (!fromWithin || !Object.hasOwn(PARTS, specifier)) return next(specifier, context);
    return { url: urlOf(specifier), format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const part = PARTS[specifierOf(url) ?? ''];
    if (part === undefined) return next(url, context);
    return { source: brotliDecompressSync(Buffer.from(textOf(part), 'base64')), format: 'module', shortCircuit: true };
  },
});

const entry: string = './main.js';
await import(entry);
