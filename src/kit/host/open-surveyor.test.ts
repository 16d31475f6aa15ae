import { mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { settled, VirtualClock } from '../clock/virtual.ts';
import type { OpenSurvey } from './open-survey.ts';
import { MAX_ROUNDS, OpenSurveyor, STAT_PATIENCE_MS } from './open-surveyor.ts';

let procRoot = '';
beforeEach(async () => {
  procRoot = await mkdtemp(join(tmpdir(), 'proc-'));
  await aProcess(100, 'holdfast', {});
  await symlink('100', join(procRoot, 'self'));
  await mkdir(join(procRoot, '100/ns'));
  await symlink('pid:[4026531836]', join(procRoot, '100/ns/pid'));
  await writeFile(join(procRoot, '100/status'), 'Name:\tx\nCapEff:\t000001ffffffffff\n');
  await mountedWith('rw');
});
afterEach(() => rm(procRoot, { recursive: true }));

describe('the survey of open devices', () => {
  it('sees no device in files, sockets and descriptors that are gone', async () => {
    await aProcess(7, 'sshd', { 0: '/dev/null', 1: 'socket:[1]', 2: '/gone (deleted)', 3: procRoot });
    expect(await survey()).toEqual({ openers: new Map(), unseen: [] });
  });

  it('sees who has which device open, this process too', async () => {
    await aProcess(7, 'dd', { 0: '/dev/null', 3: '/dev/sda' });
    await aDescriptor(100, 100, 20, '/dev/sda');
    expect(opened(await surveyor().survey())).toEqual([
      { pid: 7, command: 'dd', fd: 3, self: false },
      { pid: 100, command: 'holdfast', fd: 20, self: true },
    ]);
  });

  it('sees what only another thread has open, because it has its own table or the first thread has ended', async () => {
    await aProcess(7, 'first gone', {});
    await aDescriptor(7, 71, 3, '/dev/sda');
    await aProcess(8, 'own table', { 3: '/dev/null' });
    await aDescriptor(8, 81, 3, '/dev/sda');
    const pids = opened(await surveyor().survey()).map(({ pid }) => pid);
    expect(pids).toEqual([7, 8]);
  });

  it('asks once about a descriptor that threads share, and again in another thread when the first one went', async () => {
    await aProcess(7, 'dd', { 3: '/dev/sda' });
    for (const thread of [71, 72]) await aDescriptor(7, thread, 3, '/dev/sda');
    const asked: string[] = [];
    const found = await surveyor(async (path) => {
      asked.push(path.slice(procRoot.length));
      if (path.includes('/task/7/')) throw Object.assign(new Error(), { code: 'ENOENT' });
    }).survey();
    expect(asked).toEqual(['/7/task/7/fd/3', '/7/task/71/fd/3']);
    expect(opened(found)).toHaveLength(1);
  });

  it('finds the child that a process left its descriptors to before it was looked at', async () => {
    await aProcess(6, 'busy', { 3: '/dev/null' });
    await aProcess(7, 'parent', { 3: '/dev/sda' });
    const found = await surveyor(async (path) => {
      if (!path.includes('/6/')) return;
      await aProcess(5, 'child', { 3: '/dev/sda' });
      await rm(join(procRoot, '7'), { recursive: true });
    }).survey();
    expect(opened(found)).toMatchObject([{ pid: 5, command: 'child' }]);
    expect(found.unseen).toEqual([]);
  });

  it('gives up, and says so, when new processes never stop coming', async () => {
    let next = 1000;
    await aProcess(next, 'forking', { 3: '/dev/null' });
    const found = await surveyor(async () => {
      next += 1;
      await aProcess(next, 'forking', { 3: '/dev/null' });
    }).survey();
    expect(next).toBe(1000 + MAX_ROUNDS);
    expect(found.unseen).toEqual([{ kind: 'restless', reason: expect.stringContaining('1 are left') }]);
  });

  it('says so when this process sees only processes of its own', async () => {
    await rm(join(procRoot, '100/ns/pid'));
    await symlink('pid:[4026532000]', join(procRoot, '100/ns/pid'));
    expect((await survey()).unseen).toEqual([{ kind: 'hidden-processes', reason: expect.stringContaining('hostPID') }]);
  });

  it.each(['hidepid=2', 'hidepid=4', 'hidepid=invisible', 'hidepid=ptraceable'])(
    'says so when /proc is mounted with %s, which leaves processes out',
    async (option) => {
      await mountedWith(`rw,${option}`);
      expect((await survey()).unseen).toEqual([{ kind: 'hidden-processes', reason: expect.stringContaining(option) }]);
    },
  );

  it('goes by the mount that is on top, and needs nothing said of others', async () => {
    const line = (point: string, options: string) => `1 0 0:1 / ${point} rw - proc proc ${options}\n`;
    const lines = [line(procRoot, 'rw,hidepid=2'), line(procRoot, 'rw'), line('/elsewhere', 'rw,hidepid=2')];
    await writeFile(join(procRoot, '100/mountinfo'), lines.join(''));
    expect((await survey()).unseen).toEqual([]);
  });

  it('says so when this process may not look at others', async () => {
    await writeFile(join(procRoot, '100/status'), 'CapEff:\t00000000a80425fb\n');
    expect((await survey()).unseen).toEqual([{ kind: 'no-right', reason: expect.stringContaining('CAP_SYS_PTRACE') }]);
  });

  it('says which process has descriptors that cannot be listed, and why', async () => {
    await mkdir(join(procRoot, '8/task/8'), { recursive: true });
    await writeFile(join(procRoot, '8/comm'), '\u001b[31mred\n\n');
    await writeFile(join(procRoot, '8/task/8/fd'), '');
    const reason = 'descriptors of process 8 (?[31mred?) cannot be read (ENOTDIR)';
    expect((await survey()).unseen).toEqual([
      { kind: 'process', pid: 8, command: '?[31mred?', code: 'ENOTDIR', reason },
    ]);
  });

  it('says so when a descriptor cannot be looked at', async () => {
    await aProcess(9, 'loop', { 4: join(procRoot, '9/task/9/fd/4'), 5: join(procRoot, '9/task/9/fd/5') });
    expect((await survey()).unseen).toMatchObject([{ kind: 'process', pid: 9, command: 'loop', code: 'ELOOP' }]);
  });

  it('needs nothing of the threads of the kernel, which have no descriptors', async () => {
    await mkdir(join(procRoot, '2'));
    await writeFile(join(procRoot, '2/task'), '');
    await writeFile(join(procRoot, '2/stat'), '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0\n');
    expect((await survey()).unseen).toEqual([]);
    await writeFile(join(procRoot, '2/stat'), '2 (x) S 0 0 0 0 -1 2129984 0) S 0 0 0 0 -1 4194560 0 0\n');
    expect((await survey()).unseen).toMatchObject([{ pid: 2 }]);
  });

  it('takes a process without descriptors to list for one that has just ended', async () => {
    await mkdir(join(procRoot, '10'));
    await mkdir(join(procRoot, '11/task/11'), { recursive: true });
    expect((await survey()).unseen).toEqual([]);
  });

  it('does not wait for ever for a filesystem that does not answer, and asks nothing more until it does', async () => {
    await aProcess(11, 'nfs-user', { 5: '/net/file', 6: '/net/other' });
    const clock = new VirtualClock();
    const answers: PromiseWithResolvers<never>[] = [];
    const hangs = (): Promise<never> => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)?.promise ?? Promise.reject();
    };
    const hanging = new OpenSurveyor(clock, procRoot, hangs);
    const first = hanging.survey();
    while (clock.pending === 0) await settled();
    await clock.advance(STAT_PATIENCE_MS);
    const reason = expect.stringMatching(/^descriptor [56] of process 11 is on a filesystem that does not answer/);
    const unseen = [{ kind: 'no-answer', reason }];
    expect(await first).toMatchObject({ unseen });
    expect(await hanging.survey()).toMatchObject({ unseen });
    expect(answers).toHaveLength(1);

    answers[0]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    const last = hanging.survey();
    while (clock.pending === 0) await settled();
    answers[1]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    while (clock.pending === 0 || answers.length < 3) await settled();
    answers[2]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    expect((await last).unseen).toEqual([]);
  });

  it('says that it was cut short, also when what did not answer does so before the end', async () => {
    await aProcess(11, 'nfs-user', { 4: join(procRoot, '11/task/11/fd/4'), 5: '/net/file', 6: '/dev/sda' });
    const clock = new VirtualClock();
    const [asked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const cut = new OpenSurveyor(clock, procRoot, (path, options) => {
      if (!path.endsWith('/5')) return stat(path, options);
      asked.resolve();
      return late.promise;
    });
    const result = cut.survey();
    await asked.promise;
    await clock.advance(STAT_PATIENCE_MS);
    late.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    expect((await result).unseen).toContainEqual(expect.objectContaining({ kind: 'no-answer' }));
  });

  it('that is asked for while one is under way starts after it, and is shared', async () => {
    const asked = new OpenSurveyor(systemClock, procRoot);
    const [first, second, third] = [asked.survey(), asked.survey(), asked.survey()];
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(await third).toEqual(await first);
  });
});

function survey(): Promise<OpenSurvey> {
  return new OpenSurveyor(systemClock, procRoot).survey();
}

/** Takes every descriptor on /dev/sda for block device 8:0. `before` sees each path that is asked about. */
function surveyor(before: (path: string) => Promise<void> = async () => {}): OpenSurveyor {
  return new OpenSurveyor(systemClock, procRoot, async (path, options) => {
    await before(path);
    const isDisk = (await readlink(path)) === '/dev/sda';
    return Object.assign(await stat('/dev/null', options), { isBlockDevice: () => isDisk, rdev: 0x800n });
  });
}

function opened({ openers }: OpenSurvey) {
  return openers.get('8:0') ?? [];
}

async function aProcess(pid: number, command: string, descriptors: Record<number, string>): Promise<void> {
  await mkdir(join(procRoot, `${pid}/task/${pid}/fd`), { recursive: true });
  await writeFile(join(procRoot, `${pid}/comm`), `${command}\n`);
  for (const [fd, target] of Object.entries(descriptors)) await aDescriptor(pid, pid, Number(fd), target);
}

async function aDescriptor(pid: number, thread: number, fd: number, target: string): Promise<void> {
  await mkdir(join(procRoot, `${pid}/task/${thread}/fd`), { recursive: true });
  await symlink(target, join(procRoot, `${pid}/task/${thread}/fd/${fd}`));
}

async function mountedWith(options: string): Promise<void> {
  await writeFile(join(procRoot, '100/mountinfo'), `1 0 0:1 / ${procRoot} rw - proc proc ${options}\n`);
}
