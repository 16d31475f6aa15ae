/** SIGTERM, SIGINT, and SIGHUP of a terminal that is closed: the first asks the process to end well, the second ends it at once. */

/** The part of `process` that is needed here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const NUMBERS = { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 } as const;
const NAMES = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface StopSignals extends Disposable {
  readonly signal: AbortSignal;
}

/** `onFirst` is told which signal it was, after `signal` has been aborted. */
export function stopSignals(source: SignalSource, onFirst: (signal: string) => void): StopSignals {
  const stop = new AbortController();
  const listeners = NAMES.map((name) => ({ name, listener: () => receive(name) }));
  for (const { name, listener } of listeners) source.on(name, listener);
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) source.off(name, listener);
    },
  };

  function receive(name: (typeof NAMES)[number]): void {
    if (stop.signal.aborted) source.exit(128 + NUMBERS[name]);
    else {
      stop.abort(new Error(`${name} was received`));
      onFirst(name);
    }
  }
}
