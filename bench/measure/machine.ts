/** Where figures come from: enough to judge them by, nothing that names the machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  /** Processes that wanted to run in the minute before the run: 0 on a machine of one's own. */
  readonly load: number;
}

export const machine = (): Machine => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform} ${process.arch}`,
  node: process.version,
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
});

/** The versions of what is compared. */
export function versions(): Readonly<Record<string, string>> {
  const packages = ['undici', '@kubernetes/client-node'];
  const goMod = readFileSync(new URL('../../tools/control-plane/go.mod', import.meta.url), 'utf8');
  return {
    ...Object.fromEntries(packages.map((name) => [name, packageVersion(name)])),
    kubernetes: /k8s\.io\/kubernetes v(\S+)/.exec(goMod)?.[1] ?? 'unknown',
  };
}

function packageVersion(name: string): string {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
