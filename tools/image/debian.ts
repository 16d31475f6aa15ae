/** Debian packages, fetched as for a machine that has none, and unpacked. Nothing is installed, and nothing of them is run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { DEBIAN } from './contents.ts';

const run = promisify(execFile);

/** One that was fetched. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly source: string;
  readonly file: string;
  /** As the package has it. */
  readonly control: string;
}

export interface PackageList {
  /** What they depend on comes with them. */
  readonly packages: readonly string[];
  /** Names of what is left out, or patterns of them. */
  readonly without: readonly string[];
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Fetched once for a list: who builds again from the same cache builds the same. `fresh` fetches what is newest. */
export async function fetchPackages(
  { packages, without }: PackageList,
  fresh: boolean,
): Promise<readonly DebianPackage[]> {
  const recipe = JSON.stringify([DEBIAN, packages, process.arch]);
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const directory = join(cache, 'holdfast/image', `${DEBIAN.suite}-${key}`);
  if (fresh) await rm(directory, { recursive: true, force: true });
  if (!existsSync(directory)) await download(packages, directory);
  const files = (await readdir(directory)).filter((name) => name.endsWith('.deb')).sort();
  const all = await Promise.all(files.map((name) => packageIn(join(directory, name))));
  return all.filter(({ name }) => !without.some((pattern) => matchesGlob(name, pattern)));
}

/** The directory is there when all of it is. */
async function download(packages: readonly string[], directory: string): Promise<void> {
  const work = `${directory}.${process.pid}`;
  await mkdir(join(work, 'state/lists/partial'), { recursive: true });
  await mkdir(join(work, 'cache/archives/partial'), { recursive: true });
  await writeFile(join(work, 'status'), '');
  await writeFile(join(work, 'sources.list'), sources());
  await writeFile(join(work, 'apt.conf'), configuration(work));
  const apt = (...args: string[]) =>
    run('apt-get', ['-qq', '-y', '-c', join(work, 'apt.conf'), ...args], { maxBuffer: 2 ** 26 });
  try {
    await apt('update');
    await apt('install', '--download-only', ...packages);
    await rename(join(work, 'cache/archives'), directory);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function sources(): string {
  const { suite, mirror } = DEBIAN;
  const line = (path: string, name: string) => `deb [signed-by=${KEYRING}] ${mirror}/${path} ${name} main\n`;
  return [line('debian', suite), line('debian', `${suite}-updates`), line('debian-security', `${suite}-security`)].join(
    '',
  );
}

/** What the machine's own configuration runs after downloads is for its own packages. */
const configuration = (work: string): string => `
Dir::State "${work}/state";
Dir::State::status "${work}/status";
Dir::Cache "${work}/cache";
Dir::Etc::sourcelist "${work}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "-";
APT::Architecture "${architecture()}";
APT::Install-Recommends "false";
APT::Sandbox::User "${userInfo().username}";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Architectures;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
`;

/** As Debian, and as the specification of images, call this machine's. */
export function architecture(): 'amd64' | 'arm64' {
  if (process.arch === 'x64') return 'amd64';
  if (process.arch === 'arm64') return 'arm64';
  throw new Error(`there is no Node.js in package.json for ${process.arch}`);
}

async function packageIn(file: string): Promise<DebianPackage> {
  const { stdout: control } = await run('dpkg-deb', ['-f', file]);
  const field = (name: string) => control.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? '';
  const [name, version] = [field('Package'), field('Version')];
  if (name === '' || version === '') throw new Error(`${basename(file)} does not say what it is`);
  return { name, version, architecture: field('Architecture'), source: field('Source') || name, file, control };
}

export async function unpack(packages: readonly DebianPackage[], directory: string): Promise<void> {
  for (const { file } of packages) await run('dpkg-deb', ['-x', file, directory]);
}
