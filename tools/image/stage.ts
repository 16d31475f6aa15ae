/** Lays out the files of an image in directories, one for each of its layers. What changes least is lowest, so that it is pulled once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, glob, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { COMMANDS, CONTENTS, type Image, PATHS } from './contents.ts';
import { type DebianPackage, fetchPackages, unpack } from './debian.ts';
import { type NpmPackage, npmPackages } from './npm-packages.ts';
import { type Made, spdx } from './sbom.ts';
import { tar } from './tar.ts';
import { treeOf } from './tree.ts';

const root = resolve(import.meta.dirname, '../..');

/** Manuals, translations, and what only an installation would use. The licences of all packages stay. */
const LEFT_OUT = [
  'usr/share/{man,locale,info,lintian,bug,bash-completion,zsh,initramfs-tools,base-files,readline}',
  'usr/share/doc/**/!(copyright)',
  'usr/lib/*/gconv',
  'usr/{games,include,src}',
  'usr/lib/{init,systemd,tmpfiles.d,sysctl.d}',
  'etc/{init.d,cron.*,default,logrotate.d,initramfs-tools,pam.d,skel,profile.d,update-motd.d,kernel,dpkg,apt}',
  // Needs the largest library of all, for a check that is not used.
  'usr/sbin/xfs_scrub*',
  'boot',
  'home',
  'var/{backups,lock}',
];

export interface Layer {
  readonly name: string;
  readonly directory: string;
  /** Those of packages are as old as can be, so that they are the same layers in each release that has the same packages. */
  readonly mtime: number;
}

export interface Staged {
  readonly layers: readonly Layer[];
  readonly packages: readonly DebianPackage[];
  readonly sbom: string;
}

export interface Program extends Made {
  /** The bundle. */
  readonly file: string;
  /** The directory that the page of the console was built to. */
  readonly page: string;
  /** Fetch packages anew. */
  readonly fresh: boolean;
}

/** Everything is below `directory`, which is to be empty. */
export async function stage(
  images: readonly Image[],
  program: Program,
  directory: string,
): Promise<ReadonlyMap<Image, Staged>> {
  const base = await fetchPackages(CONTENTS.cluster, program.fresh);
  const libraries = { name: 'libraries', directory: join(directory, 'libraries'), mtime: 0 };
  await stageLibraries(base, libraries.directory);
  const staged = new Map<Image, Staged>();
  for (const image of images) {
    const isBase = ({ name }: DebianPackage) => base.some((other) => other.name === name);
    const more = image === 'cluster' ? [] : await fetchPackages(CONTENTS[image], program.fresh);
    const own = more.filter((each) => !isBase(each));
    const tools = { name: 'tools', directory: join(directory, `tools-${image}`), mtime: 0 };
    await stagePackages(own, tools.directory);
    const top = { name: 'program', directory: join(directory, `program-${image}`), mtime: program.epoch };
    const packages = [...base, ...own];
    const sbom = spdx(image, packages, npmPackages(), program);
    await stageProgram(top.directory, program, sbom);
    staged.set(image, { layers: [libraries, ...(own.length > 0 ? [tools] : []), top], packages, sbom });
  }
  return staged;
}

/** The layers of an image as one directory, as a container sees them: owners and rights are those that the archive has. */
export async function flatten({ layers }: Staged, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const { directory, mtime } of layers) {
    const reader = spawn('tar', ['-xpf', '-', '-C', into], { stdio: ['pipe', 'inherit', 'inherit'] });
    const ended = once(reader, 'exit');
    await pipeline(tar(treeOf(directory, mtime)), reader.stdin);
    const [code] = await ended;
    if (code !== 0) throw new Error(`tar could not unpack a layer of ${into}`);
  }
}

async function stagePackages(packages: readonly DebianPackage[], directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await unpack(packages, directory);
  for await (const path of glob(LEFT_OUT, { cwd: directory })) await leaveOut(join(directory, path));
  // Scanners know which packages there are by this, where no package manager is.
  for (const { name, control } of packages) await put(directory, `/var/lib/dpkg/status.d/${name}`, control);
}

async function leaveOut(path: string): Promise<void> {
  if (path.includes('/usr/share/doc/') && (await hasCopyright(path))) return;
  await rm(path, { recursive: true, force: true });
}

async function hasCopyright(path: string): Promise<boolean> {
  for await (const _ of glob('**/copyright', { cwd: path })) return true;
  return false;
}

/** With Node.js, the certificates as one file, and the two users. */
async function stageLibraries(packages: readonly DebianPackage[], directory: string): Promise<void> {
  await stagePackages(packages, directory);
  await put(directory, PATHS.certificates, await certificates(directory));
  await rm(join(directory, 'usr/share/ca-certificates'), { recursive: true });
  await put(
    directory,
    '/etc/passwd',
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n',
  );
  await put(directory, '/etc/group', 'root:x:0:\nnonroot:x:65532:\n');
  await put(directory, '/etc/nsswitch.conf', 'hosts: files dns\n');
  const node = join(root, 'node_modules', `node-linux-${process.arch}`);
  await mkdir(dirname(join(directory, PATHS.node)), { recursive: true });
  await copyFile(join(node, 'bin/node'), join(directory, PATHS.node));
  await chmod(join(directory, PATHS.node), 0o755);
  await put(directory, '/usr/share/doc/node/copyright', await readFile(join(node, 'LICENSE')));
}

async function certificates(directory: string): Promise<string> {
  const files = await Array.fromAsync(glob('usr/share/ca-certificates/mozilla/*.crt', { cwd: directory }));
  if (files.length === 0) throw new Error('the package ca-certificates has no certificates where they used to be');
  return files
    .sort()
    .map((file) => `${readFileSync(join(directory, file), 'utf8').trim()}\n`)
    .join('');
}

async function stageProgram(directory: string, { file, page }: Program, sbom: string): Promise<void> {
  await put(directory, PATHS.program, withInterpreter(await readFile(file, 'latin1')), 0o755);
  for await (const name of glob('*.{html,js,css}', { cwd: page }))
    await put(directory, `${PATHS.page}/${name}`, await readFile(join(page, name)));
  for (const command of COMMANDS) {
    await mkdir(dirname(join(directory, command)), { recursive: true });
    await symlink(relative(dirname(command), PATHS.program), join(directory, command));
  }
  await put(directory, PATHS.sbom, sbom);
  await put(directory, '/usr/share/doc/holdfast/copyright', await readFile(join(root, 'LICENSE')));
  for (const each of npmPackages()) await putLicences(directory, each);
}

/** There is no `env` in the image that could look for Node.js. Parts of the bundle are found from its end: its first line may change. */
function withInterpreter(bundle: string): Buffer {
  const [line = ''] = bundle.split('\n', 1);
  const flags = line.match(/^#!\/usr\/bin\/env -S node (\S+)$/)?.[1];
  if (flags === undefined) throw new Error(`the bundle begins with ${JSON.stringify(line)}, which is not understood`);
  return Buffer.from(`#!${PATHS.node} ${flags}${bundle.slice(line.length)}`, 'latin1');
}

/** Its code is in the bundle, so its licence has to be with it. */
async function putLicences(directory: string, { name, path }: NpmPackage): Promise<void> {
  for await (const file of glob('{LICENSE,LICENCE,NOTICE,COPYING}*', { cwd: path })) {
    const text = await readFile(join(path, file)).catch(() => undefined);
    if (text) await put(directory, `/usr/share/doc/holdfast/npm/${name}/${file}`, text);
  }
}

async function put(directory: string, path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const file = join(directory, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, mode);
}
