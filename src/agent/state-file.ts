/** The state of the agent on its volume, so that it outlives the process and the pod. */
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import { writeAtomic } from '../kit/host/atomic-write.ts';
import { errorCode, isNothingThere } from '../kit/host/file-error.ts';
import { type KeptState, NEW_AGENT } from './decide.ts';
import type { Layout } from './layout.ts';
import { asPeers } from './orders.ts';

const VERSION = 1;
const STATES = ['Ready', 'Decommissioning', 'Decommissioned'] as const;
/** More than the file takes. */
const RESERVE_BYTES = 64 * 1024;

export class StateFile {
  readonly #path: string;
  readonly #reserve: string;
  readonly #random: Random;

  constructor({ state, root }: Layout, random: Random) {
    this.#path = state;
    this.#reserve = join(root, 'reserve');
    this.#random = random;
  }

  /** A volume without one is new. Rejects when there is one that cannot be understood: nobody may guess what the agent was told. */
  async read(): Promise<KeptState> {
    try {
      const kept = parse(await readFile(this.#path, 'utf8'));
      if (kept) return kept;
    } catch (error) {
      if (!isNothingThere(error)) throw error;
      return NEW_AGENT;
    }
    throw new Error(
      `${this.#path} cannot be understood, so that this agent does not know whether it was told to drain: look at it, and remove it to have the agent start as Ready with the blobs that it has`,
    );
  }

  /**
   * An agent whose volume is full must still be told to drain. Btrfs may have no room for what it knows of files while it has some for
   * bytes (headroom.ts), so that a file is put by which makes room when it goes.
   */
  async write(state: KeptState): Promise<void> {
    const text = `${JSON.stringify({ version: VERSION, ...state }, undefined, 2)}\n`;
    try {
      await this.#write(text);
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC') throw error;
      await unlink(this.#reserve);
      await this.#write(text);
    }
    await this.reserve();
  }

  /** What cannot be put by now is the next time. */
  async reserve(): Promise<void> {
    await writeFile(this.#reserve, Buffer.alloc(RESERVE_BYTES), { flag: 'wx', mode: 0o600 }).catch(async (error) => {
      if (errorCode(error) === 'ENOSPC') await unlink(this.#reserve).catch(() => {});
    });
  }

  #write(text: string): Promise<void> {
    return writeAtomic(this.#path, text, 0o600, this.#random);
  }
}

function parse(text: string): KeptState | undefined {
  const { version, state, generation, peers, former = [] } = asObject(text);
  const known = STATES.find((each) => each === state);
  const [to, before] = [asPeers(peers), asPeers(former)];
  if (version !== VERSION || known === undefined || to === undefined || before === undefined) return undefined;
  const kept: KeptState = { state: known, peers: to, ...(before.length > 0 && { former: before }) };
  if (generation === undefined) return kept;
  return Number.isSafeInteger(generation) ? { ...kept, generation: Number(generation) } : undefined;
}

function asObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
