/**
 * Keeps a second agent away from a directory. What holds the lock is a socket that somebody listens on: it goes with the process, however
 * that ends, and is seen by every process of the machine, in whichever container.
 */
import { once } from 'node:events';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import { errorCode, isNothingThere } from '../kit/host/file-error.ts';
import type { Layout } from './layout.ts';

/** Others may come and go while we look. */
const TRIES = 10;

export class DirectoryLock implements AsyncDisposable {
  readonly #path: string;
  readonly #server: Server;
  readonly #directory: FileHandle;

  private constructor(path: string, server: Server, directory: FileHandle) {
    this.#path = path;
    this.#server = server;
    this.#directory = directory;
  }

  /** Rejects when another agent uses the directory. */
  static async take({ root, lock }: Layout, random: Random): Promise<DirectoryLock> {
    const directory = await open(root, 'r');
    const inside = (name: string) => `/proc/self/fd/${directory.fd}/${name}`; // the path of a socket must be short
    const own = `${basename(lock)}.${Math.floor(random() * 2 ** 48).toString(36)}`;
    const server = createServer((visitor) => visitor.destroy()).unref();
    try {
      server.listen(inside(own));
      await once(server, 'listening');
      for (let tries = 0; tries < TRIES; tries++) {
        if (await hasLinked(join(root, own), lock)) return new DirectoryLock(lock, server, directory);
        const identity = await identityOf(lock);
        if (await answers(inside(basename(lock)))) break;
        if (identity !== undefined) await clearAway(lock, `${join(root, own)}.stale`, identity);
      }
      throw new Error(`another storage agent uses ${root}: stop it, or give this one another directory (--path)`);
    } catch (error) {
      server.close();
      await directory.close();
      throw error;
    } finally {
      await unlink(join(root, own)).catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await unlink(this.#path).catch(() => {}); // whoever finds it knows that nobody listens
    this.#server.close();
    await this.#directory.close();
  }
}

async function hasLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (errorCode(error) === 'ECONNREFUSED' || isNothingThere(error)) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

/** Removes what nobody listens on. If it has become another one meanwhile, that one is put back. */
async function clearAway(path: string, aside: string, identity: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch (error) {
    if (isNothingThere(error)) return;
    throw error;
  }
  if ((await identityOf(aside)) !== identity) await hasLinked(aside, path);
  await unlink(aside);
}

/** Numbers of inodes are used again; a number with the time at which it was made is not. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeNs } = await lstat(path, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}
