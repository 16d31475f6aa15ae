/** Tells a person what happens, as it happens, and waits for it. */
import { styleText } from 'node:util';
import { sleep, systemClock } from '../../kit/clock/clock.ts';
import type { Terminal } from '../line/command.ts';

export interface NarratorOptions {
  readonly terminal: Terminal;
  /** On a terminal; plain lines otherwise. */
  readonly isStyled: boolean;
  readonly signal: AbortSignal;
  /** How long a person is given to read a chapter. */
  readonly pauseMs: number;
  /** Of the console, with a slash at its end. */
  readonly console: string;
  /** How this program is called from where the person is. */
  readonly program: string;
  /** Why it is in vain to wait for anything, if it is. */
  readonly failure?: () => Error | undefined;
}

const POLL_MS = 20;
const PATIENCE_MS = 60_000;
const LAST_LOOK_MS = 30_000;

/** A cluster, as a person reaches it. */
interface Place {
  readonly kubeconfig: string;
}

export class Narrator {
  readonly #options: NarratorOptions;
  readonly #began = performance.now();
  #chapters = 0;

  constructor(options: NarratorOptions) {
    this.#options = options;
  }

  async chapter(title: string): Promise<void> {
    if (this.#chapters > 0) await this.pause();
    this.#write(`\n${this.#style('bold', `${++this.#chapters}. ${title}`)}\n`);
  }

  tell(text: string): void {
    const seconds = `${((performance.now() - this.#began) / 1000).toFixed(1)} s`.padStart(8);
    this.#write(`${this.#style('dim', seconds)}  ${text}\n`);
  }

  /** A line to try, as it can be pasted: it names its cluster. */
  kubectl(what: string, { kubeconfig }: Place): void {
    this.#look(`kubectl --kubeconfig ${kubeconfig} ${what}`);
  }

  /** The same, of this program. */
  holdfast(what: string, { kubeconfig }: Place): void {
    this.#look(`${this.#options.program} ${what} --kubeconfig ${kubeconfig}`);
  }

  /** A view of the console: `volumes/NAME`, `nodes/NAME`, `pools/NAMESPACE/NAME`, `sync/NAME`. */
  show(view: string, cluster = 'protected'): void {
    this.#look(`${this.#options.console}#/${view}?cluster=${cluster}`);
  }

  /** Resolves when it is so; rejects with what was waited for when it never is. */
  async until<T>(what: string, seen: () => T | undefined | false): Promise<T> {
    const { signal, failure } = this.#options;
    for (const began = performance.now(); performance.now() - began < PATIENCE_MS; await this.#sleep(POLL_MS)) {
      signal.throwIfAborted();
      const cause = failure?.();
      if (cause) throw new Error(`the story goes wrong: ${cause.message}`, { cause });
      const found = seen();
      if (found !== undefined && found !== false) return found;
    }
    throw new Error(`the story goes wrong: ${what} did not happen within ${PATIENCE_MS / 1000} s`);
  }

  /** What the story claims has to be true. */
  check(claim: string, holds: boolean): void {
    if (!holds) throw new Error(`the story goes wrong: it is not true that ${claim}`);
    this.tell(claim);
  }

  pause(): Promise<void> {
    return this.#sleep(this.#options.pauseMs);
  }

  /** What was printed so far will not be true any more: somebody who can press a key is given the time to try it. */
  async lastLook(until: string): Promise<void> {
    const { terminal, pauseMs } = this.#options;
    if (pauseMs === 0 || !terminal.stdin.isTTY) return;
    this.tell(`the lines above work until ${until}: in ${LAST_LOOK_MS / 1000} s, or when you press Enter`);
    const pressed = new AbortController();
    const onKey = () => pressed.abort();
    terminal.stdin.once('data', onKey);
    try {
      await this.#sleep(LAST_LOOK_MS, pressed.signal);
    } finally {
      terminal.stdin.off('data', onKey);
      terminal.stdin.pause();
    }
  }

  #look(command: string): void {
    this.#write(`${' '.repeat(8)}  ${this.#style('cyan', command)}\n`);
  }

  #write(text: string): void {
    this.#options.terminal.stdout.write(text);
  }

  #style(style: 'bold' | 'dim' | 'cyan', text: string): string {
    return this.#options.isStyled ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Shorter when somebody does not want to wait. */
  async #sleep(ms: number, enough?: AbortSignal): Promise<void> {
    const { signal } = this.#options;
    const stop = enough ? AbortSignal.any([signal, enough]) : signal;
    await sleep(systemClock, ms, stop).catch(() => {});
    signal.throwIfAborted();
  }
}
