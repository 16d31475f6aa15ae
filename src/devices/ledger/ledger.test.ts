import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { FileError } from '../../kit/host/file-error.ts';
import { realFiles } from '../../kit/host/real-files.ts';
import type { Fault } from '../../kit/host/simulated/faults.ts';
import type { SimulatedHost } from '../../kit/host/simulated/host.ts';
import { SimulatedMachine } from '../../kit/host/simulated/machine.ts';
import { RecordingLog } from '../../kit/observe/recording-log.ts';
import { aWipe, clean, device } from './builders.ts';
import { Ledger } from './ledger.ts';

const DIRECTORY = '/var/lib/holdfast';
const FILE = `${DIRECTORY}/devices.json`;
const KEY = 'wwid:naa.1';
const wipe = aWipe(0);
const volume = (phase: string, resourceVersion: string) => ({ name: 'local-n-a', uid: 'u1', phase, resourceVersion });
const diskFull = () => new FileError('write', FILE, 'ENOSPC');
const isWrite = ({ verb }: { verb: string }) => verb === 'file.write';

let clock: VirtualClock;
let machine: SimulatedMachine;
let log: RecordingLog;
beforeEach(() => {
  clock = new VirtualClock();
  machine = new SimulatedMachine(clock);
  log = new RecordingLog();
});

const open = (host: SimulatedHost = machine.host()) =>
  Ledger.open(DIRECTORY, { files: host.files, clock, log }, async () => ['uid-1']);
const written = () => machine.journal.filter(isWrite).length;
const asides = async () => (await machine.host().files.list(DIRECTORY)).filter((name) => name.includes('unreadable'));

describe('the ledger', () => {
  test('that is not there is begun now, in a directory and a file that only its owner can read', async () => {
    const ledger = await open();
    expect([ledger.since, [...ledger.entries()]]).toEqual([clock.now(), []]);
    const { files } = machine.host();
    expect([await files.stat(DIRECTORY), await files.stat(FILE)]).toMatchObject([{ mode: 0o700 }, { mode: 0o600 }]);
    expect(log.at('info')).toHaveLength(1);
  });

  test('is found again as it was left, and since when', async () => {
    const ledger = await open();
    await ledger.saw(KEY, device, { ...volume('Bound', '5'), claim: 'claim-1' }, 'c1');
    await ledger.use('approval-1');
    await clock.advance(1_000);
    const again = await open();
    expect([again.since, [...again.entries()]]).toEqual([ledger.since, [...ledger.entries()]]);
    expect([again.hasUsed('approval-1'), again.hasUsed('approval-2')]).toEqual([true, false]);
    expect(again.get(KEY)?.volume).toEqual({ ...volume('Bound', '5'), claim: 'claim-1', cluster: 'c1' });
  });

  test('tells the whole story of a device', async () => {
    const ledger = await open();
    await ledger.handOut(KEY, device, 'local-n-a', 'c1');
    expect(ledger.get(KEY)?.volume).toMatchObject({ name: 'local-n-a', uid: '' });
    await ledger.saw(KEY, device, volume('Released', '5'), 'c1');
    await ledger.began(KEY, { ...device, boot: 'b2' }, wipe);
    await ledger.began(KEY, device, { ...wipe, doneBytes: 512 });
    expect(ledger.get(KEY)).toMatchObject({ wipe: { ...wipe, doneBytes: 512 }, volume: { uid: 'u1' } });
    await ledger.cleaned(KEY, device, clean);
    expect(ledger.get(KEY)).toEqual({ ...device, volume: { ...volume('Released', '5'), cluster: 'c1' }, clean });
    expect((await open()).get(KEY)).toMatchObject({ path: '/dev/a', clean });
  });

  test('finds the devices of a volume by its name: two, when one took the place of the other', async () => {
    const ledger = await open();
    await ledger.saw('wwid:old', device, volume('Bound', '5'), 'c1');
    await ledger.handOut('wwid:new', device, 'local-n-a', 'c1');
    await ledger.handOut('wwid:other', device, 'local-n-b', 'c1');
    await ledger.began('wwid:none', device, wipe);
    expect(ledger.handedOutAs('local-n-a').map(([key]) => key)).toEqual(['wwid:old', 'wwid:new']);
    expect(ledger.handedOutAs('local-n-c')).toEqual([]);
  });

  test('writes nothing for what it knows', async () => {
    const ledger = await open();
    await ledger.saw(KEY, device, volume('Bound', '5'), 'c1');
    await ledger.use('approval-1');
    const before = written();
    await ledger.saw(KEY, device, volume('Bound', '5'), 'c1');
    await ledger.saw(KEY, device, volume('Available', '4'), 'c1');
    await ledger.use('approval-1');
    expect(written()).toBe(before);
  });

  test('writes a thousand devices at once in two writes', async () => {
    const ledger = await open();
    const before = written();
    const keys = Array.from({ length: 1_000 }, (_, i) => `wwid:naa.${i}`);
    await Promise.all(keys.map((key) => ledger.saw(key, device, volume('Bound', '5'), 'c1')));
    expect(written() - before).toBe(2);
    expect([...(await open()).entries()]).toHaveLength(1_000);
  });

  test('remembers the last ten thousand approvals', async () => {
    const ledger = await open();
    await Promise.all(Array.from({ length: 10_002 }, (_, i) => ledger.use(`approval-${i}`)));
    const again = await open();
    expect([1, 2, 10_001].map((i) => again.hasUsed(`approval-${i}`))).toEqual([false, true, true]);
  });
});

test('a ledger on a real disk is found again with all that many wrote at once, and leaves nothing else behind', async () => {
  const directory = join(await mkdtemp(join(tmpdir(), 'ledger-')), 'state');
  try {
    const parts = { files: realFiles(clock, Math.random), clock, log };
    const ledger = await Ledger.open(directory, parts, async () => []);
    const keys = Array.from({ length: 100 }, (_, i) => `wwid:naa.${i}`);
    await Promise.all(keys.map((key) => ledger.saw(key, device, volume('Bound', '5'), 'c1')));
    await ledger.began(KEY, device, wipe);
    expect([...(await Ledger.open(directory, parts, async () => [])).entries()]).toEqual([...ledger.entries()]);
    expect(await readdir(directory)).toEqual(['devices.json']);
  } finally {
    await rm(dirname(directory), { recursive: true });
  }
});

describe('a ledger on a full disk', () => {
  test('rejects, so that nobody goes on to wipe, and has it written with the next change', async () => {
    const ledger = await open();
    machine.faults.when(isWrite, { kind: 'fail', error: diskFull() });
    await expect(ledger.began(KEY, device, wipe)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect((await open()).get(KEY)).toBeUndefined();
    await ledger.use('approval-1');
    expect((await open()).get(KEY)).toEqual({ ...device, wipe });
  });

  test('rejects again as long as the disk is full, also for what is known already', async () => {
    const ledger = await open();
    machine.faults.when(isWrite, { kind: 'fail', error: diskFull() }, 2);
    await expect(ledger.began(KEY, device, wipe)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(ledger.began(KEY, device, wipe)).rejects.toMatchObject({ code: 'ENOSPC' });
    await ledger.began(KEY, device, wipe);
    expect((await open()).get(KEY)).toEqual({ ...device, wipe });
  });

  test('cannot be begun', async () => {
    machine.faults.when(isWrite, { kind: 'fail', error: diskFull() });
    await expect(open()).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});

describe('a ledger that two processes have open', () => {
  const content = () => machine.host().files.readText(FILE);

  test('is left to the one that has written last: the other writes no more, and says why', async () => {
    const [one, other] = [await open(), await open()];
    await one.began(KEY, device, wipe);
    const before = await content();
    const why = `another agent uses the directory of ${FILE}: it has written that file since this one did, which writes no more`;
    expect(other.taken.aborted).toBe(false);
    await expect(other.use('approval-1')).rejects.toThrow(why);
    expect(other.taken.reason).toMatchObject({ message: why });
    expect(await content()).toBe(before);
    await one.began(KEY, device, { ...wipe, doneBytes: 512 });
    expect([one.taken.aborted, (await open()).get(KEY)?.wipe?.doneBytes]).toEqual([false, 512]);
  });

  test('is not written by the other even when the file is as it left it again', async () => {
    const [one, other] = [await open(), await open()];
    const before = await content();
    await one.use('approval-1');
    await expect(other.use('approval-2')).rejects.toThrow('another agent');
    machine.tree.write(FILE, before ?? '');
    await expect(other.began(KEY, device, wipe)).rejects.toThrow('another agent');
    await expect(other.use('approval-2')).rejects.toThrow('another agent');
    expect(await content()).toBe(before);
  });

  test('is begun by one of them', async () => {
    const answers = await Promise.allSettled([open(), open()]);
    const [begun] = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    await begun?.use('approval-1');
    expect((await open()).hasUsed('approval-1')).toBe(true);
  });

  test('is written again by one that finds it removed', async () => {
    const ledger = await open();
    await ledger.use('approval-1');
    machine.tree.remove(FILE);
    await ledger.began(KEY, device, wipe);
    expect((await open()).hasUsed('approval-1')).toBe(true);
  });
});

describe('a copy of a ledger', () => {
  const copy = () => Ledger.copy(DIRECTORY, { files: machine.host().files, clock, log }, async () => ['uid-1']);

  test('knows what the ledger knows, and what changes, and writes nothing', async () => {
    await (await open()).began(KEY, device, wipe);
    const from = machine.journal.length;
    const ledger = await copy();
    await ledger.began(KEY, device, { ...wipe, doneBytes: 512 });
    await ledger.use('approval-1');
    expect([ledger.get(KEY)?.wipe?.doneBytes, ledger.hasUsed('approval-1')]).toEqual([512, true]);
    expect(machine.journal.slice(from)).toEqual([]);
    expect((await open()).get(KEY)?.wipe).toEqual(wipe);
  });

  test('where there is no ledger is begun in memory only', async () => {
    const ledger = await copy();
    await ledger.began(KEY, device, wipe);
    expect([ledger.since, ledger.inherits('uid-1'), ledger.get(KEY)?.wipe]).toEqual([clock.now(), true, wipe]);
    expect(machine.journal).toEqual([]);
  });

  test('of one that cannot be understood leaves that where it is, and says so', async () => {
    machine.tree.mkdir(DIRECTORY);
    machine.tree.write(FILE, 'rubbish');
    expect([...(await copy()).entries()]).toEqual([]);
    expect(machine.journal).toEqual([]);
    expect(log.at('error')).toMatchObject([{ fields: { path: FILE } }]);
  });
});

describe('a ledger that cannot be understood', () => {
  const rubbish = '{"version":1,"devices":{';
  beforeEach(() => {
    machine.tree.mkdir(DIRECTORY);
    machine.tree.write(FILE, rubbish);
  });

  test('is put aside with its content, and another one begun', async () => {
    const ledger = await open();
    expect([ledger.since, [...ledger.entries()]]).toEqual([clock.now(), []]);
    const [aside] = await asides();
    expect(await machine.host().files.readText(`${DIRECTORY}/${aside}`)).toBe(rubbish);
    expect(log.at('error')).toMatchObject([{ fields: { path: FILE, aside: `${DIRECTORY}/${aside}` } }]);
  });

  test('does not take the place of an earlier one that was put aside', async () => {
    await open();
    machine.tree.write(FILE, `${rubbish} `);
    await open();
    expect(await asides()).toHaveLength(2);
  });

  test('is put aside once, however often the program is started and fails on it', async () => {
    for (let start = 0; start < 3; start += 1) {
      machine.faults.when(({ verb, target }) => verb === 'file.write' && target === FILE, { kind: 'fail' });
      await expect(open()).rejects.toThrow();
    }
    expect(await asides()).toHaveLength(1);
    expect(machine.journal.filter(({ target }) => target.includes('unreadable'))).toHaveLength(1);
    expect(await machine.host().files.readText(FILE)).toBe(rubbish);
  });

  test('stays where it is when it cannot be put aside', async () => {
    machine.faults.when(isWrite, { kind: 'fail', error: diskFull() });
    await expect(open()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await machine.host().files.readText(FILE)).toBe(rubbish);
  });

  test('of a newer version is left alone, and nothing is begun', async () => {
    const newer = '{"version":2,"devices":[]}';
    machine.tree.write(FILE, newer);
    await expect(open()).rejects.toThrow(
      `the ledger ${FILE} cannot be read: it is of version 2, and this program knows 1. Run the version that wrote it; or, to give up what it knows of the devices of this node, move it away`,
    );
    expect([await machine.host().files.readText(FILE), await asides()]).toEqual([newer, []]);
  });

  test('that cannot be read at all is an error, not a new beginning', async () => {
    machine.faults.when(({ verb }) => verb === 'file.read', { kind: 'fail' });
    await expect(open()).rejects.toMatchObject({ code: 'EIO' });
    expect(await machine.host().files.readText(FILE)).toBe(rubbish);
  });
});

describe('whatever goes wrong, and wherever', () => {
  const STEPS: readonly ((ledger: Ledger) => Promise<void>)[] = [
    (ledger) => ledger.saw(KEY, device, volume('Bound', '5'), 'c1'),
    (ledger) => ledger.saw(KEY, device, volume('Released', '6'), 'c1'),
    (ledger) => ledger.began(KEY, device, wipe),
    (ledger) => ledger.began(KEY, device, { ...wipe, doneBytes: 512 }),
    (ledger) => ledger.cleaned(KEY, device, clean),
    (ledger) => ledger.use('approval-1'),
    (ledger) => ledger.handOut(KEY, device, 'local-n-a', 'c1'),
  ];
  const contentOf = (ledger: Ledger) => JSON.stringify([[...ledger.entries()], ledger.hasUsed('approval-1')]);

  /** What the ledger held before each step and after the last. */
  async function course(): Promise<readonly string[]> {
    const undisturbed = new SimulatedMachine(clock).host();
    const ledger = await open(undisturbed);
    const contents = [contentOf(ledger)];
    for (const step of STEPS) {
      await step(ledger);
      contents.push(contentOf(ledger));
    }
    return contents;
  }

  /** Goes through the steps, and says how many were said to be on the disk when it was cut off, if it was. */
  async function run(host: SimulatedHost, onError: (error: unknown) => void): Promise<number> {
    let done = 0;
    const story = async () => {
      const ledger = await open(host);
      for (const step of STEPS) {
        await step(ledger).catch(onError);
        done += 1;
      }
    };
    await Promise.race([story().catch(onError), host.process.died]);
    return done;
  }

  async function calls(): Promise<number> {
    await run(machine.host(), () => {});
    const count = machine.faults.calls;
    machine = new SimulatedMachine(clock);
    return count;
  }

  test.each(['crash-before', 'crash-after'] as const)(
    '%s at any call: what was said to be on the disk is there, and nothing is half there',
    async (kind) => {
      const contents = await course();
      const count = await calls();
      expect(count).toBeGreaterThan(STEPS.length);
      for (let call = 1; call <= count; call += 1) {
        machine = new SimulatedMachine(clock);
        machine.faults.at(call, { kind });
        const done = await run(machine.host(), (error) => expect.unreachable(String(error)));
        expect(done).toBeLessThan(STEPS.length);
        const found = contentOf(await open());
        expect([contents[done], contents[done + 1]], `call ${call}, ${done} steps`).toContain(found);
        expect(await asides()).toEqual([]);
      }
    },
  );

  test.each(['fail', 'fail-after'] as const)(
    '%s at any call: the caller is told, and in the end nothing is missing',
    async (kind) => {
      const contents = await course();
      const count = await calls();
      for (let call = 1; call <= count; call += 1) {
        machine = new SimulatedMachine(clock);
        const fault: Fault = { kind, error: diskFull() };
        machine.faults.at(call, fault);
        const errors: unknown[] = [];
        const done = await run(machine.host(), (error) => errors.push(error));
        expect(errors).toMatchObject([{ code: 'ENOSPC' }]);
        /** A failure of the last step, which is to look and to write, has no next one to go with. */
        const isLost = call === count - 1 || (kind === 'fail' && call === count);
        expect(contentOf(await open()), `call ${call}`).toBe(contents[isLost ? done - 1 : done]);
      }
    },
  );
});

describe('a ledger on a real disk', () => {
  test('is not known to be there once its directory is removed, and is there again as soon as that is', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ledger-'));
    try {
      const files = realFiles(clock, Math.random);
      const ledger = await Ledger.open(directory, { files, clock, log }, async () => []);
      await ledger.began(KEY, device, wipe);
      await rm(directory, { recursive: true });
      await expect(ledger.ensureWritten()).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(ledger.began(KEY, device, wipe)).rejects.toMatchObject({ code: 'ENOENT' });
      await mkdir(directory);
      await ledger.ensureWritten();
      const again = await Ledger.open(directory, { files, clock, log }, async () => []);
      expect(again.get(KEY)).toEqual(ledger.get(KEY));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
