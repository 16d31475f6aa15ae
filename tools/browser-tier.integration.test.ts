/** browser-tier.sh on machines that lack something. Stand-ins take the place of the programs that it looks for. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BareCheckout } from '../test/harness/bare-checkout.ts';

let checkout: BareCheckout;
beforeEach(async () => {
  checkout = await BareCheckout.of('browser-tier.sh', ['bash', 'dirname']);
  await checkout.machine({ id: 'echo 1000' });
  await checkout.put('node_modules/.bin/vitest', 'echo "vitest $* in $CHROMIUM"');
});
afterEach(() => checkout[Symbol.asyncDispose]());

test('runs the tests in the Chromium that is there', async () => {
  await checkout.put('programs/chromium', '');
  const out = `vitest run --project browser in ${join(checkout.root, 'programs/chromium')}\n`;
  expect(await checkout.run()).toEqual({ code: 0, out, err: '' });
});

test('runs them in the one that is named', async () => {
  await checkout.put('other', '');
  const out = `vitest run --project browser in ${join(checkout.root, 'other')}\n`;
  expect(await checkout.run({ CHROMIUM: join(checkout.root, 'other') })).toEqual({ code: 0, out, err: '' });
});

test('root installs one where there is none', async () => {
  await checkout.put('programs/id', 'echo 0');
  const installs = `echo "$*" >&2; /bin/ln -s /bin/true '${checkout.root}/programs/chromium'`;
  await checkout.put('programs/apt-get', `[ "$1" = update ] || { ${installs}; }`);
  const { code, out, err } = await checkout.run();
  expect(err).toContain('Installing chromium');
  expect(err).toContain('chromium fonts-inter');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('vitest run --project browser') });
});

test.each([
  ['there is none and one is not root', {}],
  ['the one that is named is not there', { CHROMIUM: '/nowhere/chromium' }],
])('says so where %s, and fails in CI', async (_, env) => {
  const err = expect.stringMatching(/there is no Chromium. Install it/);
  expect(await checkout.run(env)).toEqual({ code: 0, out: '0 passed, 0 failed\n', err });
  expect(await checkout.run({ ...env, CI: 'true' })).toEqual({ code: 1, out: '0 passed, 1 failed\n', err });
});
