/** Which build of the program this is. The bundler fills it in; from a checkout the version is read from package.json. */
import { readFileSync } from 'node:fs';

export interface BuildInfo {
  readonly version: string;
  /** The git commit that the bundle was made from. A checkout can change under a running program, so there it is not told. */
  readonly commit: string | undefined;
}

/** Replaced by the bundler. Where nothing was bundled these names do not exist at all. */
declare const HOLDFAST_VERSION: string;
declare const HOLDFAST_COMMIT: string;

export function buildInfo(): BuildInfo {
  if (typeof HOLDFAST_VERSION === 'undefined') return { version: versionOfCheckout(), commit: undefined };
  return { version: HOLDFAST_VERSION, commit: HOLDFAST_COMMIT === '' ? undefined : HOLDFAST_COMMIT };
}

function versionOfCheckout(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return version;
}
