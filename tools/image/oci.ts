/** Images as archives in the layout of the Open Container Initiative, which containerd, Podman, skopeo and Docker read. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entry, tar } from './tar.ts';
import { treeOf } from './tree.ts';

export interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** A layer that is packed. The digest of what it unpacks to is what an image's configuration names. */
export interface PackedLayer extends Blob {
  readonly diffId: string;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly created: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly stopSignal: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface NamedImage {
  /** With its tag: `holdfast:0.1.0`. */
  readonly name: string;
  readonly config: ImageConfig;
  readonly layers: readonly PackedLayer[];
}

const MEDIA = 'application/vnd.oci.image';
/** Half of the time of the highest, for a hundredth more. */
const GZIP_LEVEL = 6;

const sha256 = (bytes: Uint8Array | string): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const pathOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

/** Collects what an archive consists of in a directory, and writes it. */
export class Layout {
  readonly #directory: string;
  readonly #mtime: number;

  constructor(directory: string, mtime: number) {
    this.#directory = directory;
    this.#mtime = mtime;
  }

  /** The header of gzip has no time and no name in it, as Node.js writes it. */
  async layer(entries: Iterable<Entry>): Promise<PackedLayer> {
    await mkdir(join(this.#directory, 'blobs/sha256'), { recursive: true });
    const [plain, packed] = [createHash('sha256'), createHash('sha256')];
    const file = join(this.#directory, `layer.${process.pid}`);
    await pipeline(
      tar(entries),
      seenBy(plain),
      createGzip({ level: GZIP_LEVEL }),
      seenBy(packed),
      createWriteStream(file),
    );
    const digest = `sha256:${packed.digest('hex')}`;
    await rename(file, join(this.#directory, pathOf(digest)));
    const { size } = await stat(join(this.#directory, pathOf(digest)));
    return { digest, size, diffId: `sha256:${plain.digest('hex')}` };
  }

  /** Gives the digests of the images, in their order. */
  async write(images: readonly NamedImage[], archive: string): Promise<readonly string[]> {
    const manifests = [];
    const forDocker = [];
    for (const { name, config, layers } of images) {
      const configBlob = await this.#blob(configOf(config, layers));
      const manifest = await this.#blob(manifestOf(configBlob, layers, config.labels));
      manifests.push({ ...manifest, name, architecture: config.architecture });
      forDocker.push({
        Config: pathOf(configBlob.digest),
        RepoTags: [name],
        Layers: layers.map(({ digest }) => pathOf(digest)),
      });
    }
    await this.#file('index.json', {
      schemaVersion: 2,
      mediaType: `${MEDIA}.index.v1+json`,
      manifests: manifests.map(listed),
    });
    await this.#file('oci-layout', { imageLayoutVersion: '1.0.0' });
    // For versions of Docker that know nothing of this layout.
    await this.#file('manifest.json', forDocker);
    await rm(archive, { force: true });
    await pipeline(tar(treeOf(this.#directory, this.#mtime)), createWriteStream(archive));
    return manifests.map(({ digest }) => digest);
  }

  async #file(name: string, content: unknown): Promise<void> {
    await writeFile(join(this.#directory, name), JSON.stringify(content));
  }

  async #blob(content: unknown): Promise<Blob> {
    const text = JSON.stringify(content);
    const digest = sha256(text);
    await writeFile(join(this.#directory, pathOf(digest)), text);
    return { digest, size: Buffer.byteLength(text) };
  }
}

function seenBy(hash: { update(chunk: Uint8Array): unknown }) {
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}

function configOf(config: ImageConfig, layers: readonly PackedLayer[]): unknown {
  const { architecture, created, user, entrypoint, environment, workingDirectory, stopSignal, labels } = config;
  return {
    architecture,
    os: 'linux',
    created,
    config: {
      User: user,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: entrypoint,
      WorkingDir: workingDirectory,
      StopSignal: stopSignal,
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  };
}

function manifestOf(config: Blob, layers: readonly Blob[], annotations: Readonly<Record<string, string>>): unknown {
  return {
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config: { mediaType: `${MEDIA}.config.v1+json`, digest: config.digest, size: config.size },
    layers: layers.map(({ digest, size }) => ({ mediaType: `${MEDIA}.layer.v1.tar+gzip`, digest, size })),
    annotations,
  };
}

/** By the second annotation containerd and Docker know it under its whole name. */
function listed({ digest, size, name, architecture }: Blob & { readonly name: string; readonly architecture: string }) {
  return {
    mediaType: `${MEDIA}.manifest.v1+json`,
    digest,
    size,
    platform: { architecture, os: 'linux' },
    annotations: {
      'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
      'io.containerd.image.name': wholeName(name),
    },
  };
}

/** Where no registry is named, it is Docker's. */
function wholeName(name: string): string {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return `docker.io/library/${name}`;
  return first === 'localhost' || /[.:]/.test(first) ? name : `docker.io/${name}`;
}
