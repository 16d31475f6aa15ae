/** An image as a container sees it: the layers of an archive, unpacked by the tar of this machine, each checked against its digest. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Config {
  readonly config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Env: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** The archive's own directory of images. */
export class Archive {
  readonly #directory: string;

  constructor(archive: string, directory: string) {
    mkdirSync(directory, { recursive: true });
    execFileSync('tar', ['-xf', archive, '-C', directory]);
    this.#directory = directory;
  }

  names(): readonly string[] {
    return this.#index().map(({ annotations }) => annotations?.['io.containerd.image.name'] ?? '');
  }

  config(name: string): Config {
    const { config } = this.#manifest(name);
    return JSON.parse(this.#blob(config).toString());
  }

  unpack(name: string, into: string): void {
    mkdirSync(into);
    for (const layer of this.#manifest(name).layers)
      execFileSync('tar', ['-xzf', '-', '-C', into], { input: this.#blob(layer) });
  }

  #index(): readonly Descriptor[] {
    return JSON.parse(readFileSync(join(this.#directory, 'index.json'), 'utf8')).manifests;
  }

  #manifest(name: string): { readonly config: Descriptor; readonly layers: readonly Descriptor[] } {
    const found = this.#index().find(({ annotations }) => annotations?.['io.containerd.image.name'] === name);
    if (!found) throw new Error(`there is no ${name}, only ${this.names()}`);
    return JSON.parse(this.#blob(found).toString());
  }

  #blob({ digest, size }: Descriptor): Buffer {
    const content = readFileSync(join(this.#directory, 'blobs', digest.replace(':', '/')));
    const found = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (found !== digest || content.length !== size)
      throw new Error(`${digest} is ${found} with ${content.length} bytes`);
    return content;
  }
}
