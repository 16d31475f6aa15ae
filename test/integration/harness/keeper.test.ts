import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Keeper, type KeptProcess } from '../../harness/keeper.ts';
import { eventually } from '../../harness/wait.ts';

describe('a keeper', () => {
  it('runs programs in its directory, with their output in a log there', async () => {
    await using keeper = await Keeper.start();
    const shell = await keeper.run({ program: 'sh', args: ['-c', 'pwd; pwd >&2; exit 3'], log: 'sh.log' });
    expect(await shell.exited).toEqual({ pid: shell.pid, code: 3, signal: null });
    expect(readFileSync(join(keeper.directory, 'sh.log'), 'utf8')).toBe(`${keeper.directory}\n`.repeat(2));
  });

  it('says when a program cannot be run', async () => {
    await using keeper = await Keeper.start();
    const failed = keeper.run({ program: '/no/such/program', args: [], log: 'log' });
    await expect(failed).rejects.toThrow('cannot run /no/such/program');
  });

  it('signals a program together with all that it started', async () => {
    await using keeper = await Keeper.start();
    const { shell, grandchild } = await shellWithChild(keeper);
    await shell.signal('SIGKILL');
    expect(await shell.exited).toMatchObject({ signal: 'SIGKILL' });
    await eventually(() => !isAlive(grandchild));
  });

  it('leaves neither program nor directory when it is disposed of', async () => {
    const keeper = await Keeper.start();
    const { shell, grandchild } = await shellWithChild(keeper);
    await keeper[Symbol.asyncDispose]();
    expect(existsSync(keeper.directory)).toBe(false);
    expect(isAlive(shell.pid)).toBe(false);
    await eventually(() => !isAlive(grandchild));
  });

  it('leaves neither when it is killed itself', async () => {
    await using keeper = await Keeper.start();
    const { shell, grandchild } = await shellWithChild(keeper);
    process.kill(keeper.pid ?? 0, 'SIGKILL');
    expect(await shell.exited).toMatchObject({ signal: 'SIGKILL' });
    await eventually(() => !isAlive(shell.pid) && !isAlive(grandchild));
    expect(existsSync(keeper.directory)).toBe(false);
  });
});

describe.concurrent('a control plane whose test process', () => {
  it.for(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'is ended by %s leaves neither process nor directory',
    async (signal, { expect }) => {
      const { holder, directory, pids } = await startHolder();
      expect(pids.every(isAlive)).toBe(true);
      expect(existsSync(directory)).toBe(true);

      holder.kill(signal);
      expect(await once(holder, 'exit')).toEqual([null, signal]);
      await eventually(() => !pids.some(isAlive), { for: 'etcd and kube-apiserver to be gone' });
      await eventually(() => !existsSync(directory), { for: 'the directory to be gone' });
    },
  );
});

async function shellWithChild(keeper: Keeper): Promise<{ shell: KeptProcess; grandchild: number }> {
  const script = 'sleep 1000 & echo $!; wait';
  const shell = await keeper.run({ program: 'sh', args: ['-c', script], log: 'sh.log' });
  const log = join(keeper.directory, 'sh.log');
  const grandchild = await eventually(() => Number(readFileSync(log, 'utf8').trim()) || false);
  return { shell, grandchild: Number(grandchild) };
}

async function startHolder() {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'killed-holder.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: string[] = await once(createInterface(holder.stdout), 'line');
  const said: { directory: string; pids: number[] } = JSON.parse(line ?? '');
  return { holder, ...said };
}

/** A zombie that nobody has fetched yet is dead, too. */
function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'));
}
