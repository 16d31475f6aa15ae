import { expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { openedAt } from './signature.ts';
import { contentsAt, signaturesOf } from './signatures.ts';

const NAMES = ['dm-1', 'dm-2', 'dm-3'];
type Reply = { code?: number; stdout?: string; stderr?: string };

/** What is said of three devices, of which blkid finds swap on the second. */
async function asked(wipefs: Reply | undefined, blkid: Reply = { stdout: 'TYPE=swap\n' }, names = NAMES) {
  const machine = new SimulatedMachine(new VirtualClock());
  for (const name of NAMES) machine.addDisk({ name, sizeBytes: 2 ** 20 });
  if (wipefs) machine.install('wipefs', () => wipefs);
  const [, second] = NAMES;
  machine.install('blkid', ({ inherited: [device] }) => (device?.path === `/dev/${second}` ? blkid : { code: 2 }));
  const host = machine.host();
  await using stack = new AsyncDisposableStack();
  const devices = await Promise.all(names.map((name) => host.devices.open(`/dev/${name}`, { access: 'read' })));
  for (const device of devices) stack.use(device);
  const answers = await signaturesOf(host, devices);
  const ran = machine.calls.flatMap(({ verb, target }) => (verb === 'exec' ? [target] : []));
  return { answers, ran };
}

const found = (...devices: string[]): Reply => ({
  stdout: JSON.stringify({ signatures: devices.map((device) => ({ device })) }),
});
const NOTHING = { known: true, value: undefined };
const SWAP = { known: true, value: 'swap' };

it('asks one command about all, and another what is on those on which that finds something', async () => {
  expect(await asked(found('4'))).toEqual({ answers: [NOTHING, SWAP, NOTHING], ran: ['wipefs', 'blkid'] });
  expect(await asked(found())).toEqual({ answers: [NOTHING, NOTHING, NOTHING], ran: ['wipefs'] });
});

it('asks about a single one at once', async () =>
  expect(await asked(found(), undefined, ['dm-2'])).toEqual({ answers: [SWAP], ran: ['blkid'] }));

it.each<[string, Reply | undefined]>([
  ['is not there', undefined],
  ['fails', { code: 1, stderr: 'wipefs: error: /proc/self/fd/4: probing initialization failed\n' }],
  ['has something to say besides', { ...found(), stderr: 'wipefs: warning\n' }],
  ['tells what is not understood', { stdout: '{"signatures": [{"device": "/dev/dm-2"}]}' }],
  ['tells nothing', {}],
])('asks about each by itself when the command for all %s', async (_, wipefs) => {
  const { answers, ran } = await asked(wipefs);
  expect(answers).toEqual([NOTHING, SWAP, NOTHING]);
  expect(ran.filter((program) => program === 'blkid')).toHaveLength(3);
});

it('tells of each alone that it is unknown', async () => {
  const { answers } = await asked(found('4'), { code: 4 });
  expect(answers).toMatchObject([NOTHING, { known: false }, NOTHING]);
});

it('reads many devices, asks about those that are not blank, and tells of each in its place', async () => {
  const machine = new SimulatedMachine(new VirtualClock());
  const disks = NAMES.map((name) => machine.addDisk({ name, sizeBytes: 2 ** 20 }));
  for (const disk of disks.slice(1)) disk.write(Buffer.from('x'), 1080);
  machine.install('wipefs', () => found('4'));
  machine.install('blkid', () => ({ stdout: 'TYPE=swap\n' }));
  const host = machine.host();
  const look = (...names: string[]) =>
    contentsAt(
      host,
      names.map((name) => `/dev/${name}`),
      (path) => openedAt(host, path, true),
    );
  expect(await look('dm-1', 'dm-9', 'dm-2', 'dm-3')).toEqual([
    NOTHING,
    { known: false, why: expect.stringContaining('/dev/dm-9') },
    NOTHING,
    SWAP,
  ]);
  await using _held = await host.devices.open('/dev/dm-1', { access: 'read', exclusive: true });
  expect(await look('dm-1', 'dm-3')).toMatchObject([{ known: false }, SWAP]);
});
