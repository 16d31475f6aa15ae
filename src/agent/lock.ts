/**
 * Keeps a second agent away from a directory. What holds the lock is a socket that somebody listens on: it goes with the process, however
 * that ends, and is seen by every process of the machine, in whichever container.
 */
import { once } from 'node:events';
import { type FileHandle, link, open, readdir, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import { attempt, errorCode, isNothingThere } from '../kit/host/file-error.ts';
import type { Layout } from './layout.ts';

/** `lock.7` and such. The highest number counts; it never goes down, so that nobody who was held up takes an old one for the lock. */
const NAME = /^lock\.(\d{1,15})$/;
/** Others may come and go while we look. */
const TRIES = 10;

export class DirectoryLock implements AsyncDisposable {
  readonly #server: Server;
  readonly #directory: FileHandle;

  private constructor(server: Server, directory: FileHandle) {
    this.#server = server;
    this.#directory = directory;
  }

  /** Rejects when another agent uses the directory. */
  static async take({ root }: Layout, random: Random): Promise<DirectoryLock> {
    const directory = await open(root, 'r');
    const inside = (name: string) => `/proc/self/fd/${directory.fd}/${name}`; // the path of a socket must be short
    const own = `lock-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const server = createServer((visitor) => visitor.destroy()).unref();
    try {
      server.listen(inside(own));
      await attempt('keep others away by a socket in', root, () => once(server, 'listening'));
      for (let tries = 0; tries < TRIES; tries++) {
        const highest = Math.max(0, ...(await numbersIn(root)));
        if (highest > 0 && (await answers(inside(nameOf(highest))))) break;
        if (await hasTaken(root, own, highest + 1)) return new DirectoryLock(server, directory);
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

  /** Its file stays: whoever comes next sees that nobody listens on it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await this.#directory.close();
  }
}

const nameOf = (number: number): string => `lock.${number}`;

async function numbersIn(root: string): Promise<readonly number[]> {
  return (await readdir(root)).flatMap((name) => NAME.exec(name)?.slice(1, 2).map(Number) ?? []);
}

/** Only one gets a number. Where somebody has a higher one by then, ours is one that was cleared away, and counts for nothing. */
async function hasTaken(root: string, own: string, number: number): Promise<boolean> {
  if (!(await hasLinked(join(root, own), join(root, nameOf(number))))) return false;
  const numbers = await numbersIn(root);
  const isHighest = numbers.every((each) => each <= number);
  const over = isHighest ? numbers.filter((each) => each < number) : [number];
  for (const each of over) await unlink(join(root, nameOf(each))).catch(() => {}); // another may clear away as well
  return isHighest;
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
