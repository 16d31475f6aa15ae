/** A process that wipes one device as the job does, from what its record on the disk says, and can be killed where it is told to be. */
import { readFile } from 'node:fs/promises';
import type { WipeMethod } from '../../src/devices/contract.ts';
import type { WipeRecord } from '../../src/devices/ledger/entry.ts';
import { wipeHeld } from '../../src/devices/wiping.ts';
import { type Clock, systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';

export interface WipeProcessOrder {
  readonly path: string;
  readonly method: WipeMethod;
  /** Where its record is kept. */
  readonly record: string;
  /** Writes by itself what the kernel could do. */
  readonly isDirect: boolean;
  /** Kills itself, as `kill -9` would, when this part of the work has been written, with whatever else is under way. */
  readonly killedAtProgress?: number;
  /** Or when its n-th record, the first being 1, is on the disk. */
  readonly killedAtRecord?: number;
}

/** Each checkpoint falls due at once, so that a small device has some. */
const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 10_000 };

const order = JSON.parse(process.argv[2] ?? '') as WipeProcessOrder;
const host = realHost({ clock: systemClock });
const { path, method } = order;
await using device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
const facts = await device.facts();
let records = 0;
await wipeHeld(
  device,
  { path, facts: { ...facts, ...(order.isDirect && { writeZeroesMaxBytes: 0 }) } },
  { wipeMethod: method, wipeVerify: 'all' },
  await recorded(order.record),
  {
    commands: host,
    clock,
    async record(wipe) {
      await host.files.writeAtomic(order.record, JSON.stringify(wipe));
      if (++records === order.killedAtRecord) kill();
    },
    progress(done, of) {
      if (order.killedAtProgress !== undefined && done / of >= order.killedAtProgress) kill();
    },
  },
  new AbortController().signal,
);

async function recorded(file: string): Promise<WipeRecord | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as WipeRecord);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}
