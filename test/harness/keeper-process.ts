/**
 * The keeper: a process between a test and the programs that it starts. It owns a fresh directory and every program
 * run in it, and when the channel to the test closes, for whatever reason (kill -9 included), it kills the programs,
 * removes the directory and ends. Detached from the terminal, so that Ctrl-C reaches the test only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromKeeper, Run, ToKeeper } from './keeper.ts';

const directory = mkdtempSync(join(memoryOrDisk(), 'holdfast-'));
const running = new Map<number, ChildProcess>();
let leaving = false;

process.on('message', ({ id, order }: ToKeeper) => {
  if ('run' in order) return run(id, order.run);
  signalGroup(order.signal.pid, order.signal.name);
  tell({ id, signalled: order.signal.pid });
});
process.once('disconnect', leave);
process.once('SIGTERM', leave);
tell({ directory });

function run(id: number, { program, args, log }: Run): void {
  const output = openSync(join(directory, log), 'a');
  // A process group of its own, so that what the program starts dies with it.
  const child = spawn(program, args, { cwd: directory, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  child.once('error', (error) => tell({ id, failed: `cannot run ${program}: ${error.message}` }));
  const { pid } = child;
  if (pid === undefined) return;
  running.set(pid, child);
  child.once('exit', (code, signal) => {
    signalGroup(pid, 'SIGKILL');
    running.delete(pid);
    tell({ exited: { pid, code, signal } });
    if (leaving) endWhenAlone();
  });
  tell({ id, started: pid });
}

/** Only ever signals what runs as our child: its pid cannot have passed to anybody else. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (!running.has(pid)) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group is gone already.
  }
}

function leave(): void {
  leaving = true;
  for (const pid of running.keys()) signalGroup(pid, 'SIGKILL');
  endWhenAlone();
}

function endWhenAlone(): void {
  if (running.size > 0) return;
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

function tell(message: FromKeeper): void {
  // A send to a test that has just died fails; the disconnect that follows does the rest.
  if (process.connected) process.send?.(message, () => {});
}

/** Data in memory where the machine has a place for it: no test needs it to survive. */
function memoryOrDisk(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
