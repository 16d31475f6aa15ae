/** Another process that does something to a device, for as long as a test wants it to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Stranger extends AsyncDisposable {
  readonly pid: number;
}

/** Runs a script of the shell until it says `ready`; then it sleeps, with everything that the script has open. */
export async function aStranger(
  script: string,
  parameters: readonly string[],
  ...wrapper: string[]
): Promise<Stranger> {
  const argv = [...wrapper, 'sh', '-ec', `${script}\necho ready\nexec sleep 1000`, 'stranger', ...parameters];
  const child = spawn(argv[0] ?? '', argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const stranger = {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`${argv.join(' ')} ended before it was ready`);
  return stranger;
}
