/** Starts a sandbox of a scene and a size, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Access } from '../world/access.ts';
import type { FromSandbox, ToSandbox } from './sandbox-process.ts';
import type { SceneName } from './scenes.ts';

const PROCESS = fileURLToPath(import.meta.resolve('./sandbox-process.ts'));
/** A hundred thousand pods with volumes and claims, as objects. */
const HEAP = '--max-old-space-size=12000';

export class Sandbox implements AsyncDisposable {
  readonly access: Access;
  /** What the sandbox itself takes, once all is there. */
  readonly residentMb: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { access, residentMb }: FromSandbox) {
    this.#child = child;
    this.access = access;
    this.residentMb = residentMb;
  }

  /** Resolves when all is there. */
  static async start(scene: SceneName, size: number): Promise<Sandbox> {
    const child = fork(PROCESS, { execArgv: [HEAP] });
    const order: ToSandbox = { scene, size };
    child.send(order);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the sandbox ended with ${code}`);
    });
    const [ready] = (await Promise.race([once(child, 'message'), ended])) as [FromSandbox];
    ended.catch(() => undefined);
    return new Sandbox(child, ready);
  }

  change(count: number): void {
    const order: ToSandbox = { change: count };
    this.#child.send(order);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
