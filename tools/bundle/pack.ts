/** Packs the modules that esbuild made into one file that Node can start. */
import { brotliCompressSync, constants } from 'node:zlib';

export interface Part {
  readonly name: string;
  readonly code: string;
}

/** Beyond this it takes ten times as long to save a tenth more. */
const QUALITY = 9;

export function pack(boot: string, parts: readonly Part[]): string {
  const lines = parts.map(({ name, code }) => `//part ${name} ${compressed(withRequire(code))}`);
  return `#!/usr/bin/env node\n${boot}${lines.join('\n')}\n`;
}

function compressed(code: string): string {
  return brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }).toString('base64');
}

/** CommonJS packages load Node's own modules with `require`, which a module does not have by itself. */
function withRequire(code: string): string {
  if (!/\b__require\d* = /.test(code)) return code;
  return `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);\n${code}`;
}
