/** Measures work inside the process that does it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Figures, Run } from './figures.ts';

export class Meter {
  readonly #phases: Record<string, Figures & { readonly counts: Record<string, number> }> = {};
  readonly #onReady: () => void;
  #last = '';

  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  get run(): Run {
    return this.#phases;
  }

  /** Measures this work as one phase. What goes before and after it, such as imports and preparations, is not counted. */
  async measure<T>(phase: string, work: () => Promise<T>): Promise<T> {
    forgetPeak();
    const stalls = new StallWatch();
    const cpu = process.cpuUsage();
    const started = performance.now();
    const result = await work();
    const wallSeconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const stalled = stalls.stop();
    const peakMb = residentMb('VmHWM');
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    const settledMb = residentMb('VmRSS');
    this.#phases[phase] = { cpuSeconds: (user + system) / 1e6, wallSeconds, ...stalled, peakMb, settledMb, counts: {} };
    this.#last = phase;
    return result;
  }

  /** Adds a figure that only the contender knows to the phase that was measured last. */
  count(name: string, value: number): void {
    const phase = this.#phases[this.#last];
    if (!phase) throw new Error(`"${name}" was counted before anything was measured`);
    phase.counts[name] = value;
  }

  /** Tells the benchmark that the contender now waits for what the benchmark is to bring about. */
  ready(): void {
    this.#onReady();
  }
}

/** Looks every millisecond how much the thread has computed since the last look: so much it did without coming around. */
class StallWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: 1 });
  readonly #timer = setInterval(() => this.#look(), 1);
  #before = threadCpuMs();
  #longest = 0;

  constructor() {
    this.#delay.enable();
  }

  stop(): { readonly stallMs: number; readonly wallStallMs: number } {
    this.#look();
    clearInterval(this.#timer);
    this.#delay.disable();
    return { stallMs: this.#longest, wallStallMs: this.#delay.max / 1e6 };
  }

  #look(): void {
    const now = threadCpuMs();
    this.#longest = Math.max(this.#longest, now - this.#before);
    this.#before = now;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** `ru_maxrss` would include what our parent had when it forked us; the kernel's own mark of this process does not. */
function residentMb(mark: 'VmHWM' | 'VmRSS'): number {
  const kilobytes = new RegExp(`^${mark}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (!kilobytes) throw new Error(`/proc/self/status has no ${mark}: the benchmarks need Linux`);
  return Number(kilobytes) / 1024;
}

/** The high-water mark starts anew at what is resident now. */
function forgetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5');
}
