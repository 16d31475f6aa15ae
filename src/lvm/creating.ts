/** Makes new logical volumes, as many as are asked for at the same time. */
import { Retry } from '../kit/controller/outcome.ts';
import { failureOf } from '../kit/failure-of.ts';
import { CommandError, type CommandResult } from '../kit/host/command.ts';
import { type Command, inOneProcess } from './commands.ts';
import type { LogicalVolume, Lvm } from './facts.ts';

export interface Creation {
  readonly command: Command;
  readonly vg: string;
  readonly name: string;
  /** All of which it has from the first moment. They tell what this attempt has made from what another one has. */
  readonly tags: readonly string[];
  /** What has to be done around it, and around nothing else. */
  readonly around?: ((make: () => Promise<unknown>) => Promise<unknown>) | undefined;
  /** Of one in a thin pool. */
  readonly promise?: Promised | undefined;
}

export interface Promised {
  readonly pool: string;
  readonly bytes: bigint;
  /** How much all volumes of the pool may come to. */
  readonly atMost: bigint;
}

export interface CreatingParts {
  readonly run: (command: Command) => Promise<Pick<CommandResult, 'stdout'>>;
  readonly look: () => Promise<Lvm>;
}

/** By one process of LVM, which is waited for. */
const AT_ONCE = 64;

interface Waiting {
  readonly creation: Creation;
  readonly answer: PromiseWithResolvers<LogicalVolume | Error>;
}

/** Something else that has to have the group for itself. */
interface Alone {
  readonly work: () => Promise<void>;
}

/**
 * In each group one process after the other: LVM would let them wait for each other, and a pool must not be promised twice. Who comes
 * meanwhile is in the next one, and a group that hangs keeps no other waiting.
 */
export class Creating {
  readonly #parts: CreatingParts;
  /** Of each group in which something is made now. */
  readonly #lines = new Map<string, (Waiting | Alone)[]>();

  constructor(parts: CreatingParts) {
    this.#parts = parts;
  }

  /** What will have been made for each, or why it was not. Never rejects. */
  begin(creations: readonly Creation[]): readonly Promise<LogicalVolume | Error>[] {
    const all = creations.map((creation): Waiting => ({ creation, answer: Promise.withResolvers() }));
    for (const [vg, some] of Map.groupBy(all, ({ creation }) => creation.vg)) this.#queue(vg, some);
    return all.map(({ answer }) => answer.promise);
  }

  /** While nothing is made in the group. */
  alone<T>(vg: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#queue(vg, [{ work: () => work().then(resolve, reject) }]);
    return promise;
  }

  #queue(vg: string, some: readonly (Waiting | Alone)[]): void {
    const line = this.#lines.get(vg);
    if (line) line.push(...some);
    else void this.#serve(vg, [...some]);
  }

  async #serve(vg: string, line: (Waiting | Alone)[]): Promise<void> {
    this.#lines.set(vg, line);
    while (line.length > 0) {
      const next = line.findIndex((each) => 'work' in each);
      const some = line.splice(0, next < 0 ? AT_ONCE : Math.min(Math.max(next, 1), AT_ONCE));
      for (const each of some) if ('work' in each) await each.work();
      await this.#serveTogether(some.filter((each) => 'creation' in each));
    }
    this.#lines.delete(vg);
  }

  async #serveTogether(some: readonly Waiting[]): Promise<void> {
    if (some.length === 0) return;
    const made = await this.#made(some.map(({ creation }) => creation));
    for (const [index, { answer }] of some.entries())
      answer.resolve((made instanceof Error ? made : made[index]) ?? new Error('it was not made'));
  }

  async #made(creations: readonly Creation[]): Promise<readonly (LogicalVolume | Error)[] | Error> {
    try {
      return await createSome(creations, this.#parts);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/**
 * One process of LVM makes them all: to start one, and to have it look at all disks,
 * takes as long as to make a volume. That says nothing of each: what is not there afterwards is made by a process of its own, which does.
 */
async function createSome(
  creations: readonly Creation[],
  parts: CreatingParts,
): Promise<readonly (LogicalVolume | Error)[]> {
  const refused = await overPromised(creations, parts);
  const allowed = creations.filter((each) => !refused.has(each));
  const failed = new Map<Creation, Error>(refused);
  const together = allowed.filter(({ around }) => !around);
  const made = together.length > 1 ? await createTogether(together, failed, parts) : undefined;
  const alone = allowed.filter((each) => !failed.has(each) && (!made || !madeOf(each, made)));
  for (const [index, each] of alone.entries()) {
    const { around = (make) => make() } = each;
    const failure = await failureOf(() => around(() => parts.run(each.command)));
    if (failure) failed.set(each, failure);
    if (!isTimedOut(failure)) continue;
    for (const waiting of alone.slice(index + 1)) failed.set(waiting, new Retry(`${each.vg} does not answer`));
    break;
  }
  const now = made && alone.length === 0 ? made : await parts.look();
  return creations.map((each) => failed.get(each) ?? madeOf(each, now) ?? notAsMade(each));
}

const isTimedOut = (failure: Error | undefined): boolean =>
  failure instanceof CommandError && failure.outcome.kind === 'timed-out';

/**
 * What there is afterwards; nothing when there is no such way on this node. What is there although LVM does not say that it was made has
 * failed half-way, and nobody knows how far it was wiped. That is the one thing that is taken from what LVM says for people and not from its
 * report: the volume is in the report, with its marks, before it is wiped, its shell has one exit code for all, and a command for each, whose
 * code would tell, is what this is to save. Words that are not understood cost time only: what was made is removed and made again.
 */
async function createTogether(
  creations: readonly Creation[],
  failed: Map<Creation, Error>,
  { run, look }: CreatingParts,
): Promise<Lvm | undefined> {
  const all = inOneProcess(creations.map(({ command }) => command));
  if (!all) return undefined;
  const said = await saidBy(() => run(all));
  const now = await look();
  for (const each of creations)
    if (madeOf(each, now) && !said.includes(`Logical volume "${each.name}" created.`)) failed.set(each, halfMade(each));
  return now;
}

async function saidBy(run: () => Promise<Pick<CommandResult, 'stdout'>>): Promise<string> {
  try {
    return (await run()).stdout;
  } catch (error) {
    // One that was killed, or that nobody could end, may not have done all of it, and may still be at it.
    if (!(error instanceof CommandError) || !ENDED_BY_ITSELF.has(error.outcome.kind)) throw error;
    return error.output.stdout;
  }
}

const halfMade = ({ vg, name }: Creation): Error =>
  new Retry(`${vg}/${name} was not made to the end, and is made anew`);

const ENDED_BY_ITSELF: ReadonlySet<CommandError['outcome']['kind']> = new Set(['exited', 'not-found', 'not-started']);

function madeOf({ vg, name, tags }: Creation, { groups }: Lvm): LogicalVolume | undefined {
  const lv = groups.get(vg)?.volumes.get(name);
  return lv && tags.every((tag) => lv.tags.includes(tag)) ? lv : undefined;
}

const notAsMade = ({ vg, name }: Creation): Error => new Retry(`${vg}/${name} is not there as it was made`);

/**
 * Each was decided on as if it came alone, and before those in front of it in the line were made: together they must not promise more of a
 * pool than one after the other would.
 */
async function overPromised(
  creations: readonly Creation[],
  { look }: CreatingParts,
): Promise<ReadonlyMap<Creation, Error>> {
  const refused = new Map<Creation, Error>();
  const inPools = creations.filter(({ promise }) => promise);
  if (inPools.length === 0) return refused;
  const { groups } = await look();
  const promised = new Map<string, bigint>();
  for (const each of inPools) {
    const { vg, promise } = each;
    if (!promise) continue;
    const pool = `${vg}/${promise.pool}`;
    const before = promised.get(pool) ?? promisedIn(promise.pool, groups.get(vg)?.volumes.values().toArray() ?? []);
    if (before + promise.bytes > promise.atMost) refused.set(each, noRoomLeft(pool));
    else promised.set(pool, before + promise.bytes);
  }
  return refused;
}

export const noRoomLeft = (pool: string): Retry =>
  new Retry(`others that are made or grow in the pool ${pool} at the same time leave no room for it`);

/** How much the volumes of a pool come to. */
export const promisedIn = (pool: string, volumes: readonly LogicalVolume[]): bigint =>
  volumes.filter((each) => each.pool === pool).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n);
