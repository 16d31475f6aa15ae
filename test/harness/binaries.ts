/** Where the control plane's binaries are: the directory that `make control-plane` fills, or KUBEBUILDER_ASSETS. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const RECIPE_DIRECTORY = join(import.meta.dirname, '../../tools/control-plane');
const RECIPE_FILES = ['go.mod', 'go.sum', 'main.go', 'build.sh', '../go-build.sh'];

/** Never builds: that takes minutes and belongs to make, not to a test's time limit. */
export function controlPlaneBinaries(environment: NodeJS.ProcessEnv = process.env): string {
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets) return mustHoldBinaries(assets);
  const cache = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  const directory = join(cache, 'holdfast/control-plane', kubernetesVersion());
  if (builtRecipe(directory) !== currentRecipe()) {
    throw new Error(`no control plane of the present recipe in ${directory}: run \`make control-plane\` first`);
  }
  return directory;
}

function mustHoldBinaries(directory: string): string {
  if (existsSync(join(directory, 'kube-apiserver'))) return directory;
  throw new Error(`KUBEBUILDER_ASSETS is ${directory}, but there is no kube-apiserver in it: unset it or correct it`);
}

function kubernetesVersion(): string {
  const goMod = readFileSync(join(RECIPE_DIRECTORY, 'go.mod'), 'utf8');
  const version = /^(?:require)?\s*k8s\.io\/kubernetes (v\S+)/m.exec(goMod)?.[1];
  if (!version) throw new Error(`${RECIPE_DIRECTORY}/go.mod requires no k8s.io/kubernetes`);
  return version;
}

/** The same digest that build.sh leaves in the directory when its build is complete. */
function currentRecipe(): string {
  const digest = createHash('sha256');
  for (const file of RECIPE_FILES) digest.update(readFileSync(join(RECIPE_DIRECTORY, file)));
  return digest.digest('hex').slice(0, 8);
}

function builtRecipe(directory: string): string | undefined {
  const file = join(directory, 'recipe');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
