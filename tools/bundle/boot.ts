/**
 * The first lines of the bundle. The rest of the file is its parts, each a comment line with compressed code, which Node's
 * parser skips; these lines hand a part to Node when it is first imported. So a command pays only for what it uses,
 * however much the file holds.
 */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { startAnewIfSmall } from './small-container.ts';

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`holdfast: this is Node.js ${process.version}, and Node.js ${OLDEST_NODE} or newer is needed\n`);
  process.exit(1);
}

startAnewIfSmall();

const self = import.meta.url;
/** Where each part is in the file. The text itself is read anew for each: held on to, it would be there as long as the process. */
const parts = new Map(
  Array.from(
    textOfBundle().matchAll(/^\/\/part (\S+) (\S+)$/gm),
    ({ index, 0: line, 1: name = '', 2: packed = '' }) => {
      const end = index + line.length;
      return [`./${Buffer.from(name).toString()}`, { from: end - packed.length, end }];
    },
  ),
);

function textOfBundle(): string {
  return readFileSync(fileURLToPath(self), 'latin1');
}

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
    const part = parts.get(specifierOf(url) ?? '');
    if (part === undefined) return next(url, context);
    const packed = textOfBundle().slice(part.from, part.end);
    return { source: brotliDecompressSync(Buffer.from(packed, 'base64')), format: 'module', shortCircuit: true };
  },
});

const entry: string = './main.js';
await import(entry);
