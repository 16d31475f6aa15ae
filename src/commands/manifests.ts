/** `holdfast manifests`: the CustomResourceDefinitions and the RBAC roles, generated from what the code declares. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Argument } from 'commander';
import { controllers } from '../controllers.ts';
import { customResources } from '../custom-resources.ts';
import { crdFiles, type ManifestFile, rbacFiles } from '../kit/manifests/files.ts';
import { flag } from './flags/flag.ts';
import { runs } from './flags/options.ts';
import { text } from './flags/text.ts';
import type { Define } from './line/command.ts';
import { addExamples } from './line/help.ts';

const flags = {
  outputDir: flag('--output-dir', 'write files into this directory instead of printing', text('directory', 'deploy')),
};

const FILES = {
  crds: () => crdFiles(customResources),
  rbac: () => rbacFiles(controllers),
  all: () => [...crdFiles(customResources), ...rbacFiles(controllers)],
};

export const define: Define = (command, terminal) => {
  const what = new Argument('[what]', 'which of them').choices(Object.keys(FILES)).default('all');
  command.usage('[crds|rbac|all] [flags]').addArgument(what);
  addExamples(command, {
    'holdfast manifests crds | kubectl apply --server-side -f -': 'add our kinds of objects to a cluster',
    'holdfast manifests rbac': 'the rights that each controller asks for',
    'holdfast manifests all --output-dir deploy': 'one file for each',
  });
  runs(command, flags, terminal, async ({ outputDir }) => {
    const chosen = command.processedArgs[0] as keyof typeof FILES;
    const files = FILES[chosen]();
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
