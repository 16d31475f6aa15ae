/** Wakes up whoever waits for something to happen. What happens while nobody waits is not lost: the next one need not wait. */
import type { Clock } from './clock.ts';

export class Bell {
  #isRung = false;
  #wake = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves when it has been rung since the last time, or after `ms`. Rejects with the signal's reason as soon as that is aborted. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isRung) await this.#rung(clock, ms, signal);
    this.#isRung = false;
  }

  #rung(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        end();
        reject(signal.reason);
      };
      const cancel = clock.after(ms, () => this.#wake());
      this.#wake = () => {
        end();
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
