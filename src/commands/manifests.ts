/** `holdfast manifests`: the CustomResourceDefinitions, the RBAC roles and the admission policies, generated from what the code declares. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Argument } from 'commander';
import { controllers } from '../controllers.ts';
import { customResources } from '../custom-resources.ts';
import {
  type Agents,
  admissionFiles,
  crdFiles,
  DEFAULT_AGENTS,
  type ManifestFile,
  rbacFiles,
} from '../kit/manifests/files.ts';
import { flag } from './flags/flag.ts';
import { listOf } from './flags/list.ts';
import { runs } from './flags/options.ts';
import { text } from './flags/text.ts';
import type { Define } from './line/command.ts';
import { addExamples } from './line/help.ts';

const flags = {
  outputDir: flag('--output-dir', 'write files into this directory instead of printing', text('directory', 'deploy')),
  namespace: flag(
    '--namespace',
    'the namespace that agents run in, for the policies that hold them to their nodes',
    text('namespace', 'storage'),
    { default: DEFAULT_AGENTS.namespace },
  ),
  serviceAccount: flag(
    '--service-account',
    'the service account of agents; otherwise it is named like their roles',
    text('name', 'holdfast-devices'),
    { emptyIsUnset: true },
  ),
  secretNamespaces: flag(
    '--secret-namespaces',
    'the namespaces whose Secrets agents may read, as they are given to holdfast lvm: a Role for each; otherwise one Role that names none, to be put into each of them',
    listOf(text('namespace', 'storage')),
    { emptyIsUnset: true },
  ),
};

interface Deployment extends Agents {
  readonly secretNamespaces?: readonly string[] | undefined;
}

const FILES = {
  crds: () => crdFiles(customResources),
  rbac: ({ secretNamespaces }: Deployment) => rbacFiles(controllers, secretNamespaces),
  admission: (deployment: Deployment) => admissionFiles(controllers, deployment),
  all: (deployment: Deployment) => [
    ...crdFiles(customResources),
    ...rbacFiles(controllers, deployment.secretNamespaces),
    ...admissionFiles(controllers, deployment),
  ],
};

export const define: Define = (command, terminal) => {
  const what = new Argument('[what]', 'which of them').choices(Object.keys(FILES)).default('all');
  command.usage('[crds|rbac|admission|all] [flags]').addArgument(what);
  addExamples(command, {
    'holdfast manifests crds | kubectl apply --server-side -f -': 'add our kinds of objects to a cluster',
    'holdfast manifests rbac': 'the rights that each controller asks for',
    'holdfast manifests rbac --secret-namespaces=keys,storage':
      'with a Role for lvm in both, to read the keys of encrypted volumes',
    'holdfast manifests admission --namespace=storage': 'what keeps the agent of a node from writing what is of others',
    'holdfast manifests all --output-dir deploy': 'one file for each',
  });
  runs(command, flags, terminal, async ({ outputDir, ...deployment }) => {
    const chosen = command.processedArgs[0] as keyof typeof FILES;
    const files = FILES[chosen](deployment);
    if (files.length === 0) terminal.stderr.write(`This version of Holdfast has no ${chosen}.\n`);
    else if (outputDir === undefined) terminal.stdout.write(files.map((file) => file.text).join('---\n'));
    else for (const file of files) terminal.stdout.write(`${await write(outputDir, file)}\n`);
  });
};

async function write(directory: string, file: ManifestFile): Promise<string> {
  const path = join(directory, file.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.text);
  return path;
}
