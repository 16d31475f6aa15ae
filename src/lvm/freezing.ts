/**
 * Holds a filesystem still while a snapshot is made of what is below it. LVM does that by itself for a filesystem that is directly on the
 * logical volume; what lies on an encryption in between it does not know. A snapshot is never written to, its journal neither, so that
 * nothing could make up for it later.
 */
import { Retry } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import type { Mount } from '../kit/host/mounts.ts';
import * as commands from './commands.ts';
import type { LocalNode } from './local-node.ts';
import type { Look } from './sight.ts';

/** What is frozen by us, so that the next agent knows it. In memory: a boot thaws everything. */
const NOTES = '/run/holdfast/frozen';

/** What is mounted from inside of an encrypted logical volume. */
export function mountedAbove({ lvm, mappings, mounts }: Look, group: string, name: string): Mount | undefined {
  const device = lvm.groups.get(group)?.volumes.get(name)?.device;
  const above = mappings.find(({ over }) => device !== undefined && over.includes(device));
  return above && mounts.find((mount) => mount.device === above.device);
}

export class Freezing {
  readonly #node: LocalNode;
  /** Where we are at it. */
  readonly #now = new Set<string>();

  constructor(node: LocalNode) {
    this.#node = node;
  }

  /** It is noted before, and as long as nobody can be sure that it goes on. */
  async frozen<T>({ id, mountPoint: path }: Mount, work: () => Promise<T>): Promise<T> {
    this.#now.add(path);
    try {
      await this.#freeze(path);
    } catch (error) {
      this.#now.delete(path);
      throw error;
    }
    try {
      // Where nothing is mounted any more it is the disk of the node that stands still.
      const mounts = await this.#node.mountedAt(path);
      if (mounts.at(-1)?.id !== id) throw new Retry(`something else is mounted at ${path} by now`);
      return await work();
    } finally {
      await this.#thaw(path);
      this.#now.delete(path);
    }
  }

  /** What somebody else has frozen is left to him. */
  async #freeze(path: string): Promise<void> {
    if ((await this.#node.noted(noteOf(path))) !== undefined) await this.#thaw(path);
    await this.#node.note(noteOf(path), path);
    try {
      await this.#node.run(commands.freeze(path));
    } catch (error) {
      const isRefused = error instanceof CommandError && error.outcome.kind !== 'timed-out';
      await (isRefused ? this.#node.forget(noteOf(path)) : this.#thaw(path));
      throw error;
    }
  }

  /** What an agent that was killed has left frozen: whoever writes there waits for it. */
  async thawAll(): Promise<void> {
    for (const note of await this.#node.namesIn(NOTES)) {
      const path = await this.#node.noted(`${NOTES}/${note}`);
      if (path !== undefined && !this.#now.has(path)) await this.#thaw(path);
    }
  }

  async #thaw(path: string): Promise<void> {
    const result = await this.#node.result(commands.thaw(path));
    if (result.code !== 0 && !commands.isNotFrozen(result))
      throw new Retry(`${path} is frozen: ${result.stderr.trim()}`);
    await this.#node.forget(noteOf(path));
  }
}

const noteOf = (path: string): string => `${NOTES}/${Buffer.from(path).toString('hex')}`;
