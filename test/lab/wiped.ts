/** Wipes a device as the devices job does, and writes down what that tells meanwhile. */
import type { WipeMethod } from '../../src/devices/contract.ts';
import { hold } from '../../src/devices/held.ts';
import type { Receipt, WipeRecord } from '../../src/devices/ledger/entry.ts';
import { wipeHeld } from '../../src/devices/wiping.ts';
import { type Clock, systemClock } from '../../src/kit/clock/clock.ts';
import { host, settled } from './machine.ts';

/** What was told, in order. `meanwhile` happens at each record, before the wipe goes on. */
export class Told {
  readonly records: WipeRecord[] = [];
  readonly progress: number[] = [];
  readonly meanwhile: (record: WipeRecord) => Promise<void>;

  constructor(meanwhile: (record: WipeRecord) => Promise<void> = async () => {}) {
    this.meanwhile = meanwhile;
  }
}

/** Time flies: whenever somebody looks, it is time to write down how far the wipe is. */
function clockOfManyCheckpoints(): Clock {
  let time = 0;
  return { ...systemClock, monotonic: () => (time += 60_000) };
}

export async function wiped(
  path: string,
  wipeMethod: WipeMethod,
  told = new Told(),
  begun?: WipeRecord,
): Promise<Receipt> {
  await settled();
  const held = await hold(host, path, 'read-write');
  if ('refusal' in held || !held.isHeld) throw new Error(`${path} cannot be held`);
  await using device = held.device;
  const parts = {
    commands: host,
    clock: clockOfManyCheckpoints(),
    record: (record: WipeRecord) => {
      told.records.push(record);
      return told.meanwhile(record);
    },
    progress: (doneBytes: number) => void told.progress.push(doneBytes),
  };
  const facts = await device.facts();
  const config = { wipeMethod, wipeVerify: 'all' } as const;
  return await wipeHeld(device, { facts, path }, config, begun, parts, new AbortController().signal);
}
