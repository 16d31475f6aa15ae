/**
 * Builds the images without a container engine: `node tools/image/build.ts [--out DIRECTORY] [--repository NAME] [--fresh]`. With
 * `--roots DIRECTORY` it only unpacks what is in them there, each in a directory of its own, for a Dockerfile to copy.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PAGE_DIRECTORY } from '../../src/console/static.ts';
import { ENVIRONMENT, type Image, LABELS, PATHS, STOP_SIGNAL, TAGS, type Tag } from './contents.ts';
import { architecture } from './debian.ts';
import { Layout, type NamedImage, type PackedLayer } from './oci.ts';
import { timeOf } from './sbom.ts';
import { flatten, type Program, type Staged, stage } from './stage.ts';
import { treeOf } from './tree.ts';

const root = resolve(import.meta.dirname, '../..');
const IMAGES: readonly Image[] = ['cluster', 'node'];

export interface BuildOptions {
  readonly program: Program;
  readonly out: string;
  /** The name of the images without their tags. */
  readonly repository: string;
  /** Of the commit that they are built from, where it is known. */
  readonly revision?: string | undefined;
}

export interface Built {
  readonly name: string;
  readonly digest: string;
  readonly archive: string;
}

export async function build(options: BuildOptions): Promise<readonly Built[]> {
  const { program, out } = options;
  await mkdir(out, { recursive: true });
  return await inWorkingDirectory(async (work) => {
    const built: Built[] = [];
    for (const [image, staged] of await stage(IMAGES, program, join(work, 'files'))) {
      const archive = join(out, `holdfast-${image}.tar`);
      const images = await packed(image, staged, options, new Layout(join(work, image), program.epoch), archive);
      await writeFile(join(out, `holdfast-${image}.spdx.json`), staged.sbom);
      await writeFile(join(out, `holdfast-${image}.packages`), staged.packages.map(lineOf).join(''));
      built.push(...images);
    }
    return built;
  });
}

const lineOf = ({ name, version }: { readonly name: string; readonly version: string }) => `${name} ${version}\n`;

async function packed(
  image: Image,
  { layers }: Staged,
  options: BuildOptions,
  layout: Layout,
  archive: string,
): Promise<readonly Built[]> {
  const layerBlobs: PackedLayer[] = [];
  for (const { directory, mtime } of layers) layerBlobs.push(await layout.layer(treeOf(directory, mtime)));
  const images = TAGS.filter((tag) => tag.image === image).map((tag) => imageOf(tag, options, layerBlobs));
  const digests = await layout.write(images, archive);
  return images.map(({ name }, index) => ({ name, digest: digests[index] ?? '', archive }));
}

function imageOf(
  tag: Tag,
  { program, repository, revision }: BuildOptions,
  layers: readonly PackedLayer[],
): NamedImage {
  const { version, epoch } = program;
  return {
    name: `${repository}:${[version, tag.name].filter((part) => part !== '').join('-')}`,
    layers,
    config: {
      architecture: architecture(),
      created: timeOf(epoch),
      user: tag.user,
      entrypoint: tag.entrypoint,
      environment: ENVIRONMENT,
      workingDirectory: PATHS.workingDirectory,
      stopSignal: STOP_SIGNAL,
      labels: {
        ...LABELS,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.created': timeOf(epoch),
        ...(revision && { 'org.opencontainers.image.revision': revision }),
      },
    },
  };
}

export async function unpackRoots(program: Program, into: string): Promise<void> {
  await inWorkingDirectory(async (work) => {
    for (const [image, staged] of await stage(IMAGES, program, work)) await flatten(staged, join(into, image));
  });
}

async function inWorkingDirectory<T>(act: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-image-'));
  try {
    return await act(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The program of this checkout, whose bundle and page have to be there. */
export function programOf(file: string, fresh: boolean, epoch: number): Program {
  const page = join(root, PAGE_DIRECTORY);
  for (const part of [file, join(page, 'index.html')])
    if (!existsSync(part)) throw new Error(`${part} is not there: make bundle`);
  const { version, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  return { file, page, fresh, epoch, version, nodeVersion: optionalDependencies[`node-linux-${process.arch}`] ?? '' };
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist/image') },
      repository: { type: 'string', default: 'holdfast' },
      roots: { type: 'string' },
      fresh: { type: 'boolean', default: false },
    },
  });
  // The time of an image is that of what it is made of, not of the day when somebody makes it again.
  const epoch = Number(process.env.SOURCE_DATE_EPOCH || git('log', '-1', '--format=%ct') || 0);
  const program = programOf(join(root, 'dist/holdfast.mjs'), values.fresh, epoch);
  if (values.roots) await unpackRoots(program, values.roots);
  else {
    const revision = git('rev-parse', 'HEAD');
    for (const { name, digest } of await build({ ...values, program, revision })) console.log(`${digest}  ${name}`);
  }
}
