/** Tells people how volumes stand: in Events, metrics, the log and the standings, each in its own way. */
import type { Clock } from '../kit/clock/clock.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import type { Declared } from './decide.ts';
import { failed, ready, refused, released, removed, warned } from './events.ts';
import type { LvmMetrics } from './metrics.ts';
import type { Standings, State } from './standings.ts';
import type { Step, StepKind } from './steps.ts';
import type { Volume } from './volume.ts';

export interface ReportParts {
  readonly recorder: EventRecorder;
  readonly metrics: LvmMetrics;
  readonly standings: Standings;
  readonly log: Log;
  readonly clock: Clock;
  readonly node: string;
}

/** How often the log hears of a step that goes on. */
const TELL_MS = 15_000;

export class Report {
  readonly #parts: ReportParts;
  /** What was last told of each volume: the same is told once. */
  readonly #told = new Map<string, string>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  does({ name, claim }: Volume, { options, path }: Declared, { kind }: Step): void {
    this.#parts.log.info({ volume: name, step: kind }, 'a step for a volume');
    this.#parts.standings.note({ volume: name, state: { is: 'working', step: kind }, vg: options.vg, path, claim });
  }

  takesAway({ name }: Volume, { kind }: Step): void {
    this.#parts.log.info({ volume: name, step: kind }, 'a step to take a volume away');
    this.#parts.standings.note({ volume: name, state: { is: 'removing', step: kind } });
  }

  /** Told at every piece of a step that takes long: the standing knows it at once, and the log now and then. */
  progressOf({ name }: Volume, { kind }: Step): (doneBytes: number, ofBytes: number) => void {
    const { standings, log, clock } = this.#parts;
    let toldAt = clock.monotonic();
    let last: number | undefined;
    return (doneBytes, ofBytes) => {
      const percent = Math.floor((100 * doneBytes) / ofBytes);
      if (percent !== last) standings.note({ volume: name, state: { is: 'removing', step: kind, percent } });
      last = percent;
      if (clock.monotonic() - toldAt < TELL_MS) return;
      toldAt = clock.monotonic();
      log.info({ volume: name, step: kind, percent, doneBytes, ofBytes }, 'a step goes on');
    };
  }

  async timed<T>(step: StepKind, work: () => Promise<T>): Promise<T> {
    const { clock, metrics } = this.#parts;
    const start = clock.monotonic();
    const took = (outcome: 'done' | 'failed') => metrics.took(step, outcome, (clock.monotonic() - start) / 1000);
    try {
      const result = await work();
      took('done');
      return result;
    } catch (error) {
      took('failed');
      throw error;
    }
  }

  isReady(volume: Volume, { options, path }: Declared, bytes: bigint | undefined): void {
    const { standings, recorder, log, node } = this.#parts;
    const { name, claim } = volume;
    const before = standings.get(name)?.state.is;
    standings.note({ volume: name, state: { is: 'ready' }, vg: options.vg, path, bytes, claim });
    this.#told.delete(name);
    if (before === undefined || before === 'ready') return;
    log.info({ volume: name, path }, 'the volume is ready');
    recorder.record(ready(volume, path, node));
  }

  isReleased(volume: Volume): void {
    this.#parts.log.info({ volume: volume.name, claim: volume.claim }, 'the volume is freed of its claim');
    this.#parts.recorder.record(released(volume, volume.claim ?? ''));
  }

  isGone(volume: Volume, { isAllGone }: { readonly isAllGone: boolean }): void {
    const { log, recorder, node } = this.#parts;
    log.info({ volume: volume.name }, 'everything of the volume is gone');
    if (!isAllGone) log.warn({ path: volume.path }, 'the mount point is left, since there are files in it');
    recorder.record(removed(volume, node, isAllGone ? undefined : volume.path));
    this.forget(volume.name);
  }

  waits({ name }: Volume, why: string): void {
    this.#parts.standings.note({ volume: name, state: { is: 'waiting', why } });
  }

  isRefused(volume: Volume, { fact, why, remedy }: Omit<State & { is: 'refused' }, 'is'>): void {
    const { standings, metrics, recorder } = this.#parts;
    standings.note({ volume: volume.name, state: { is: 'refused', fact, why, remedy } });
    metrics.failed(fact);
    if (this.#isNew(volume.name, why)) recorder.record(refused(volume, fact, why));
  }

  hasFailed(volume: Volume, why: string): void {
    const { standings, metrics, recorder } = this.#parts;
    standings.note({ volume: volume.name, state: { is: 'failed', why } });
    metrics.failed('failed');
    if (this.#isNew(volume.name, why)) recorder.record(failed(volume, why));
  }

  warned(volume: Volume, warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (!this.#isNew(`${volume.uid} ${warning}`, warning)) continue;
      this.#parts.log.warn({ volume: volume.name, why: warning }, 'an option is ignored');
      this.#parts.recorder.record(warned(volume, warning));
    }
  }

  forget(volume: string): void {
    this.#parts.standings.delete(volume);
    this.#told.delete(volume);
  }

  #isNew(about: string, what: string): boolean {
    if (this.#told.get(about) === what) return false;
    this.#told.set(about, what);
    return true;
  }
}
