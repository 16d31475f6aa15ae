/**
 * What goes wrong in a simulation, and where: at the n-th call of a kind, on the n-th watch of a kind, or at a time. Calls are named
 * by what they ask for, so that the same fault is still at the same place when others are left out.
 */
import type { Random } from '../../kit/backoff.ts';
import { ANYWHERE, crashesAt, faultsAt } from './call-faults.ts';

export type CallFault =
  /** The process dies and the call was never made. */
  | 'crash-before'
  /** It was carried out, and the process dies before it hears of it. */
  | 'crash-after'
  /** It is refused: somebody else was first. */
  | 'conflict'
  /** The server has forgotten the version that is asked for. */
  | 'expired'
  | 'too-many'
  | 'internal'
  | 'unavailable'
  /** The store lets nobody in any more. */
  | 'denied'
  /** There is no such store. */
  | 'not-found'
  /** Half of what is there is answered, and nobody says so. */
  | 'torn'
  /** A program ends with an error, a disk cannot read or write, an agent does not do what it was asked for; nothing has happened. */
  | 'fails'
  /** Somebody else ends the program before it has done anything. */
  | 'killed'
  /** Nobody answers; a program is ended when its time is over, and a disk takes its time. */
  | 'timeout'
  /** The connection breaks before the server has seen it, but nobody can know that. */
  | 'reset'
  /** It was carried out, and the connection breaks before the answer is here. */
  | 'lost-reply'
  /** It is carried out, and the process is stopped for longer than a lease lasts before it hears of it. */
  | 'pause';

export type WatchFault =
  /** Nothing comes any more, and it does not end. */
  | 'stall'
  /** Everything comes twice. */
  | 'repeat'
  /** Everything comes late. */
  | 'lag'
  /** Everything comes later than what anybody else knows already. */
  | 'stale'
  /** The stream ends in the middle. */
  | 'cut'
  /** What happens for a while is never told: then the server has forgotten it, and only what came of it can be listed. */
  | 'hide';

/** A kind of call, and which of those that a job makes. */
interface Place {
  readonly job: string;
  readonly call: string;
  readonly nth: number;
}

export type Fault =
  | ({ readonly at: 'call'; readonly kind: CallFault } & Place)
  | ({ readonly at: 'watch'; readonly kind: WatchFault } & Place)
  | ({ readonly at: 'time'; readonly job: string; readonly ms: number } & TimeFault);

export type TimeFault =
  /** As with SIGSTOP, for a while. */
  | { readonly kind: 'pause'; readonly forMs: number }
  /** The clock on the wall is set to another time, and stays so; the one that only counts goes on as before. */
  | { readonly kind: 'jump'; readonly byMs: number }
  /** Somebody deletes the lease: for a moment there are two who think that they lead. */
  | { readonly kind: 'lease' };

/** Any call, or any watch. */
export const ANY = 'any call';

export const WATCH_FAULTS: readonly WatchFault[] = ['stall', 'repeat', 'lag', 'stale', 'cut', 'hide'];

/** As far as a clock is off that was never set, is set for another zone, or is set right after a while. */
export const JUMPS_MS: readonly number[] = [-3_600_000, -60_000, 60_000, 3_600_000];

export function inWords(fault: Fault): string {
  if (fault.at === 'time') return `${fault.job}: ${timeFaultInWords(fault)} after ${fault.ms / 1000} s`;
  return `${fault.job}: ${fault.kind} at ${fault.call}, number ${fault.nth}`;
}

/** What `inWords` says, read back; nothing when it is no fault. */
export function faultIn(words: string): Fault | undefined {
  const [, job = '', what = ''] = /^([^:]+): (.*)$/.exec(words) ?? [];
  return faultAtCall(job, what) ?? faultAtTime(job, what);
}

function faultAtCall(job: string, what: string): Fault | undefined {
  const found = /^(?<kind>\S+) at (?<call>.+), number (?<number>\d+)$/.exec(what)?.groups;
  const { kind = '', call = '', number } = found ?? {};
  const place = { job, call, nth: Number(number) };
  const ofCall = possibleAt(call).find((each) => each === kind);
  if (ofCall) return { at: 'call', ...place, kind: ofCall };
  const ofWatch = WATCH_FAULTS.find((each) => each === kind);
  return ofWatch && { at: 'watch', ...place, kind: ofWatch };
}

/** A crash around what changes nothing is none of the campaign's, but it can be asked for. */
const possibleAt = (call: string): readonly CallFault[] => (call === ANY ? ANYWHERE : [...ANYWHERE, ...faultsAt(call)]);

function faultAtTime(job: string, what: string): Fault | undefined {
  const found =
    /^(?<kind>paused for|clock jumps by|lease deleted)(?: (?<by>-?[\d.]+) s)? after (?<after>[\d.]+) s$/.exec(what);
  const { kind, by, after } = found?.groups ?? {};
  const [ms, length] = [after, by].map((seconds = '0') => Math.round(Number(seconds) * 1000)) as [number, number];
  const place = { at: 'time', job, ms } as const;
  if (kind === 'paused for') return { ...place, kind: 'pause', forMs: length };
  if (kind === 'clock jumps by') return { ...place, kind: 'jump', byMs: length };
  return kind === 'lease deleted' ? { ...place, kind: 'lease' } : undefined;
}

function timeFaultInWords(fault: TimeFault): string {
  switch (fault.kind) {
    case 'pause':
      return `paused for ${fault.forMs / 1000} s`;
    case 'jump':
      return `clock jumps by ${fault.byMs / 1000} s`;
    case 'lease':
      return 'lease deleted';
  }
}

/** How long a process is stopped at a call. */
export const PAUSE_MS = 40_000;

/** What a call asks for. Events have names that nobody can foresee. */
export function callOf(method: string, path: string): string {
  const end = path.indexOf('?');
  const place = end < 0 ? path : path.slice(0, end);
  return `${method} ${place.includes('/events/') ? place.replace(/(\/events)\/.*/, '$1') : place}`;
}

/** How many calls of each kind each job makes. */
export class Calls {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts one more, and tells which it is of its kind, and of all. */
  count(job: string, call: string): Readonly<Record<'ofKind' | 'ofAll', number>> {
    const counts = this.#counts.get(job) ?? new Map<string, number>();
    this.#counts.set(job, counts);
    const ofKind = (counts.get(call) ?? 0) + 1;
    const ofAll = (counts.get(ANY) ?? 0) + 1;
    counts.set(call, ofKind).set(ANY, ofAll);
    return { ofKind, ofAll };
  }

  of(job: string): ReadonlyMap<string, number> {
    return this.#counts.get(job) ?? new Map();
  }

  /** Which of the faults is meant for this one. */
  strike<T extends 'call' | 'watch'>(at: T, faults: readonly Fault[], job: string, call: string) {
    const { ofKind, ofAll } = this.count(job, call);
    return faults.find((each): each is Extract<Fault, { readonly at: T }> => {
      if (each.at === 'time' || each.at !== at || each.job !== job) return false;
      return each.call === ANY ? each.nth === ofAll : each.call === call && each.nth === ofKind;
    });
  }
}

export interface FaultMix {
  readonly jobs: readonly string[];
  /** What each of them does when nothing goes wrong. */
  readonly calls: Calls;
  readonly watches: Calls;
  readonly untilMs: number;
}

/** Some of them, wherever chance puts them. */
export function drawFaults(random: Random, { most, ...mix }: FaultMix & { readonly most: number }): readonly Fault[] {
  return drawExactly(random, mix, Math.floor(random() * (most + 1)));
}

/** So many, at each kind of call as often as at any other, and at what only happens because of another fault. */
export function drawExactly(
  random: Random,
  { jobs, calls, watches, untilMs }: FaultMix,
  count: number,
): readonly Fault[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const faultOf = (call: string) => pick(call === ANY ? ANYWHERE : [...crashesAt(call), ...faultsAt(call)]);
  const place = (job: string, made: ReadonlyMap<string, number>) => {
    const [call, count] = pick([...made, [ANY, made.get(ANY) ?? 1] as const]);
    return { job, call, nth: upTo(count * 1.5) };
  };
  const timeFault = (): TimeFault => {
    const chance = random();
    if (chance < 0.6) return { kind: 'pause', forMs: (1 + Math.floor(chance * 100)) * 1000 };
    if (chance < 0.8) return { kind: 'jump', byMs: JUMPS_MS[Math.floor((chance - 0.6) * 20)] ?? 0 };
    return { kind: 'lease' };
  };
  return Array.from({ length: count }, (): Fault => {
    const job = pick(jobs);
    const chance = random();
    if (chance < 0.7) {
      const where = place(job, calls.of(job));
      return { at: 'call', ...where, kind: faultOf(where.call) };
    }
    if (chance < 0.9) return { at: 'watch', ...place(job, watches.of(job)), kind: pick(WATCH_FAULTS) };
    return { at: 'time', job, ms: Math.floor(random() * untilMs), ...timeFault() };
  });
}
