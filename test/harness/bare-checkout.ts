/** A script of `tools/` alone in a checkout, on a machine that has no programs but those which the test puts there. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class BareCheckout implements AsyncDisposable {
  readonly root: string;
  readonly #script: string;

  private constructor(root: string, script: string) {
    this.root = root;
    this.#script = join(root, 'tools', script);
  }

  /** `real`: programs of this machine that it may use. */
  static async of(script: string, real: readonly string[]): Promise<BareCheckout> {
    const checkout = new BareCheckout(await mkdtemp(join(tmpdir(), 'holdfast-bare-')), script);
    await mkdir(join(checkout.root, 'programs'));
    for (const name of real) await symlink(`/usr/bin/${name}`, join(checkout.root, 'programs', name));
    await checkout.#folderOf(checkout.#script);
    await copyFile(resolve(import.meta.dirname, '../../tools', script), checkout.#script);
    return checkout;
  }

  async file(path: string, content = ''): Promise<void> {
    await this.#folderOf(join(this.root, path));
    await writeFile(join(this.root, path), content);
  }

  /** A stand-in that does this, by its path in the checkout. */
  async put(path: string, body: string): Promise<void> {
    await this.file(path, `#!/bin/bash\n${body}\n`);
    await chmod(join(this.root, path), 0o755);
  }

  /** Stand-ins by the names of programs. */
  async machine(programs: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, body] of Object.entries(programs)) await this.put(`programs/${name}`, body);
  }

  remove(path: string): Promise<void> {
    return rm(join(this.root, path));
  }

  run(env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return new Promise((done) => {
      execFile(this.#script, { env: { PATH: join(this.root, 'programs'), ...env } }, (error, out, err) => {
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.root, { recursive: true });
  }

  async #folderOf(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
  }
}
