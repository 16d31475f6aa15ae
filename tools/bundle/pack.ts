/** Packs the modules that esbuild made into one file that Node can start. */
import { brotliCompressSync, constants } from 'node:zlib';

export interface Part {
  readonly name: string;
  readonly code: string;
}

/** Where parts are in the file, by how they are imported. Counted from its end: what is before them holds this index. */
export type Index = Readonly<Record<string, { readonly fromEnd: number; readonly length: number }>>;

/**
 * What the bundle asks of Node.js. Caches fill by objects that outlive their parsing, and V8 takes that for a reason to let its young
 * generation grow to 64 MB; with half of that a cache of 50,000 pods takes a sixth less memory and no more time (bench/kit).
 */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Beyond this it takes ten times as long to save a tenth more. */
const QUALITY = 9;

/** The boot code finds the index under the name `PARTS`. */
export function pack(boot: string, parts: readonly Part[]): string {
  const packed = parts.map(({ name, code }) => ({ name, text: compressed(code) }));
  const lines = packed.map(({ name, text }) => `//part ${name} ${text}\n`).join('');
  const index: Index = Object.fromEntries(
    packed.map(({ name, text }) => [`./${name}`, { fromEnd: lines.length - lines.indexOf(text), length: text.length }]),
  );
  return `#!/usr/bin/env -S node ${NODE_FLAGS.join(' ')}\nconst PARTS=${JSON.stringify(index)};\n${boot}${lines}`;
}

function compressed(code: string): string {
  return brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }).toString('base64');
}
