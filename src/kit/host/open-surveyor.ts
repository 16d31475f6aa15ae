/** Looks at the descriptors of every process in /proc: at what they are, not at the names that they were opened by. */
import { type BigIntStats, readdirSync, readlinkSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock/clock.ts';
import { type DeviceNumber, deviceNumber } from './device-number.ts';
import { errorCode } from './file-error.ts';
import type { Opener, OpenSurvey, Unseen } from './open-survey.ts';
import { blindSpots } from './proc-blind-spots.ts';
import { commandOf, isKernelThread, numbersIn } from './proc-process.ts';
import { settlesWithin } from './settles-within.ts';

/** How long one file may take to say what it is. One on a network filesystem whose server is gone takes for ever. */
export const STAT_PATIENCE_MS = 5_000;
/** How often to look for processes that came meanwhile. A busy machine has none left to find after two or three. */
export const MAX_ROUNDS = 10;
/** How many tables and descriptors to look at before other work gets its turn. */
const LOOKS_PER_TURN = 256;

/** One survey as it goes. */
interface Course {
  readonly openers: Map<DeviceNumber, Opener[]>;
  readonly unseen: Unseen[];
  looks: number;
  /** Why it ended early. It stays that way, also when what did not answer does so before the end. */
  cutOff: Unseen | undefined;
}

interface Descriptor {
  /** Where it is found in /proc. */
  readonly path: string;
  readonly fd: number;
  /** To be called when it has said what it is. */
  readonly answered: () => void;
}

type StatFile = (path: string, options: { bigint: true }) => Promise<BigIntStats>;

export class OpenSurveyor {
  readonly #clock: Clock;
  readonly #procRoot: string;
  readonly #stat: StatFile;
  #running: Promise<OpenSurvey> | undefined;
  #next: Promise<OpenSurvey> | undefined;
  /** What still does not answer. Until it does nothing more is asked, so that never more than one thread hangs. */
  #hanging: Unseen | undefined;

  constructor(clock: Clock, procRoot: string, statFile: StatFile = stat) {
    this.#clock = clock;
    this.#procRoot = procRoot;
    this.#stat = statFile;
  }

  /** A survey that starts after it was asked for. Those who ask while one is under way share the next. */
  survey(): Promise<OpenSurvey> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<OpenSurvey> {
    this.#next = undefined;
    const survey = this.#survey().finally(() => {
      if (this.#running === survey) this.#running = undefined;
    });
    this.#running = survey;
    return survey;
  }

  async #survey(): Promise<OpenSurvey> {
    const unseen = await blindSpots(this.#procRoot);
    const course: Course = { openers: new Map(), unseen, looks: 0, cutOff: this.#hanging };
    const self = Number(await readlink(join(this.#procRoot, 'self')));
    for (const pid of this.#processes(course)) {
      for (const [fd, device] of await this.#devicesOf(pid, course)) {
        const opener = { pid, command: commandOf(this.#procRoot, pid), fd, self: pid === self };
        course.openers.set(device, [...(course.openers.get(device) ?? []), opener]);
      }
    }
    return { openers: course.openers, unseen: course.cutOff ? [...unseen, course.cutOff] : unseen };
  }

  /** Lists again until no new ones appear: one that ended before we came to it may have left its descriptors to a child. */
  *#processes(course: Course): Generator<number> {
    const looked = new Set<number>();
    for (let round = 0; !course.cutOff; round++) {
      const fresh = numbersIn(this.#procRoot).filter((pid) => !looked.has(pid));
      if (fresh.length === 0) return;
      if (round === MAX_ROUNDS) {
        const reason = `new processes come faster than their descriptors can be looked at (${fresh.length} are left)`;
        return void course.unseen.push({ kind: 'restless', reason });
      }
      for (const pid of fresh) {
        if (course.cutOff) return;
        looked.add(pid);
        yield pid;
      }
    }
  }

  async #devicesOf(pid: number, course: Course): Promise<readonly [number, DeviceNumber][]> {
    const found: [number, DeviceNumber][] = [];
    const failures = new Set<string>();
    for await (const descriptor of this.#descriptorsOf(pid, course, failures)) {
      const device = await this.#deviceAt(descriptor, pid, course).catch((error) => note(error, failures));
      if (device) found.push([descriptor.fd, device]);
    }
    if (failures.size === 0 || isKernelThread(this.#procRoot, pid)) return found;
    const command = commandOf(this.#procRoot, pid);
    for (const code of failures) {
      const reason = `descriptors of process ${pid} (${command}) cannot be read (${code})`;
      course.unseen.push({ kind: 'process', pid, command, code, reason });
    }
    return found;
  }

  /**
   * The descriptors of a process that lead to a path. All its threads are asked: one can have descriptors of its own, and when the
   * first thread has ended, /proc/PID/fd is empty although the others go on. Most share one table, so that a descriptor that was
   * answered for is passed over. Only a path can be a block device; sockets, pipes and the like are told by their link, at little cost.
   */
  async *#descriptorsOf(pid: number, course: Course, failures: Set<string>): AsyncGenerator<Descriptor> {
    const answered = new Set<string>();
    const tasks = `${this.#procRoot}/${pid}/task`;
    for (const thread of attemptTo(() => numbersIn(tasks), failures) ?? []) {
      const table = `${tasks}/${thread}/fd`;
      if (isOthersTurn(course)) await setImmediate();
      for (const fd of attemptTo(() => readdirSync(table), failures) ?? []) {
        if (isOthersTurn(course)) await setImmediate();
        const target = attemptTo(() => readlinkSync(`${table}/${fd}`), failures);
        const key = `${fd} ${target}`;
        if (!target?.startsWith('/') || answered.has(key)) continue;
        yield { path: `${table}/${fd}`, fd: Number(fd), answered: () => answered.add(key) };
      }
    }
  }

  async #deviceAt(descriptor: Descriptor, pid: number, course: Course): Promise<DeviceNumber | undefined> {
    const found = course.cutOff ? undefined : await this.#patientStat(descriptor, pid, course);
    if (found) descriptor.answered();
    return found?.isBlockDevice() ? deviceNumber(found.rdev) : undefined;
  }

  async #patientStat({ path, fd }: Descriptor, pid: number, course: Course): Promise<BigIntStats | undefined> {
    const answer = this.#stat(path, { bigint: true });
    if (await settlesWithin(this.#clock, STAT_PATIENCE_MS, answer)) return answer;
    const reason = `descriptor ${fd} of process ${pid} is on a filesystem that does not answer, and nothing after it was looked at`;
    this.#hanging = course.cutOff = { kind: 'no-answer', reason };
    const answered = () => {
      this.#hanging = undefined;
    };
    answer.then(answered, answered);
    return undefined;
  }
}

function isOthersTurn(course: Course): boolean {
  course.looks += 1;
  return course.looks % LOOKS_PER_TURN === 0;
}

function attemptTo<T>(look: () => T, failures: Set<string>): T | undefined {
  try {
    return look();
  } catch (error) {
    return note(error, failures);
  }
}

/** Notes the failure, unless it only means that the process or the descriptor went while we looked: then it has nothing open any more. */
function note(error: unknown, failures: Set<string>): undefined {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'ESRCH') failures.add(code);
}
