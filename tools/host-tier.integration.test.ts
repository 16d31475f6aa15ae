/** host-tier.sh on machines that lack something. Stand-ins take the place of the programs that it looks for. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BareCheckout } from '../test/harness/bare-checkout.ts';

const SCRIPT = readFileSync(resolve(import.meta.dirname, 'host-tier.sh'), 'utf8');
const NEEDED = (/^PROGRAMS="([^"]+)"$/m.exec(SCRIPT)?.[1] ?? '').split(/\s+/);

/** Everything is there, unless told otherwise. */
const MACHINE = {
  ...Object.fromEntries(NEEDED.map((name) => [name, ''])),
  uname: 'echo Linux',
  id: 'echo 0',
  losetup: 'echo /dev/loop0',
};

let checkout: BareCheckout;
beforeEach(async () => {
  checkout = await BareCheckout.of('host-tier.sh', ['bash', 'dirname']);
  await checkout.machine(MACHINE);
  await checkout.put('node_modules/.bin/vitest', 'echo "vitest $*"');
});
afterEach(() => checkout[Symbol.asyncDispose]());

test('runs the tests where everything is there', async () => {
  expect(await checkout.run()).toEqual({ code: 0, out: 'vitest run --project host\n', err: '' });
});

test.each([
  ['is not root', { id: 'echo 1000' }, /only root may. Run: sudo make host/],
  ['is no Linux', { uname: 'echo Darwin' }, /they need Linux, and this is Darwin/],
  ['has no loop devices', { losetup: 'echo denied >&2; exit 1' }, /no loop device can be made here/],
])('says so where one %s, and fails in CI', async (_, bodies, why) => {
  await checkout.machine(bodies);
  expect(await checkout.run()).toEqual({ code: 0, out: '0 passed, 0 failed\n', err: expect.stringMatching(why) });
  expect(await checkout.run({ CI: 'true' })).toEqual({
    code: 1,
    out: '0 passed, 1 failed\n',
    err: expect.stringMatching(why),
  });
});
