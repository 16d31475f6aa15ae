/**
 * What goes wrong in a simulation, and where: at the n-th call of a kind, on the n-th watch of a kind, or at a time. Calls are named
 * by what they ask for, so that the same fault is still at the same place when others are left out.
 */
import type { Random } from '../../kit/backoff.ts';

export type CallFault =
  /** The process dies and the call was never made. */
  | 'crash-before'
  /** It was carried out, and the process dies before it hears of it. */
  | 'crash-after'
  /** The server refuses it: somebody else was first. Of what changes nothing, a failure of the server. */
  | 'conflict'
  /** The server has forgotten the version that is asked for. Of a write, a failure of the server. */
  | 'expired'
  | 'too-many'
  | 'internal'
  | 'unavailable'
  /** Nobody answers. */
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
  /** As with SIGSTOP, for a while. */
  | { readonly at: 'time'; readonly job: string; readonly ms: number; readonly kind: 'pause'; readonly forMs: number };

/** Any call, or any watch. */
const ANY = 'any call';

const CALL_FAULTS: readonly CallFault[] = [
  'crash-before',
  'crash-after',
  'conflict',
  'expired',
  'too-many',
  'internal',
  'unavailable',
  'timeout',
  'reset',
  'lost-reply',
  'pause',
];
const WATCH_FAULTS: readonly WatchFault[] = ['stall', 'repeat', 'lag', 'stale', 'cut', 'hide'];

export function inWords(fault: Fault): string {
  if (fault.at === 'time') return `${fault.job}: paused for ${fault.forMs / 1000} s after ${fault.ms / 1000} s`;
  return `${fault.job}: ${fault.kind} at ${fault.call}, number ${fault.nth}`;
}

/** How long a process is stopped at a call. */
export const PAUSE_MS = 40_000;

/** What a call asks for. Events have names that nobody can foresee. */
export function callOf(method: string, path: string): string {
  const [place = ''] = path.split('?');
  return `${method} ${place.replace(/(\/events)\/.*/, '$1')}`;
}

/** How many calls of each kind each job makes. */
export class Calls {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts one more, and tells which it is of its kind, and of all. */
  count(job: string, call: string): Readonly<Record<'ofKind' | 'ofAll', number>> {
    const counts = this.#counts.get(job) ?? new Map<string, number>();
    this.#counts.set(job, counts);
    const [ofKind, ofAll] = [call, ANY].map((each) => (counts.get(each) ?? 0) + 1) as [number, number];
    counts.set(call, ofKind).set(ANY, ofAll);
    return { ofKind, ofAll };
  }

  of(job: string): ReadonlyMap<string, number> {
    return this.#counts.get(job) ?? new Map();
  }

  /** Which of the faults is meant for this one. */
  strike(at: 'call', faults: readonly Fault[], job: string, call: string): CallFault | undefined;
  strike(at: 'watch', faults: readonly Fault[], job: string, call: string): WatchFault | undefined;
  strike(at: 'call' | 'watch', faults: readonly Fault[], job: string, call: string) {
    const { ofKind, ofAll } = this.count(job, call);
    return faults.find((each) => {
      if (each.at === 'time' || each.at !== at || each.job !== job) return false;
      return each.call === ANY ? each.nth === ofAll : each.call === call && each.nth === ofKind;
    })?.kind;
  }
}

export interface FaultMix {
  readonly jobs: readonly string[];
  /** What each of them does when nothing goes wrong. */
  readonly calls: Calls;
  readonly watches: Calls;
  readonly untilMs: number;
  readonly most: number;
}

/** Some of them, wherever chance puts them: at each kind of call as often as at any other, and at what only happens because of another fault. */
export function drawFaults(random: Random, { jobs, calls, watches, untilMs, most }: FaultMix): readonly Fault[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const place = (job: string, made: ReadonlyMap<string, number>) => {
    const [call, count] = pick([...made, [ANY, made.get(ANY) ?? 1] as const]);
    return { job, call, nth: upTo(count * 1.5) };
  };
  return Array.from({ length: Math.floor(random() * (most + 1)) }, (): Fault => {
    const job = pick(jobs);
    const chance = random();
    if (chance < 0.7) return { at: 'call', ...place(job, calls.of(job)), kind: pick(CALL_FAULTS) };
    if (chance < 0.9) return { at: 'watch', ...place(job, watches.of(job)), kind: pick(WATCH_FAULTS) };
    return { at: 'time', job, ms: Math.floor(random() * untilMs), kind: 'pause', forMs: upTo(60) * 1000 };
  });
}
