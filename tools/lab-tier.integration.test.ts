/** lab-tier.sh on machines that lack something, and with parts that end in every way. Stand-ins take the place of what it runs. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BareCheckout } from '../test/harness/bare-checkout.ts';

const REAL = ['bash', 'dirname', 'mktemp', 'rm', 'tee', 'tail', 'grep', 'awk'];

let checkout: BareCheckout;
beforeEach(async () => {
  checkout = await BareCheckout.of('lab-tier.sh', REAL);
  await checkout.machine({ uname: 'echo Linux x86_64', 'apt-get': '', 'dpkg-deb': '' });
  await checkout.put('tools/lab/build.sh', 'echo /somewhere');
  await inside('echo "2 passed, 0 failed"');
  await checkout.put('node_modules/.bin/vitest', 'echo "3 passed, 0 failed"');
});
afterEach(() => checkout[Symbol.asyncDispose]());

const inside = (body: string) => checkout.put('tools/lab/boot.sh', `[ "$1" = true ] && exit; ${body}`);

async function run(env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await checkout.run(env);
  return { code, out: out.trimEnd().split('\n'), err };
}

test('the last line counts the tests of all parts', async () => {
  expect(await run()).toEqual({
    code: 0,
    out: ['2 passed, 0 failed', '3 passed, 0 failed', '3 passed, 0 failed', '8 passed, 0 failed'],
    err: '',
  });
});

test('all parts run, and what fails in one of them fails the tier', async () => {
  await inside('echo "1 passed, 1 failed, 2 skipped"; exit 1');
  expect(await run()).toMatchObject({
    code: 1,
    out: [expect.any(String), expect.any(String), expect.any(String), '7 passed, 1 failed, 2 skipped'],
  });
});

test('a guest that stops in the middle is a failure', async () => {
  await inside('echo "the first test"; exit 125');
  const { code, out } = await run();
  expect(code).toBe(1);
  expect(out.at(-1)).toBe('6 passed, 1 failed');
});

test.each([
  [
    'is no Linux of the right kind',
    () => checkout.put('programs/uname', 'echo Linux aarch64'),
    /and this is Linux aarch64/,
  ],
  ['has no Debian packages', () => checkout.remove('programs/apt-get'), /apt-get is missing here/],
  [
    'cannot build the guest',
    () => checkout.put('tools/lab/build.sh', 'echo no network >&2; exit 1'),
    /no network\n.*could not be built/,
  ],
  ['cannot boot it', () => checkout.put('tools/lab/boot.sh', 'exit 125'), /the guest does not start here/],
])('says so where one %s, and fails in CI', async (_, lack, why) => {
  await lack();
  expect(await run()).toEqual({ code: 0, out: ['0 passed, 0 failed'], err: expect.stringMatching(why) });
  expect(await run({ CI: 'true' })).toEqual({ code: 1, out: ['0 passed, 1 failed'], err: expect.stringMatching(why) });
});
