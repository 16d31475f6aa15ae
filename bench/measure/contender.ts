/** What takes part in a benchmark: a module that does the work, run in a fresh process so that memory and CPU time are its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Run } from './figures.ts';
import type { Meter } from './meter.ts';

/** The default export of a contender's module. */
export type Contend<Input> = (input: Input, meter: Meter) => Promise<void>;

export interface Contender {
  /** The file that it is in, as `import.meta.resolve` gives it. */
  readonly module: string;
  readonly input: unknown;
  /** More flags of Node for its process. */
  readonly nodeFlags?: readonly string[];
  /** What the benchmark prepares for each run. */
  readonly before?: () => Promise<void>;
  /** What the benchmark brings about once the contender says that it is ready. */
  readonly whenReady?: () => Promise<void>;
}

export type ToContender = Pick<Contender, 'module' | 'input'>;
export type FromContender = { readonly ready: true } | { readonly run: Run } | { readonly failed: string };

const PROCESS = fileURLToPath(import.meta.resolve('./contender-process.ts'));

export async function runContender(contender: Contender): Promise<Run> {
  const { module, input, nodeFlags = [], before, whenReady } = contender;
  await before?.();
  const child = fork(PROCESS, {
    execArgv: ['--expose-gc', ...nodeFlags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const { promise, resolve, reject } = Promise.withResolvers<Run>();
  let brought: Promise<void> | undefined;
  child.on('message', (message: FromContender) => {
    if ('run' in message) resolve(message.run);
    else if ('failed' in message) reject(new Error(`${module}: ${message.failed}`));
    else {
      brought = whenReady?.();
      brought?.catch(reject);
    }
  });
  void ended.then(([code, signal]) => reject(new Error(`${module} ended with ${signal ?? `exit code ${code}`}`)));
  const order: ToContender = { module, input };
  child.send(order);
  try {
    const run = await promise;
    await brought;
    return run;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
