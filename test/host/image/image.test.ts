/** The images that `make image` builds, unpacked and started with nothing else around them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, lstatSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/doctor/answer.ts';
import { CLUSTER_CHECKS } from '../../../src/doctor/checks/all.ts';
import { TOOLS } from '../../../src/doctor/needs.ts';
import { type Built, build, programOf, unpackRoots } from '../../../tools/image/build.ts';
import { COMMANDS, type Image, PATHS, TAGS } from '../../../tools/image/contents.ts';
import { BUILT } from '../../harness/built.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { addKind } from '../../integration/kinds.ts';
import { Archive } from './unpacked.ts';

const EPOCH = 1_700_000_000;
const program = programOf(BUILT, false, EPOCH);
const IMAGES: readonly Image[] = ['cluster', 'node'];
const USERS: Readonly<Record<Image, string>> = { cluster: '65532:65532', node: '0:0' };
const nameOf = (tag: string): string =>
  `docker.io/library/holdfast:${[program.version, tag].filter(Boolean).join('-')}`;

let directory: string;
let built: readonly Built[];
let archives: ReadonlyMap<Image, Archive>;

const buildInto = (name: string) =>
  build({ program, out: join(directory, name), repository: 'holdfast', revision: 'abc' });
const rootOf = (image: Image): string => join(directory, `root-${image}`);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-images-'));
  built = await buildInto('first');
  archives = new Map(
    IMAGES.map((image) => [
      image,
      new Archive(join(directory, 'first', `holdfast-${image}.tar`), join(directory, `layout-${image}`)),
    ]),
  );
  archives.get('cluster')?.unpack(nameOf(''), rootOf('cluster'));
  archives.get('node')?.unpack(nameOf('node'), rootOf('node'));
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** As a container would: with the user and the environment of the image, and nothing of this machine but its kernel. */
function inside(image: Image, ...command: string[]): { readonly code: number | null; readonly said: string } {
  const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin' };
  const argv = [`--userspec=${USERS[image]}`, rootOf(image), ...command];
  const { status, stdout, stderr } = spawnSync('/usr/sbin/chroot', argv, { env, encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

test('two builds have the same digests, and are the same files', async () => {
  expect(await buildInto('second')).toMatchObject(built.map(({ name, digest }) => ({ name, digest })));
  for (const image of IMAGES) {
    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) => readFile(join(directory, name, `holdfast-${image}.tar`))),
    );
    expect(first?.equals(second ?? Buffer.alloc(0)), image).toBe(true);
  }
}, 600_000);

test('what the Dockerfile copies is what the archives have, file by file', async () => {
  await unpackRoots(program, join(directory, 'roots'));
  for (const image of IMAGES) {
    expect(listing(join(directory, 'roots', image))).toBe(listing(rootOf(image)));
    const { status } = spawnSync('diff', ['-r', '--no-dereference', join(directory, 'roots', image), rootOf(image)]);
    expect(status, image).toBe(0);
  }
}, 600_000);

const JSON_OF = ['-o', 'json', '--fail-on=error'];
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const answerOf = ({ said }: { readonly said: string }): Answer => JSON.parse(said.slice(said.indexOf('{')));
const verdictOf = ({ checks }: Answer, name: string) => checks.find(({ check }) => check === name)?.verdict;

function subjectsOf(answer: Answer, name: string): readonly string[] {
  const verdict = verdictOf(answer, name);
  return verdict?.is === 'found' ? verdict.findings.map(({ subject }) => subject) : [];
}

/** As the pod of an agent has it: with the processes, the devices and the modules of the machine, in a mount namespace that goes with it. */
function onNode(image: Image, ...command: string[]) {
  const root = rootOf(image);
  const mounts = ['proc', 'sys', 'dev', 'lib/modules'].map((path) => {
    const target = join(root, path);
    return `if [ -d /${path} ]; then mkdir -p ${target}; mount --rbind /${path} ${target}; fi`;
  });
  const script = [...mounts, `exec chroot ${root} "$@"`].join(' && ');
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const argv = ['--mount', '--propagation=private', 'sh', '-c', script, 'sh', ...command];
  const { status, stdout, stderr } = spawnSync('unshare', argv, { env, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return { code: status, said: stdout };
}

test.each(IMAGES)(
  'holdfast doctor --node in the image %s misses the programs that are not in it, and no others',
  (image) => {
    const flags = ['doctor', '--node', '--mount-namespace=own', ...JSON_OF, '--kubeconfig=/nonexistent/config'];
    const answer = answerOf(onNode(image, '/usr/local/bin/holdfast', ...flags));
    const isIn = (name: string) => globSync(`usr/{,local/}{bin,sbin}/${name}`, { cwd: rootOf(image) }).length > 0;
    const lacking = TOOLS.filter(({ name }) => !isIn(name)).map(({ name }) => `program ${name}`);
    expect(subjectsOf(answer, 'tools').toSorted()).toEqual(lacking.toSorted());
    expect(lacking.includes('program lvm')).toBe(image === 'cluster');
    expect(subjectsOf(answer, 'kernel-modules')).not.toContain('kernel module loop');
    expect(verdictOf(answer, 'server-version')).toMatchObject({ is: 'unknown' });
  },
);

const listing = (root: string): string =>
  execFileSync('sh', ['-c', 'find . -printf "%p %y %m %U:%G %l\\n" | sort'], { cwd: root, encoding: 'utf8' });

test('there is a tag for each job, with the entry point and the user that it is to have', () => {
  for (const { name, image, entrypoint, user } of TAGS) {
    const { config } = archives.get(image)?.config(nameOf(name)) ?? {};
    expect(config).toMatchObject({
      Entrypoint: entrypoint,
      User: user,
      WorkingDir: '/app',
      Labels: { 'org.opencontainers.image.version': program.version, 'org.opencontainers.image.revision': 'abc' },
    });
  }
});

describe.each(IMAGES)('in the image %s', (image) => {
  test('holdfast says which version it is', () => {
    const { code, said } = inside(image, '/usr/local/bin/holdfast', 'version');
    expect(said).toContain(`holdfast ${program.version}`);
    expect(said).toContain(`node v${program.nodeVersion}`);
    expect(code).toBe(0);
  });

  test('holdfast doctor looks at a cluster: what is there is seen, and what is not is missed', async () => {
    await using plane = await startControlPlane();
    const kubeconfig = join(rootOf(image), 'tmp/kubeconfig');
    await copyFile(plane.kubeconfig, kubeconfig);
    await chmod(kubeconfig, 0o444);
    const doctor = () =>
      answerOf(inside(image, '/usr/local/bin/holdfast', 'doctor', ...JSON_OF, '--kubeconfig=/tmp/kubeconfig'));
    const before = doctor();
    expect(before.checks.map(({ check }) => check)).toEqual(CLUSTER_CHECKS.map(({ name }) => name));
    expect(before.checks.filter(({ verdict }) => verdict.is === 'unknown')).toEqual([]);
    expect(verdictOf(before, 'server-version')).toMatchObject({ is: 'ok', why: expect.stringMatching(/ v1\.\d+/) });
    expect(subjectsOf(before, 'crds')).toEqual([]);
    await addKind(plane, 'pvpools.pvpool.noobaa.com', '/apis/pvpool.noobaa.com/v1/pvpools');
    await plane.admin.patch(`${CRDS}/pvpools.pvpool.noobaa.com`, { spec: { names: { shortNames: ['pvp'] } } });
    expect(subjectsOf(doctor(), 'crds')).toEqual(['kind PvPool']);
    await rm(kubeconfig);
  });

  test('the page of the console is beside the program, where that looks for it', () => {
    const look = `import('node:fs').then(({ readdirSync }) => console.log(readdirSync('${PATHS.page}').join(' ')))`;
    const { said } = inside(image, PATHS.node, '-e', look);
    for (const part of [/^app\S*\.css$/, /^app\S*\.js$/, /^index\.html$/])
      expect(said.trim().split(' ')).toContainEqual(expect.stringMatching(part));
  });

  test.each([
    ['/pv-labels-operator', 'holdfast topology'],
    ['/local-pv-provisioner', 'holdfast devices'],
    ['/k8s-local-pv', 'holdfast lvm'],
    ['/manager', 'holdfast pool'],
    ['/usr/local/bin/pvsync', 'holdfast sync'],
  ])('%s is %s', (command, usage) => {
    expect(COMMANDS).toContain(command);
    const { code, said } = inside(image, command, '--help');
    expect(said).toContain(`Usage: ${usage} [flags]`);
    expect(code).toBe(0);
  });

  test('node storage-agent.js is the storage agent, in the working directory', () => {
    const change = `process.chdir('${PATHS.workingDirectory}'); process.execve(process.execPath, ['node', 'storage-agent.js', '--help'])`;
    expect(inside(image, PATHS.node, '-e', change).said).toContain('Usage: holdfast storage-agent [flags]');
  });

  test('every program finds its libraries', () => {
    const root = rootOf(image);
    const programs = globSync('usr/{,local/}{bin,sbin}/*', { cwd: root }).filter((path) => isElf(join(root, path)));
    expect(programs).toContain('usr/local/bin/node');
    const incomplete = programs.filter(
      (path) => inside(image, '/lib64/ld-linux-x86-64.so.2', '--list', `/${path}`).code !== 0,
    );
    expect(incomplete).toEqual([]);
  });

  test('no file gives rights away, and none can be written by the user of the image', () => {
    const found = execFileSync(
      'find',
      [rootOf(image), '-xdev', '(', '-perm', '/6000', '-o', '-perm', '-0002', ')', '-printf', '%y %m /%P\n'],
      { encoding: 'utf8' },
    );
    expect(
      found
        .split('\n')
        .filter((line) => line && !line.startsWith('l '))
        .toSorted(),
    ).toEqual(['d 1777 /tmp', 'd 1777 /var/tmp']);
  });

  test('it says what it is made of', () => {
    const bill = JSON.parse(readFileSync(join(rootOf(image), PATHS.sbom), 'utf8'));
    const names: string[] = bill.packages.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['holdfast', 'node', 'zod', 'libc6', 'libatomic1']));
    expect(names.includes('lvm2')).toBe(image === 'node');
    const licences = globSync('usr/share/doc/*/copyright', { cwd: rootOf(image) });
    expect(licences.length).toBeGreaterThan(5);
  });

  test('the authorities of the web are known', () => {
    const script = `const { X509Certificate } = require('node:crypto');
      const all = require('node:fs').readFileSync(process.argv[1], 'latin1').match(/-----BEGIN[^]*?END CERTIFICATE-----/g);
      console.log(all.filter((text) => new X509Certificate(text).ca).length)`;
    expect(Number(inside(image, PATHS.node, '-e', script, PATHS.certificates).said)).toBeGreaterThan(100);
  });
});

test.each([
  ['lvm', 'version'],
  ['thin_check', '--version'],
  ['cryptsetup', '--version'],
  ['mkfs.ext4', '-V'],
  ['resize2fs', '-h'],
  ['mkfs.xfs', '-V'],
  ['xfs_growfs', '-V'],
  ['mkfs.btrfs', '--version'],
  ['btrfs', '--version'],
  ['blkid', '--version'],
  ['nsenter', '--version'],
  ['mount', '--version'],
  ['blkdiscard', '--version'],
  ['chattr', '-V'],
])('the image node has %s, and it runs', (name, flag) => {
  const { said } = inside('node', `/usr/sbin/${name}`, flag);
  const elsewhere = said.includes('No such file') ? inside('node', `/usr/bin/${name}`, flag).said : said;
  expect(elsewhere).toMatch(/\d+\.\d+|[Uu]sage/);
  expect(elsewhere).not.toMatch(/error while loading|No such file/);
});

function isElf(path: string): boolean {
  return lstatSync(path).isFile() && readFileSync(path).subarray(1, 4).toString() === 'ELF';
}
