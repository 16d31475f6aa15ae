import { describe, expect, test } from 'vitest';
import { settled } from '../clock/virtual.ts';
import { type Runnable, Stage } from './stage.ts';

describe('a stage', () => {
  test('starts all of its parts at once and stops them together', async () => {
    const journal: string[] = [];
    const stage = new Stage([obedient('a', journal), obedient('b', journal)], unexpected);
    expect(journal).toEqual(['a starts', 'b starts']);
    await stage.stop();
    expect(journal).toEqual(['a starts', 'b starts', 'a ends', 'b ends']);
  });

  test('runs a part as the method that it is', async () => {
    class Counter implements Runnable {
      readonly name = 'counter';
      #runs = 0;
      async run(signal: AbortSignal): Promise<void> {
        this.#runs += 1;
        await told(signal);
      }
      get runs(): number {
        return this.#runs;
      }
    }
    const counter = new Counter();
    const stage = new Stage([counter], unexpected);
    await stage.stop();
    expect(counter.runs).toBe(1);
  });

  test('tells of a part that fails, by its name and with its cause', async () => {
    const failures: Error[] = [];
    const cause = new Error('port 8080 is taken');
    const stage = new Stage([{ name: 'health', run: () => Promise.reject(cause) }], (failure) =>
      failures.push(failure),
    );
    await settled();
    expect(failures.map((each) => each.message)).toEqual(['health failed: port 8080 is taken']);
    expect(failures[0]?.cause).toBe(cause);
    await stage.stop();
  });

  test('tells of a part that throws before it has returned a promise', async () => {
    const failures: Error[] = [];
    const thrower: Runnable = {
      name: 'hasty',
      run() {
        throw new Error('not even started');
      },
    };
    await new Stage([thrower], (failure) => failures.push(failure)).stop();
    expect(failures.map((each) => each.message)).toEqual(['hasty failed: not even started']);
  });

  test('tells of a part that ends before it was told to, and not of one that ends after', async () => {
    const failures: string[] = [];
    const stage = new Stage([{ name: 'quitter', run: async () => undefined }, obedient('b', [])], (failure) =>
      failures.push(failure.message),
    );
    await settled();
    await stage.stop();
    expect(failures).toEqual(['quitter ended by itself']);
  });

  test('tells of a part that fails while it stops', async () => {
    const failures: string[] = [];
    const clumsy: Runnable = {
      name: 'clumsy',
      async run(signal) {
        await told(signal);
        throw new Error('could not save');
      },
    };
    await new Stage([clumsy], (failure) => failures.push(failure.message)).stop();
    expect(failures).toEqual(['clumsy failed: could not save']);
  });

  test('names the parts that do not end, once it has told them to', async () => {
    const stage = new Stage([obedient('a', []), { name: 'deaf', run: () => new Promise(() => {}) }], unexpected);
    expect(stage.stragglers).toEqual([]);
    void stage.stop();
    await settled();
    expect(stage.stragglers).toEqual(['deaf']);
  });
});

const unexpected = (failure: Error): never => {
  throw failure;
};

const told = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const obedient = (name: string, journal: string[]): Runnable => ({
  name,
  async run(signal) {
    journal.push(`${name} starts`);
    await told(signal);
    journal.push(`${name} ends`);
  },
});
