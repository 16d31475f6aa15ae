/** SIGTERM and SIGINT: the first asks the process to end well, the second ends it at once. */

/** The part of `process` that is needed here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const NUMBERS = { SIGTERM: 15, SIGINT: 2 } as const;

export interface StopSignals extends Disposable {
  readonly signal: AbortSignal;
}

export function stopSignals(source: SignalSource, onFirst: (signal: string) => void): StopSignals {
  const stop = new AbortController();
  const listeners = Object.entries(NUMBERS).map(([name, number]) => {
    const listener = () => {
      if (stop.signal.aborted) source.exit(128 + number);
      onFirst(name);
      stop.abort(new Error(`${name} was received`));
    };
    source.on(name as NodeJS.Signals, listener);
    return { name: name as NodeJS.Signals, listener };
  });
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => listeners.forEach(({ name, listener }) => void source.off(name, listener)),
  };
}
