/** Who has a block device open, read from /proc/PID/fd. Looks at what the descriptors are, not at the names they were opened by. */
import { type BigIntStats, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock/clock.ts';
import { type DeviceNumber, deviceNumber } from './device-number.ts';
import { errorCode } from './file-error.ts';
import { settlesWithin } from './settles-within.ts';

export interface Opener {
  readonly pid: number;
  readonly command: string;
  readonly fd: number;
  /** It is this very process. */
  readonly self: boolean;
}

export interface OpenSurvey {
  readonly openers: ReadonlyMap<DeviceNumber, readonly Opener[]>;
  /** What could not be seen. When this is not empty, a device that nobody is seen to have open may still be open. */
  readonly unseen: readonly Unseen[];
}

export interface Unseen {
  /** A sentence for people. */
  readonly reason: string;
  /** Set when it is one process that could not be looked at. */
  readonly pid?: number;
}

export type OpenAnswer =
  | { readonly open: 'yes'; readonly openers: readonly Opener[] }
  | { readonly open: 'no' }
  | { readonly open: 'unknown'; readonly unseen: readonly Unseen[] };

/** Whether anyone has the device open, apart from the openers that the caller knows of. */
export function openAnswer(survey: OpenSurvey, device: DeviceNumber, except?: (opener: Opener) => boolean): OpenAnswer {
  const openers = (survey.openers.get(device) ?? []).filter((opener) => !except?.(opener));
  if (openers.length > 0) return { open: 'yes', openers };
  return survey.unseen.length > 0 ? { open: 'unknown', unseen: survey.unseen } : { open: 'no' };
}

/** The number of the first process id namespace: who is in another one does not see the processes of the host. */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';
const CAP_SYS_PTRACE = 1n << 19n;
/** How long one file may take to say what it is. One on a network filesystem whose server is gone takes for ever. */
export const STAT_PATIENCE_MS = 5_000;

/** How many descriptors of one process to look at before other work gets its turn. */
const DESCRIPTORS_PER_TURN = 256;

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
    const openers = new Map<DeviceNumber, Opener[]>();
    const unseen = await this.#blindSpots();
    const self = Number(await readlink(join(this.#procRoot, 'self')));
    const pids = (await readdir(this.#procRoot)).filter((name) => /^\d+$/.test(name)).map(Number);
    for (const pid of pids) {
      if (this.#hanging) break;
      for (const [fd, device] of await this.#devicesOf(pid, unseen)) {
        const opener = { pid, command: await this.#command(pid), fd, self: pid === self };
        openers.set(device, [...(openers.get(device) ?? []), opener]);
      }
    }
    if (this.#hanging) unseen.push(this.#hanging);
    return { openers, unseen };
  }

  /** Processes that are not even listed in our /proc. */
  async #blindSpots(): Promise<Unseen[]> {
    const reasons: string[] = [];
    if ((await readlink(join(this.#procRoot, 'self/ns/pid'))) !== INITIAL_PID_NAMESPACE)
      reasons.push('this process has process ids of its own and does not see those of the host (it needs hostPID)');
    const status = await readFile(join(this.#procRoot, 'self/status'), 'utf8');
    const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
    if ((BigInt(`0x${capabilities}`) & CAP_SYS_PTRACE) === 0n)
      reasons.push('this process may not look at the descriptors of others (it needs CAP_SYS_PTRACE)');
    return reasons.map((reason) => ({ reason }));
  }

  async #devicesOf(pid: number, unseen: Unseen[]): Promise<readonly [number, DeviceNumber][]> {
    const found: [number, DeviceNumber][] = [];
    const failures = new Set<string>();
    const fds = await readdir(join(this.#procRoot, `${pid}/fd`)).catch((error) => note(error, failures) ?? []);
    for (const [index, fd] of fds.entries()) {
      if (index % DESCRIPTORS_PER_TURN === DESCRIPTORS_PER_TURN - 1) await setImmediate();
      const device = await this.#deviceBehind(pid, fd).catch((error) => note(error, failures));
      if (device) found.push([Number(fd), device]);
    }
    const command = failures.size > 0 ? await this.#command(pid) : '';
    for (const code of failures)
      unseen.push({ pid, reason: `descriptors of process ${pid} (${command}) cannot be read (${code})` });
    return found;
  }

  /** Only a path can be a block device; sockets, pipes and the like are told by their link, at little cost. */
  async #deviceBehind(pid: number, fd: string): Promise<DeviceNumber | undefined> {
    const path = join(this.#procRoot, `${pid}/fd`, fd);
    if (this.#hanging || !readlinkSync(path).startsWith('/')) return undefined;
    const found = await this.#patientStat(path, pid, fd);
    return found?.isBlockDevice() ? deviceNumber(found.rdev) : undefined;
  }

  async #patientStat(path: string, pid: number, fd: string): Promise<BigIntStats | undefined> {
    const answer = this.#stat(path, { bigint: true });
    if (await settlesWithin(this.#clock, STAT_PATIENCE_MS, answer)) return answer;
    const reason = `descriptor ${fd} of process ${pid} is on a filesystem that does not answer, and nothing after it was looked at`;
    this.#hanging = { reason };
    const answered = () => {
      this.#hanging = undefined;
    };
    answer.then(answered, answered);
    return undefined;
  }

  async #command(pid: number): Promise<string> {
    return (await readFile(join(this.#procRoot, `${pid}/comm`), 'utf8').catch(() => 'unknown')).trim();
  }
}

/** Notes the failure, unless it only means that the process or the descriptor went while we looked: then it has nothing open any more. */
function note(error: unknown, failures: Set<string>): undefined {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'ESRCH') failures.add(code);
}
