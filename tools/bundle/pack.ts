/** Packs the modules that esbuild made into one file that Node can start. */
import { brotliCompressSync, constants } from 'node:zlib';

export interface Part {
  readonly name: string;
  readonly code: string;
}

/**
 * What the bundle asks of Node.js. Caches fill by objects that outlive their parsing, and V8 takes that for a reason to let its young
 * generation grow to 64 MB; with half of that a cache of 50,000 pods takes a sixth less memory and no more time (bench/kit).
 */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Beyond this it takes ten times as long to save a tenth more. */
const QUALITY = 9;

export function pack(boot: string, parts: readonly Part[]): string {
  const lines = parts.map(({ name, code }) => `//part ${name} ${compressed(withRequire(code))}`);
  return `#!/usr/bin/env -S node ${NODE_FLAGS.join(' ')}\n${boot}${lines.join('\n')}\n`;
}

function compressed(code: string): string {
  return brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }).toString('base64');
}

/** CommonJS packages load Node's own modules with `require`, which a module does not have by itself. */
function withRequire(code: string): string {
  if (!/\b__require\d*\s*=/.test(code)) return code;
  return `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);\n${code}`;
}
