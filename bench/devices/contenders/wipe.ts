/** Devices wiped by the job's own engine, all at the same time, and read back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WipeMethod } from '../../../src/devices/contract.ts';
import { systemClock as clock } from '../../../src/kit/clock/clock.ts';
import type { OpenDevice } from '../../../src/kit/host/block-device.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { buffersOf } from '../../../src/kit/wipe/buffers.ts';
import { courseOf } from '../../../src/kit/wipe/course.ts';
import { newSeed } from '../../../src/kit/wipe/keystream.ts';
import { Pace } from '../../../src/kit/wipe/pace.ts';
import { widenThreadPool } from '../../../src/kit/wipe/thread-pool.ts';
import { verify } from '../../../src/kit/wipe/verify.ts';
import { wipe } from '../../../src/kit/wipe/wipe.ts';
import type { Contend } from '../../measure/contender.ts';

export interface Wipe {
  readonly paths: readonly string[];
  readonly method: WipeMethod;
  /** The kernel is not asked to write zeroes, as on a device that does not offer it. */
  readonly isWritten: boolean;
  /** Where the record of each wipe is kept. */
  readonly directory: string;
}

export const WIPE = 'wipe';
export const READ_BACK = 'read back';

const contend: Contend<Wipe> = async ({ paths, method, isWritten, directory }, meter) => {
  widenThreadPool(paths.length);
  const host = realHost({ clock });
  await using open = new AsyncDisposableStack();
  const orders: Awaited<ReturnType<typeof orderFor>>[] = [];
  for (const path of paths) {
    const device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
    orders.push(await orderFor(open.use(device)));
  }
  await meter.measure(WIPE, () => Promise.all(orders.map((order) => wipe(order, { clock, commands: host }))));
  meter.count('threads', threads());
  const read = await meter.measure(READ_BACK, () =>
    Promise.all(orders.map((order) => verify({ ...order, buffers: buffersOf(host), verification: 'sample' }))),
  );
  if (read.some((found) => 'faultAt' in found)) throw new Error('what was read back is not what was written');

  async function orderFor(device: OpenDevice) {
    const facts = await device.facts();
    const record = join(directory, facts.name);
    return {
      device,
      facts: { ...facts, ...(isWritten && { writeZeroesMaxBytes: 0 }) },
      course: courseOf(method, facts.sizeBytes),
      seed: newSeed(),
      from: 0,
      pace: new Pace(undefined, clock),
      signal: new AbortController().signal,
      progress: () => {},
      checkpoint: (doneBytes: number) => host.files.writeAtomic(record, JSON.stringify({ method, doneBytes })),
    };
  }
};

const threads = (): number =>
  readdirSync('/proc/self/task').filter((id) =>
    readFileSync(`/proc/self/task/${id}/comm`, 'utf8').startsWith('libuv-worker'),
  ).length;

export default contend;
