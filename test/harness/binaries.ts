/** Where the control plane's binaries are: the directory that `make control-plane` fills, or KUBEBUILDER_ASSETS. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtByGo } from '../../tools/go-build.ts';

const CONTROL_PLANE = { name: 'control-plane', module: 'k8s.io/kubernetes', sources: ['main.go'] };

export function controlPlaneBinaries(environment: NodeJS.ProcessEnv = process.env): string {
  const assets = environment.KUBEBUILDER_ASSETS;
  return assets ? mustHoldBinaries(assets) : builtByGo(CONTROL_PLANE, environment);
}

function mustHoldBinaries(directory: string): string {
  if (existsSync(join(directory, 'kube-apiserver'))) return directory;
  throw new Error(`KUBEBUILDER_ASSETS is ${directory}, but there is no kube-apiserver in it: unset it or correct it`);
}
