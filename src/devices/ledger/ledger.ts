/** The ledger of a node: which device was handed out as which volume, and what became of that. On the node's own disk, crash-safe. */
import { join } from 'node:path';
import type { Clock } from '../../kit/clock/clock.ts';
import type { Files } from '../../kit/host/files.ts';
import type { Log } from '../../kit/observe/log.ts';
import type { LedgerEntry } from './entry.ts';
import { formatLedger, type LedgerState, parseLedger } from './format.ts';

export interface LedgerParts {
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
}

const FILE = 'devices.json';
/** A thousand devices take a quarter of it. */
const MOST_BYTES = 16 * 2 ** 20;
/** An approval is for one wipe; those from long ago are not on any Node any more. */
const MOST_APPROVALS = 1_000;

export class Ledger {
  readonly #parts: LedgerParts;
  readonly #path: string;
  #state: LedgerState;
  /** Writes everything that has changed until it begins; those who change something meanwhile share the next one. */
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(parts: LedgerParts, path: string, state: LedgerState) {
    this.#parts = parts;
    this.#path = path;
    this.#state = state;
  }

  /** One that is not there is begun; one that cannot be understood is put aside first. Rejects when nothing can be kept there. */
  static async open(directory: string, parts: LedgerParts): Promise<Ledger> {
    const path = join(directory, FILE);
    await parts.files.mkdir(directory, { mode: 0o700 });
    const found = await read(path, parts);
    const ledger = new Ledger(parts, path, found ?? begun(parts.clock.now()));
    if (!found) await ledger.#write();
    return ledger;
  }

  get since(): Date {
    return new Date(this.#state.since);
  }

  get(key: string): LedgerEntry | undefined {
    return this.#state.devices.get(key);
  }

  entries(): Iterable<readonly [string, LedgerEntry]> {
    return this.#state.devices;
  }

  hasUsed(approval: string): boolean {
    return this.#state.usedApprovals.includes(approval);
  }

  /** Resolves when it is on the disk. What it is to be is worked out from what it is. */
  set(key: string, change: (entry: LedgerEntry | undefined) => LedgerEntry): Promise<void> {
    const devices = new Map(this.#state.devices);
    devices.set(key, change(devices.get(key)));
    this.#state = { ...this.#state, devices };
    return this.#write();
  }

  use(approval: string): Promise<void> {
    const usedApprovals = [...this.#state.usedApprovals, approval].slice(-MOST_APPROVALS);
    this.#state = { ...this.#state, usedApprovals };
    return this.#write();
  }

  #write(): Promise<void> {
    if (!this.#writing) return this.#begin();
    const begin = () => this.#begin();
    this.#next ??= this.#writing.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const writing = this.#parts.files
      .writeAtomic(this.#path, formatLedger(this.#state), { mode: 0o600 })
      .finally(() => {
        if (this.#writing === writing) this.#writing = undefined;
      });
    this.#writing = writing;
    return writing;
  }
}

const begun = (now: Date): LedgerState => ({ since: now.toISOString(), devices: new Map(), usedApprovals: [] });

async function read(path: string, { files, clock, log }: LedgerParts): Promise<LedgerState | undefined> {
  const text = await files.readText(path, { maxBytes: MOST_BYTES });
  if (text === undefined) {
    log.info({ path }, 'there is no ledger yet: it is begun, and volumes of ours that are there are taken into it');
    return undefined;
  }
  try {
    return parseLedger(text);
  } catch (error) {
    const aside = `${path}.unreadable-${clock.now().toISOString()}`;
    await files.writeAtomic(aside, text, { mode: 0o600 });
    log.error({ err: error, path, aside }, 'the ledger cannot be understood: it is put aside, and another one begun');
    return undefined;
  }
}
