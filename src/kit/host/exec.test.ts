import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { CommandError, type CommandOptions } from './command.ts';
import { realCommands } from './exec.ts';
import { DRAIN_GRACE_MS, KILL_GRACE_MS, KILL_POLL_MS } from './process-group.ts';
import { STANDARD_PATH } from './program-path.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'exec-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('a program', () => {
  it('gets its arguments as they are, whatever a shell would make of them', async () => {
    const nasty = ['$(id)', '`id`', '; rm -rf x', '"', "'", '*', '', 'a\nb', '-n', 'ü €'];
    const { stdout } = await exec(['printf', '%s\\0', ...nasty]);
    expect(stdout.split('\0').slice(0, -1)).toEqual(nasty);
  });

  it('gets an environment of its own and nothing of ours', async () => {
    process.env.HOLDFAST_TEST_SECRET = 'token';
    const { stdout } = await exec(['env'], { env: { LVM_SUPPRESS_FD_WARNINGS: '1' } });
    delete process.env.HOLDFAST_TEST_SECRET;
    expect(stdout.trim().split('\n').sort()).toEqual([
      'LC_ALL=C',
      'LVM_SUPPRESS_FD_WARNINGS=1',
      expect.stringMatching(/^PATH=/),
    ]);
  });

  it('runs in the root directory, so that it holds no other', async () => {
    expect((await exec(['pwd'])).stdout).toBe('/\n');
  });

  it('finds the end of its input at once when there is none', async () => {
    expect((await exec(['cat'])).stdout).toBe('');
  });

  it('that ends without reading a large input is judged by its exit code', async () => {
    await expect(exec(['true'], { input: Buffer.alloc(2 ** 22) })).resolves.toMatchObject({ code: 0 });
    expect(await failure(['false'], { input: Buffer.alloc(2 ** 22) })).toMatchObject({
      outcome: { kind: 'exited', code: 1 },
    });
  });

  it('that writes more than is kept is not held up and ends by itself', async () => {
    const { stdout, stderr, truncated } = await exec(['sh', '-c', 'yes é | head -c 3000000; echo done >&2'], {
      maxOutputBytes: 1000,
    });
    expect({ stdout, stderr, truncated }).toEqual({
      stdout: 'é\n'.repeat(333),
      stderr: 'done\n',
      truncated: { stdout: true, stderr: false },
    });
  });

  it('that writes exactly what is kept is not called truncated', async () => {
    const result = await exec(['printf', 'abc'], { maxOutputBytes: 3 });
    expect(result).toMatchObject({ stdout: 'abc', truncated: { stdout: false } });
  });

  it('gets open descriptors as 3, 4, …', async () => {
    const file = join(directory, 'inherited');
    await writeFile(file, 'through three');
    await using handle = await open(file);
    await using other = await open('/dev/null');
    const { stdout } = await exec(['cat', '/proc/self/fd/3', '/proc/self/fd/4'], { inheritFds: [handle, other] });
    expect(stdout).toBe('through three');
  });

  it('with a closed descriptor to inherit is not started', async () => {
    const handle = await open('/dev/null');
    await handle.close();
    await expect(exec(['true'], { inheritFds: [handle] })).rejects.toThrow(/closed/);
  });
});

describe('finding the program', () => {
  it('goes through the given directories in their order and takes only what can be executed', async () => {
    const [first, second] = [await mkdtemp(join(directory, 'a-')), await mkdtemp(join(directory, 'b-'))];
    await writeFile(join(first, 'tool'), '#!/bin/sh\necho first\n', { mode: 0o644 });
    await script(join(second, 'tool'), 'echo second');
    const commands = realCommands({ clock: systemClock, path: [first, second] });
    expect((await commands.exec(['tool'])).stdout).toBe('second\n');
    expect(await commands.isInstalled('tool')).toBe(true);
    expect(await commands.isInstalled('sh')).toBe(false);
    expect(await commands.isInstalled('../tool')).toBe(false);
    expect(await commands.isInstalled('/bin/sh')).toBe(true);
  });

  it('says where it looked and what to install', async () => {
    const error = await failure(['no-such-tool', '--version']);
    expect(error.outcome).toEqual({ kind: 'not-found', searched: STANDARD_PATH });
    expect(error.message).toContain(
      '`no-such-tool --version` cannot run: no-such-tool was not found in /usr/local/sbin',
    );
    expect(error.mayHaveActed).toBe(false);
  });

  it('tells a program that cannot be started from one that is missing', async () => {
    const file = join(directory, 'bad-interpreter');
    await writeFile(file, '#!/no/such/interpreter\n', { mode: 0o755 });
    await chmod(file, 0o755);
    const bad = await failure([file]);
    expect(bad).toMatchObject({ outcome: { kind: 'not-started' }, mayHaveActed: false });
    const long = await failure(['true', 'x'.repeat(2 ** 18)]);
    expect(long).toMatchObject({ outcome: { kind: 'not-started', reason: expect.stringContaining('E2BIG') } });
  });
});

describe('ending a program', () => {
  it('that heeds SIGTERM needs no more than that', async () => {
    const { ended, clock } = await running('trap "echo bye; exit 0" TERM; : > "$READY"; while :; do sleep 0.01; done');
    await clock.advance(60_000);
    expect(await ended).toMatchObject({
      outcome: { kind: 'timed-out', afterMs: 60_000, ended: true },
      output: { stdout: 'bye\n' },
    });
    expect(clock.pending).toBe(0);
  });

  it('that ignores SIGTERM takes SIGKILL, after a grace', async () => {
    const { ended, clock, pid } = await running('trap "" TERM; echo $$ > "$READY.pid"; : > "$READY"; exec sleep 1000');
    await clock.advance(60_000);
    await clock.advance(KILL_GRACE_MS - 1);
    expect(isAlive(await pid())).toBe(true);
    await clock.advance(1);
    expect(await ended).toMatchObject({ outcome: { kind: 'timed-out', ended: true } });
    expect(isAlive(await pid())).toBe(false);
  });

  it('takes along what it started, even if that ignores SIGTERM, outlives it and holds the output open', async () => {
    const { ended, clock, pid } = await running(
      `echo $$ > "$READY.leader"; sh -c 'trap "" TERM; echo $$ > "$READY.pid"; : > "$READY"; exec sleep 1000' & wait`,
    );
    const [leader, grandchild] = [await pid('leader'), await pid()];
    await clock.advance(60_000);
    await eventually(() => expect(existsSync(`/proc/${leader}`)).toBe(false));
    await settled();
    expect(isAlive(grandchild)).toBe(true);
    await clock.advance(KILL_GRACE_MS);
    await eventually(() => expect(isAlive(grandchild)).toBe(false));
    await clock.advance(KILL_POLL_MS);
    expect(await ended).toMatchObject({ outcome: { kind: 'timed-out', ended: true } });
  });

  it('on request tells that it was ended on request, and why', async () => {
    const abort = new AbortController();
    const { ended } = await running(': > "$READY"; exec sleep 1000', { signal: abort.signal });
    abort.abort(new Error('shutting down'));
    expect(await ended).toMatchObject({ outcome: { kind: 'aborted', ended: true }, cause: abort.signal.reason });
  });

  it('that was unwanted before it started does not start it', async () => {
    const marker = join(directory, 'must-not-exist');
    await expect(exec(['touch', marker], { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    await expect(readFile(marker)).rejects.toThrow(/ENOENT/);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const abort = new AbortController();
    const [add, remove] = [vi.spyOn(abort.signal, 'addEventListener'), vi.spyOn(abort.signal, 'removeEventListener')];
    await exec(['true'], { signal: abort.signal });
    expect(add).toHaveBeenCalledOnce();
    expect(remove).toHaveBeenCalledOnce();
  });

  it('is not awaited for ever when it left something behind that holds its output open', async () => {
    const { ended, clock, pid } = await running(
      'echo all there is; sh -c \'echo $$ > "$READY.pid"; : > "$READY"; exec sleep 1000\' & while ! test -e "$READY"; do sleep 0.01; done',
      { timeoutMs: Number.POSITIVE_INFINITY },
    );
    await eventually(async () => {
      await clock.advance(DRAIN_GRACE_MS);
      expect(clock.pending).toBe(0);
    });
    expect(await ended).toMatchObject({ code: 0, stdout: 'all there is\n' });
    process.kill(await pid(), 'SIGKILL');
  });

  it('by somebody else is told apart from ending it ourselves', async () => {
    expect(await failure(['sh', '-c', 'kill -KILL $$'])).toMatchObject({
      outcome: { kind: 'killed', signal: 'SIGKILL' },
    });
  });
});

describe('a failure', () => {
  it('shows the command, the code and the end of what the program complained about', async () => {
    const error = await failure(['sh', '-c', 'for i in 1 2 3 4 5; do echo "line $i" >&2; done; exit 5']);
    expect(error.message).toContain('ended with code 5: line 3; line 4; line 5. ');
    expect(error.output.stderr).toContain('line 1');
  });

  it('never shows the input', async () => {
    const error = await failure(['sh', '-c', 'cat > /dev/null; exit 1'], { input: 'hunter2' });
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain('hunter2');
  });
});

function exec(argv: readonly string[], options?: CommandOptions) {
  return realCommands({ clock: systemClock, path: STANDARD_PATH }).exec(argv, options);
}

async function failure(argv: readonly string[], options?: CommandOptions): Promise<CommandError> {
  const error = await exec(argv, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CommandError)) throw new Error(`expected a CommandError, got ${error}`);
  return error;
}

/** Starts a shell script on a virtual clock and waits until it has made the file `$READY`, by itself: `touch` could still run then. */
async function running(body: string, options?: CommandOptions) {
  const clock = new VirtualClock();
  const ready = join(await mkdtemp(join(directory, 'run-')), 'ready');
  const ended: Promise<unknown> = realCommands({ clock, path: STANDARD_PATH })
    .exec(['sh', '-c', body], { ...options, env: { READY: ready } })
    .catch((error: unknown) => error);
  await eventually(() => readFile(ready));
  return { clock, ended, pid: async (which = 'pid') => Number(await readFile(`${ready}.${which}`, 'utf8')) };
}

function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 15_000, interval: 10 });
}

/** One that has ended and that nobody has asked about yet (a zombie) does nothing any more. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function script(path: string, body: string): Promise<void> {
  return writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
