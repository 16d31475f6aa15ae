/** node-tier.sh on machines that lack something. Stand-ins take the place of the programs that it looks for. */
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BareCheckout } from '../test/harness/bare-checkout.ts';

const MACHINE = {
  uname: 'echo Linux',
  id: 'echo 0',
  readlink: 'echo "pid:[4026531836]"',
  'apt-get': '',
  'dpkg-deb': '',
  losetup: '',
  unshare: 'echo denied >&2; exit 1',
};

let checkout: BareCheckout;
beforeEach(async () => {
  checkout = await BareCheckout.of('node-tier.sh', ['bash', 'dirname', 'tail', 'xargs', 'echo']);
  for (const image of ['cluster', 'node']) await checkout.file(`dist/image/holdfast-${image}.tar`);
  await checkout.machine(MACHINE);
  await checkout.put('node_modules/.bin/node', 'echo /files');
});
afterEach(() => checkout[Symbol.asyncDispose]());

test.each<[string, () => Promise<void>, RegExp]>([
  ['is no Linux', () => checkout.put('programs/uname', 'echo Darwin'), /they need Linux, and this is Darwin/],
  ['is not root', () => checkout.put('programs/id', 'echo 1000'), /only root may. Run: sudo make e2e/],
  ['does not see all processes', () => checkout.put('programs/readlink', 'echo "pid:[1]"'), /only some are seen/],
  ['has no packages of Debian', () => checkout.remove('programs/apt-get'), /apt-get is missing here/],
  [
    'has no image',
    () => checkout.remove('dist/image/holdfast-node.tar'),
    /no dist\/image\/holdfast-node.tar. Run: make image/,
  ],
  [
    'cannot fetch packages',
    () => checkout.put('node_modules/.bin/node', 'exit 1'),
    /the packages of the node could not be fetched/,
  ],
  [
    'has loop devices of others',
    () => checkout.put('programs/losetup', 'printf "/dev/loop1\\n/dev/loop7\\n"'),
    /other loop devices \(\/dev\/loop1 \/dev\/loop7\)/,
  ],
  ['may make no namespaces', async () => {}, /no namespaces can be made here/],
])('says so where one %s, and fails in CI', async (_, change, why) => {
  await change();
  expect(await checkout.run()).toMatchObject({ code: 0, out: '0 passed, 0 failed\n', err: expect.stringMatching(why) });
  expect(await checkout.run({ CI: 'true' })).toMatchObject({
    code: 1,
    out: '0 passed, 1 failed\n',
    err: expect.stringMatching(why),
  });
});

/** The groups of processes are in a directory of the test, and a run whose number begins with ours has one, too. */
async function withProcesses(): Promise<void> {
  const { root } = checkout;
  for (const name of ['sort', 'cat', 'rm']) await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await checkout.put(
    'programs/find',
    `[ "$1" != /sys/fs/cgroup ] || { shift; set -- ${root}/cgroup "$@"; }; exec /usr/bin/find "$@"`,
  );
  await checkout.put(
    'programs/mkdir',
    `for each; do case $each in -p | /dev/*) ;; *) /usr/bin/mkdir -p "$each" ;; esac; done`,
  );
  for (const name of ['rmdir', 'sleep']) await checkout.put(`programs/${name}`, '');
  await checkout.put(
    'programs/kill',
    `echo "$@" > ${root}/killed; /usr/bin/find ${root}/cgroup -name cgroup.procs -delete`,
  );
  await checkout.put(
    'programs/unshare',
    `[ "$3" != true ] || exit 0
     put() { /usr/bin/mkdir -p "${root}/cgroup/$1"; echo "$2" > "${root}/cgroup/$1/cgroup.procs"; }
     put "$NODE_GROUP" 111; put "$NODE_GROUP/pods/one" 222; put "\${NODE_GROUP}1" 333; put "\${NODE_GROUP}1/pods/one" 444`,
  );
}

test('what is left of its own processes is ended, and nothing of another run', async () => {
  await withProcesses();
  expect(await checkout.run()).toMatchObject({ code: 0, err: '' });
  expect(await readFile(join(checkout.root, 'killed'), 'utf8')).toBe('-KILL 111 222\n');
});

test('what cannot be taken away afterwards is told, and fails no run that has passed', async () => {
  await withProcesses();
  await checkout.put('programs/rmdir', 'echo busy >&2; exit 1');
  expect(await checkout.run()).toMatchObject({ code: 0, err: 'busy\n' });
});

test('tests that fail fail the run, however well it is cleaned up', async () => {
  await withProcesses();
  await checkout.put('programs/unshare', '[ "$3" = true ]');
  expect(await checkout.run()).toMatchObject({ code: 1 });
});
