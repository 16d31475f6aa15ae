/** Devices that are wiped, one alone and eight at the same time. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WipeMethod } from '../../src/devices/contract.ts';
import { type Contest, CPU, compare, STALL, WALL } from '../measure/compare.ts';
import type { Contender } from '../measure/contender.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import type { ByHand } from './contenders/by-hand.ts';
import { READ_BACK, WIPE, type Wipe } from './contenders/wipe.ts';
import { type Disks, withDisks } from './disks.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HEADS = [0, GIB];

/** 0.95 of its speed. */
const AS_FAST = { ratioAtMost: 1.05 };
const FAR_BEYOND = { ratioAtMost: 0.1 };

const DEVICES =
  'The devices are loop devices with direct I/O over files whose blocks are all allocated, so that nothing is written to memory only, ' +
  'and the filesystem behind them has no blocks to look for. ';

export const wipeByWriting: Benchmark = {
  name: 'wipe by writing',
  about:
    `wipes devices where every byte must be written: the engine is told that the device offers no write-zeroes. ${DEVICES}All blocks have ` +
    'been written before. The limit of zeroes is `dd if=/dev/zero bs=4M oflag=direct conv=fsync`, a process for each device; that of ' +
    '`random-all` is the same `dd` with random bytes that lie ready in the page cache, which costs no cipher at all: /dev/urandom would ' +
    'be slower. The cipher alone, on one core, is beside it. What is 0.95 of the speed is 1.05 times the time. Both end when everything is ' +
    'synced. Reading back, which dd does not do, is a figure of its own.',
  run: (bench) =>
    onDisks(bench, async (disks, directory) => {
      bench.progress('  writing every block once');
      await disks.fill();
      await using random = await RandomBytes.make(directory, Math.min(512 * MIB, disks.sizeBytes));
      const zero = (path: string) => [ddOnto(path, '/dev/zero', 0, disks.sizeBytes)];
      const heads = (path: string) =>
        headsOf(disks).map(({ start, length }) => ddOnto(path, '/dev/zero', start, length));
      const rows: Row[] = [];
      for (const paths of groupsOf(disks)) {
        const contest = { disks, directory, paths, isWritten: true };
        rows.push(
          ...(await written({ ...contest, method: 'zero-head', byHand: heads }, bench)),
          ...(await written({ ...contest, method: 'zero-all', byHand: zero }, bench)),
          ...(await written({ ...contest, method: 'random-all', byHand: (path) => random.onto(path, disks) }, bench)),
        );
      }
      return [...rows, ...(await cipherAlone())];
    }),
};

export const wipeByKernel: Benchmark = {
  name: 'wipe by the kernel',
  about:
    `wipes devices that let the kernel write zeroes, or discard. ${DEVICES}Before each run all blocks are allocated again. The limit is ` +
    '`blkdiscard`, with `--zeroout` for zeroes, for the same ranges; `discard` zeroes the heads afterwards, by hand as well. ' +
    'Beside it, the same instead of `dd if=/dev/zero bs=4M oflag=direct conv=fsync` over the whole device.',
  run: (bench) =>
    onDisks(bench, async (disks, directory) => {
      const zeroOut = (path: string, start: number, length: number): Command => [
        'blkdiscard',
        '--force',
        '--zeroout',
        ...['--offset', `${start}`, '--length', `${length}`],
        path,
      ];
      const heads = (path: string) => headsOf(disks).map(({ start, length }) => zeroOut(path, start, length));
      const all = (path: string) => [zeroOut(path, 0, disks.sizeBytes)];
      const discard = (path: string): readonly Command[] => [['blkdiscard', '--force', path], ...heads(path)];
      const rows: Row[] = [];
      for (const paths of groupsOf(disks)) {
        const contest = { disks, directory, paths, isWritten: false };
        rows.push(
          ...(await byKernel({ ...contest, method: 'zero-head', byHand: heads }, bench)),
          ...(await byKernel({ ...contest, method: 'zero-all', byHand: all }, bench)),
          ...(await byKernel({ ...contest, method: 'discard', byHand: discard }, bench)),
        );
      }
      const one = { disks, directory, paths: disks.paths.slice(0, 1), isWritten: false };
      const dd = (path: string) => [ddOnto(path, '/dev/zero', 0, disks.sizeBytes)];
      return [...rows, ...(await insteadOfDd({ ...one, method: 'zero-all', byHand: dd }, bench))];
    }),
};

type Command = readonly [string, ...string[]];

interface WipeContest {
  readonly disks: Disks;
  readonly directory: string;
  readonly paths: readonly string[];
  readonly method: WipeMethod;
  readonly isWritten: boolean;
  readonly byHand: (path: string) => readonly Command[];
}

async function written(contest: WipeContest, bench: Bench): Promise<readonly Row[]> {
  bench.progress(`  ${nameOf(contest)}`);
  const { limit, ours } = await race({ limit: byHand(contest), ours: engine(contest) }, bench);
  const wiped: Contest = { what: nameOf(contest), phase: WIPE, limit, ours };
  return [compare(wiped, WALL, AS_FAST), ...ownRows({ what: wiped.what, ours })];
}

async function byKernel(contest: WipeContest, bench: Bench): Promise<readonly Row[]> {
  const what = `${nameOf(contest)}, by the kernel`;
  const { limit, ours } = await allocatedRace(what, contest, bench);
  return [compare({ what, phase: WIPE, limit, ours }, WALL), ...ownRows({ what, ours })];
}

async function insteadOfDd(contest: WipeContest, bench: Bench): Promise<readonly Row[]> {
  const what = `${nameOf(contest)}, by the kernel instead of by dd`;
  return [compare({ what, phase: WIPE, ...(await allocatedRace(what, contest, bench)) }, WALL, FAR_BEYOND)];
}

function allocatedRace(what: string, contest: WipeContest, bench: Bench) {
  bench.progress(`  ${what}`);
  const before = () => contest.disks.allocate();
  const contenders = { limit: { ...byHand(contest), before }, ours: { ...engine(contest), before } };
  return race(contenders, bench);
}

/** What nobody else has a part in. */
function ownRows({ what, ours }: Pick<Contest, 'what' | 'ours'>): readonly Row[] {
  const readBack = { ...WALL, name: 'time on the wall to read a sample back' };
  return [
    compare({ what, phase: WIPE, ours }, CPU),
    compare({ what, phase: WIPE, ours }, STALL),
    compare({ what, phase: READ_BACK, ours }, readBack),
  ];
}

const nameOf = ({ method, paths, disks }: WipeContest): string => {
  const size = disks.sizeBytes >= GIB ? `${disks.sizeBytes / GIB} GiB` : `${disks.sizeBytes / MIB} MiB`;
  return paths.length === 1
    ? `${method}, a device of ${size}`
    : `${method}, ${paths.length} devices of ${size} at once`;
};

function engine({ paths, method, isWritten, directory }: WipeContest): Contender {
  const input: Wipe = { paths, method, isWritten, directory };
  return { module: import.meta.resolve('./contenders/wipe.ts'), input };
}

function byHand({ paths, byHand }: WipeContest): Contender {
  const input: ByHand = { devices: paths.map(byHand) };
  return { module: import.meta.resolve('./contenders/by-hand.ts'), input };
}

const ddOnto = (to: string, from: string, start: number, length: number): Command => [
  'dd',
  `if=${from}`,
  `of=${to}`,
  'bs=4M',
  'oflag=direct',
  'conv=fsync,notrunc',
  `seek=${start / (4 * MIB)}`,
  `count=${length / (4 * MIB)}`,
];

const headsOf = ({ sizeBytes }: Disks) =>
  HEADS.filter((start) => start < sizeBytes).map((start) => ({
    start,
    length: Math.min(100 * MIB, sizeBytes - start),
  }));

const groupsOf = ({ paths }: Disks): readonly (readonly string[])[] => [paths.slice(0, 1), paths];

function onDisks(
  { quick, progress }: Bench,
  work: (disks: Disks, directory: string) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const [count, sizeBytes] = quick ? [2, 512 * MIB] : [8, 4 * GIB];
  progress(`  making ${count} devices of ${sizeBytes / MIB} MiB`);
  return withDisks(count, sizeBytes, work);
}

/** Random bytes in a file that has no name, read from memory: what was just written is still in the page cache. */
class RandomBytes implements AsyncDisposable {
  readonly #file: Awaited<ReturnType<typeof open>>;
  readonly #bytes: number;

  private constructor(file: Awaited<ReturnType<typeof open>>, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  static async make(directory: string, bytes: number): Promise<RandomBytes> {
    const path = join(directory, 'random');
    await promisify(execFile)('dd', ['if=/dev/urandom', `of=${path}`, 'bs=4M', `count=${bytes / (4 * MIB)}`]);
    const file = await open(path, 'r');
    await rm(path);
    return new RandomBytes(file, bytes);
  }

  /** All of the device, however often they must be written for that. */
  onto(path: string, { sizeBytes }: Disks): readonly Command[] {
    const source = `/proc/${process.pid}/fd/${this.#file.fd}`;
    return Array.from({ length: sizeBytes / this.#bytes }, (_, index) =>
      ddOnto(path, source, index * this.#bytes, this.#bytes),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close();
  }
}

/** How fast the cipher of `random-all` is with nothing else around it. */
async function cipherAlone(): Promise<readonly Row[]> {
  const { keystream, newSeed } = await import('../../src/kit/wipe/keystream.ts');
  const [fill, into] = [keystream(newSeed()), Buffer.alloc(MIB)];
  const from = process.threadCpuUsage();
  for (let position = 0; position < GIB; position += MIB) fill(into, position);
  const { user, system } = process.threadCpuUsage(from);
  return [{ what: 'the cipher alone', figure: 'CPU time for 1 GiB', unit: 's', ours: (user + system) / 1e6 }];
}
