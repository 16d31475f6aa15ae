import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { type OpenSurvey, OpenSurveyor, openAnswer, STAT_PATIENCE_MS } from './open-survey.ts';

let procRoot = '';
beforeEach(async () => {
  procRoot = await mkdtemp(join(tmpdir(), 'proc-'));
  await aProcess(100, 'holdfast', {});
  await symlink('100', join(procRoot, 'self'));
  await mkdir(join(procRoot, '100/ns'));
  await symlink('pid:[4026531836]', join(procRoot, '100/ns/pid'));
  await writeFile(join(procRoot, '100/status'), 'Name:\tx\nCapEff:\t000001ffffffffff\n');
});
afterEach(() => rm(procRoot, { recursive: true }));

describe('the survey of open devices', () => {
  it('sees no device in files, sockets and descriptors that are gone', async () => {
    await aProcess(7, 'sshd', { 0: '/dev/null', 1: 'socket:[1]', 2: '/gone (deleted)', 3: procRoot });
    expect(await survey()).toEqual({ openers: new Map(), unseen: [] });
  });

  it('says so when this process sees only processes of its own', async () => {
    await rm(join(procRoot, '100/ns/pid'));
    await symlink('pid:[4026532000]', join(procRoot, '100/ns/pid'));
    expect((await survey()).unseen).toEqual([{ reason: expect.stringContaining('hostPID') }]);
  });

  it('says so when this process may not look at others', async () => {
    await writeFile(join(procRoot, '100/status'), 'CapEff:\t00000000a80425fb\n');
    expect((await survey()).unseen).toEqual([{ reason: expect.stringContaining('CAP_SYS_PTRACE') }]);
  });

  it('says so when the descriptors of a process cannot be listed', async () => {
    await mkdir(join(procRoot, '8'));
    await writeFile(join(procRoot, '8/fd'), '');
    expect((await survey()).unseen).toEqual([
      { pid: 8, reason: 'descriptors of process 8 (unknown) cannot be read (ENOTDIR)' },
    ]);
  });

  it('says so when a descriptor cannot be looked at', async () => {
    await aProcess(9, 'loop', { 4: join(procRoot, '9/fd/4'), 5: join(procRoot, '9/fd/5') });
    expect((await survey()).unseen).toEqual([
      { pid: 9, reason: 'descriptors of process 9 (loop) cannot be read (ELOOP)' },
    ]);
  });

  it('takes a process without descriptors to list for one that has just ended', async () => {
    await mkdir(join(procRoot, '10'));
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
    const surveyor = new OpenSurveyor(clock, procRoot, hangs);
    const first = surveyor.survey();
    while (clock.pending === 0) await settled();
    await clock.advance(STAT_PATIENCE_MS);
    const reason = expect.stringMatching(/^descriptor [56] of process 11 is on a filesystem that does not answer/);
    const unseen = [{ reason }];
    expect(await first).toMatchObject({ unseen });
    expect(await surveyor.survey()).toMatchObject({ unseen });
    expect(answers).toHaveLength(1);

    answers[0]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    const last = surveyor.survey();
    while (clock.pending === 0) await settled();
    answers[1]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    while (clock.pending === 0 || answers.length < 3) await settled();
    answers[2]?.reject(Object.assign(new Error(), { code: 'ENOENT' }));
    expect((await last).unseen).toEqual([]);
  });

  it('that is asked for while one is under way starts after it, and is shared', async () => {
    const surveyor = new OpenSurveyor(systemClock, procRoot);
    const [first, second, third] = [surveyor.survey(), surveyor.survey(), surveyor.survey()];
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(await third).toEqual(await first);
  });
});

describe('whether a device is open', () => {
  const opener = { pid: 7, command: 'dd', fd: 3, self: false };
  const seen: OpenSurvey = { openers: new Map([['8:0', [opener]]]), unseen: [] };

  it('is yes when somebody is seen to have it open, even if not all was seen', () => {
    expect(openAnswer(seen, '8:0')).toEqual({ open: 'yes', openers: [opener] });
    expect(openAnswer({ ...seen, unseen: [{ reason: 'why' }] }, '8:0')).toMatchObject({ open: 'yes' });
  });

  it('leaves out the openers that the caller knows of', () => {
    expect(openAnswer(seen, '8:0', ({ pid }) => pid === 7)).toEqual({ open: 'no' });
  });

  it('is no only when all was seen', () => {
    expect(openAnswer(seen, '8:16')).toEqual({ open: 'no' });
    expect(openAnswer({ ...seen, unseen: [{ reason: 'why' }] }, '8:16')).toEqual({
      open: 'unknown',
      unseen: [{ reason: 'why' }],
    });
  });
});

function survey(): Promise<OpenSurvey> {
  return new OpenSurveyor(systemClock, procRoot).survey();
}

async function aProcess(pid: number, command: string, descriptors: Record<number, string>): Promise<void> {
  await mkdir(join(procRoot, `${pid}/fd`), { recursive: true });
  await writeFile(join(procRoot, `${pid}/comm`), `${command}\n`);
  for (const [fd, target] of Object.entries(descriptors)) await symlink(target, join(procRoot, `${pid}/fd`, fd));
}
