/**
 * A cgroup to run a program in, with the limits that a container would have: version 1 or 2, whichever the machine has. Making one
 * takes root.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/harness/wait.ts';

export interface Limits {
  readonly memoryBytes: number;
  /** In thousandths of a core. */
  readonly cpuMillis: number;
}

/** What the kernel charges to the cgroup. */
export interface Charged {
  /** The most at any moment, the page cache included, which the kernel takes back when it has to. */
  readonly peakBytes: number;
  /** What it cannot take back: the program's own memory. */
  readonly anonymousBytes: number;
  readonly cacheBytes: number;
  /** How often the limit was hit, and something had to be taken back. */
  readonly timesAtLimit: number;
  /** Pages that had been taken back, and were read from the disk once more, or for the first time. */
  readonly majorFaults: number;
  readonly oomKills: number;
}

/** The two versions differ in names of directories and files, and in nothing that we use them for. */
interface Layout {
  readonly directories: readonly string[];
  /** What is written into which file, in this order. */
  readonly settings: (limits: Limits) => Readonly<Record<string, string>>;
  readonly charged: () => Charged;
}

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

export class Cgroup implements AsyncDisposable {
  readonly #layout: Layout;

  private constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** The sentence says why there is none. */
  static create(name: string, limits: Limits): Cgroup | string {
    const layout = existsSync(join(ROOT, 'memory/memory.limit_in_bytes')) ? version1(name) : version2(name);
    const made: string[] = [];
    try {
      for (const directory of layout.directories) {
        mkdirSync(directory);
        made.push(directory);
      }
      for (const [file, text] of Object.entries(layout.settings(limits))) writeFileSync(file, text);
      return new Cgroup(layout);
    } catch (error) {
      for (const directory of made) rmdirSync(directory);
      return `a cgroup cannot be made here: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** A command line that moves itself into the cgroup and becomes the program. */
  commandFor(program: string, args: readonly string[]): readonly [string, ...string[]] {
    const joins = this.#layout.directories.map((directory) => `echo $$ > '${directory}/cgroup.procs'`);
    return ['sh', '-c', `${joins.join(' && ')} && exec "$@"`, 'sh', program, ...args];
  }

  charged(): Charged {
    return this.#layout.charged();
  }

  /** To be called when its programs have ended; the kernel may take a moment to notice. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const directory of this.#layout.directories) await eventually(() => rmdirSync(directory), { timeout: 10_000 });
  }
}

function version1(name: string): Layout {
  const memory = join(ROOT, 'memory', name);
  const cpu = join(ROOT, 'cpu', name);
  return {
    directories: [memory, cpu],
    settings: ({ memoryBytes, cpuMillis }) => ({
      [join(memory, 'memory.limit_in_bytes')]: String(memoryBytes),
      [join(cpu, 'cpu.cfs_period_us')]: String(PERIOD_US),
      [join(cpu, 'cpu.cfs_quota_us')]: String((PERIOD_US * cpuMillis) / 1000),
    }),
    charged: () => ({
      peakBytes: Number(text(memory, 'memory.max_usage_in_bytes')),
      anonymousBytes: field(memory, 'memory.stat', 'rss'),
      cacheBytes: field(memory, 'memory.stat', 'cache'),
      timesAtLimit: Number(text(memory, 'memory.failcnt')),
      majorFaults: field(memory, 'memory.stat', 'pgmajfault'),
      oomKills: field(memory, 'memory.oom_control', 'oom_kill'),
    }),
  };
}

function version2(name: string): Layout {
  const directory = join(ROOT, name);
  return {
    directories: [directory],
    settings: ({ memoryBytes, cpuMillis }) => ({
      [join(ROOT, 'cgroup.subtree_control')]: '+memory +cpu',
      [join(directory, 'memory.max')]: String(memoryBytes),
      [join(directory, 'cpu.max')]: `${(PERIOD_US * cpuMillis) / 1000} ${PERIOD_US}`,
    }),
    charged: () => ({
      peakBytes: Number(text(directory, 'memory.peak')),
      anonymousBytes: field(directory, 'memory.stat', 'anon'),
      cacheBytes: field(directory, 'memory.stat', 'file'),
      timesAtLimit: field(directory, 'memory.events', 'max'),
      majorFaults: field(directory, 'memory.stat', 'pgmajfault'),
      oomKills: field(directory, 'memory.events', 'oom_kill'),
    }),
  };
}

const text = (directory: string, file: string): string => readFileSync(join(directory, file), 'utf8').trim();

function field(directory: string, file: string, name: string): number {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text(directory, file))?.[1];
  if (found === undefined) throw new Error(`${join(directory, file)} has no ${name}`);
  return Number(found);
}
