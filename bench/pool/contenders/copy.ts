/**
 * The least that brings files to another process over loopback: each of several connections carries one file after another, and the next
 * one when the other side has said that it has the last on its disk.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contend } from '../../measure/contender.ts';
import { cpuSecondsOf, SERVER_CPU } from '../cpu.ts';
import { LENGTH_BYTES } from './copy-length.ts';
import { DRAIN } from './drain.ts';

export interface Copy {
  readonly directory: string;
  /** Of each file. */
  readonly sizes: readonly number[];
  readonly connections: number;
}

const RECEIVER = fileURLToPath(import.meta.resolve('./copy-receiver.ts'));

const contend: Contend<Copy> = async ({ directory, sizes, connections }, meter) => {
  const [from, to] = [join(directory, 'copy-from'), join(directory, 'copy-to')];
  for (const each of [from, to]) await mkdir(each);
  const bytes = randomFillSync(Buffer.allocUnsafe(Math.max(...sizes)));
  const files = sizes.map((size, index) => ({ path: join(from, `${index}`), size }));
  for (const { path, size } of files) await writeFile(path, bytes.subarray(0, size), { flush: true });

  const receiver = fork(RECEIVER, [to]);
  const sockets = await connected(receiver, connections);
  const pids = [process.pid, receiver.pid ?? 0];
  const cpu = await meter.measure(DRAIN, async () => {
    const before = cpuSecondsOf(pids);
    const left = files.values();
    await Promise.all(
      sockets.map(async (socket) => {
        for (const file of left) await send(socket, file);
      }),
    );
    return cpuSecondsOf(pids) - before;
  });
  meter.count(SERVER_CPU, cpu);
  for (const socket of sockets) socket.destroy();
  receiver.kill('SIGKILL');
  await once(receiver, 'exit');
  for (const each of [from, to]) await rm(each, { recursive: true });
};

async function connected(receiver: ChildProcess, connections: number): Promise<readonly Socket[]> {
  const [port] = (await once(receiver, 'message')) as [number];
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) await once(socket, 'connect');
  return sockets;
}

async function send(socket: Socket, { path, size }: { readonly path: string; readonly size: number }): Promise<void> {
  const kept = once(socket, 'data');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeDoubleLE(size);
  socket.cork();
  socket.write(length);
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  file.pipe(socket, { end: false });
  file.once('data', () => socket.uncork()); // the length leaves with the first bytes, and costs no packet of its own
  await kept;
}

export default contend;
