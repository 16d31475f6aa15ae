/** Who holds a filesystem, found among the real processes of this machine, on a filesystem that nothing else is on. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/kit/clock/clock.ts';
import type { DeviceNumber } from '../../src/kit/host/device-number.ts';
import { realHost } from '../../src/kit/host/host.ts';
import { eventually } from '../harness/wait.ts';

const host = realHost({ clock: systemClock });
let undo: AsyncDisposableStack;
let directory: string;
let number: DeviceNumber;

beforeEach(async () => {
  undo = new AsyncDisposableStack();
  directory = mkdtempSync(join(tmpdir(), 'holders-'));
  undo.defer(() => rmSync(directory, { recursive: true }));
  run('mount', '-t', 'tmpfs', 'holders', directory);
  undo.defer(() => run('umount', directory));
  const filesystem = (await host.files.stat(directory))?.filesystem;
  if (!filesystem) throw new Error('a directory that was just made is not there');
  number = filesystem;
});
afterEach(() => undo.disposeAsync());

const run = (program: string, ...args: readonly string[]) => void execFileSync(program, args);

/** Runs until the end of the test. */
async function started(program: string, args: readonly string[], options: { readonly cwd?: string } = {}) {
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', ...options });
  undo.defer(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await once(child, 'spawn');
  return child.pid;
}

const holders = async () => (await host.tables.holders([number])).holders;
const isHeldBy = (pid: number | undefined, command: string, ...holds: readonly string[]) =>
  eventually(async () => expect(await holders()).toEqual([{ pid, command, holds }]), { for: `${pid} to be seen` });

it('nobody holds what is only mounted', async () => expect(await holders()).toEqual([]));

it('who stands in it holds it', async () =>
  await isHeldBy(await started('sleep', ['1000'], { cwd: directory }), 'sleep', 'working directory'));

it('who has a file of it open holds it', async () => {
  const fd = openSync(join(directory, 'file'), 'w');
  undo.defer(() => closeSync(fd));
  const [found] = await holders();
  expect(found).toMatchObject({ pid: process.pid, holds: ['open file'] });
});

it('who runs a program that is on it holds it', async () => {
  const program = join(directory, 'mine');
  copyFileSync('/bin/sleep', program);
  await isHeldBy(await started(program, ['1000']), 'mine', 'mapped file');
});

it('who has it as its root directory holds it', async () => {
  for (const part of ['bin', 'lib', 'lib64', 'usr']) {
    mkdirSync(join(directory, part));
    run('mount', '--bind', `/${part}`, join(directory, part));
    undo.defer(() => run('umount', join(directory, part)));
  }
  const pid = await started('chroot', [directory, '/bin/sleep', '1000']);
  await isHeldBy(pid, 'sleep', 'working directory', 'root directory');
});

it('who sees it mounted where the machine does not holds it', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  undo.defer(() => rmSync(elsewhere, { recursive: true }));
  const script = 'mount --bind "$1" "$2" && exec sleep 1000';
  const pid = await started('unshare', ['--mount', 'sh', '-c', script, 'sh', directory, elsewhere]);
  await isHeldBy(pid, 'sleep', 'mount');
});

it('nobody holds what is held no longer', async () => {
  const fd = openSync(join(directory, 'file'), 'w');
  expect(await holders()).toHaveLength(1);
  closeSync(fd);
  expect(await holders()).toEqual([]);
});
