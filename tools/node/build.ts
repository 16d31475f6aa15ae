/**
 * Makes the root filesystem of a node available, with containerd and runc of Debian's packages, and a small image for pods, and prints its
 * directory: `node tools/node/build.ts`. Does nothing when it is there. Installs nothing on this machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { architecture, fetchPackages, unpack } from '../image/debian.ts';
import { Layout } from '../image/oci.ts';
import { treeOf } from '../image/tree.ts';

const PACKAGES = {
  packages: [
    'base-files',
    'busybox-static',
    'containerd',
    'runc',
    'containernetworking-plugins',
    'iproute2',
    'mount',
    'util-linux',
    'e2fsprogs',
    'libstdc++6',
    'libatomic1',
  ],
  without: ['debconf', 'dpkg', 'tar', 'mawk', 'libpam-*', 'libdb5.3t64'],
};

/** What pods of tests run, and what holds the namespaces of every pod. */
export const BUSYBOX = 'localhost/busybox:1';

/** The directory that has `root` and `busybox.tar` in it. */
export async function nodeFiles(): Promise<string> {
  const recipe = readFileSync(import.meta.filename, 'utf8');
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 12);
  const out = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast/node', key);
  if (existsSync(out)) return out;
  const work = `${out}.${process.pid}`;
  try {
    await buildInto(work);
    await rename(work, out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return out;
}

async function buildInto(directory: string): Promise<void> {
  const root = join(directory, 'root');
  await mkdir(root, { recursive: true });
  await unpack(await fetchPackages(PACKAGES, false), root);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\ndisk:x:6:\n');
  for (const path of ['var/lib/containerd', 'var/lib/kubelet', 'var/lib/cni', 'opt/bin', 'node'])
    await mkdir(join(root, path), { recursive: true });
  await busyboxImage(join(root, 'usr/bin/busybox'), directory);
  // For the script that starts the node.
  await linkAll(join(root, 'usr/bin/busybox'), join(root, 'usr/lib/busybox'), '/usr/bin/busybox');
}

async function busyboxImage(busybox: string, directory: string): Promise<void> {
  const files = join(directory, 'busybox-files');
  await mkdir(join(files, 'bin'), { recursive: true });
  await mkdir(join(files, 'tmp'), { mode: 0o1777 });
  await copyFile(busybox, join(files, 'bin/busybox'));
  await linkAll(busybox, join(files, 'bin'), 'busybox');
  const layout = new Layout(join(directory, 'busybox-layout'), 0);
  const config = {
    architecture: architecture(),
    created: '1970-01-01T00:00:00Z',
    user: '0:0',
    entrypoint: ['/bin/tail', '-f', '/dev/null'],
    environment: { PATH: '/bin' },
    workingDirectory: '/',
    stopSignal: 'SIGKILL',
    labels: {},
  };
  const layers = [await layout.layer(treeOf(files, 0))];
  await layout.write([{ name: BUSYBOX, config, layers }], join(directory, 'busybox.tar'));
  for (const each of [files, join(directory, 'busybox-layout')]) await rm(each, { recursive: true });
}

async function linkAll(busybox: string, into: string, target: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const name of names.filter((each) => each !== 'busybox')) await symlink(target, join(into, name));
}

if (import.meta.main) console.log(await nodeFiles());
