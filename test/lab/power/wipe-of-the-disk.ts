/**
 * Runs in a guest: wipes /dev/ubda by the method that it is told, with the ledger on /dev/ubdb, and tells of each record and of the
 * end in a line of JSON. It goes on with a wipe that the ledger knows. A bandwidth in MiB per second keeps it from ending too soon.
 */
import type { WipeMethod } from '../../../src/devices/contract.ts';
import { hold } from '../../../src/devices/held.ts';
import { identityOf, keyOf } from '../../../src/devices/identity.ts';
import { Ledger } from '../../../src/devices/ledger/ledger.ts';
import { wipeHeld } from '../../../src/devices/wiping.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { silentLog } from '../../../src/kit/observe/log.ts';
import { host, run, settled } from '../machine.ts';

const DISK = '/dev/ubda';
const tell = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const [wipeMethod, mibPerSecond] = process.argv.slice(2) as [WipeMethod, string | undefined];
await run('mkdir', '-p', '/state');
await run('mount', '/dev/ubdb', '/state');
await settled();
const ledger = await Ledger.open(
  '/state/holdfast',
  { files: host.files, clock: systemClock, log: silentLog },
  async () => [],
);

const held = await hold(host, DISK, 'read-write');
if ('refusal' in held || !held.isHeld) throw new Error(`${DISK} cannot be held`);
await using device = held.device;
const facts = await device.facts();
const identity = identityOf(facts);
const key = keyOf(identity, DISK);
const begun = ledger.get(key)?.wipe;
tell({ begun: begun ?? null });

const receipt = await wipeHeld(
  device,
  { facts, path: DISK },
  { wipeMethod, wipeVerify: 'all' },
  begun,
  {
    commands: host,
    clock: systemClock,
    bandwidth: mibPerSecond ? Number(mibPerSecond) * 2 ** 20 : undefined,
    record: async (wipe) => {
      await ledger.began(key, { identity, path: DISK, boot: 'any' }, wipe);
      tell({ recorded: wipe });
    },
    progress: () => {},
  },
  new AbortController().signal,
);
tell({ receipt });
