/** The ledger of a node: which device was handed out as which volume, and what became of that. On the node's own disk, crash-safe. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock/clock.ts';
import type { Files } from '../../kit/host/files.ts';
import type { Log } from '../../kit/observe/log.ts';
import { type Identity, isNamed, isOneDevice, keyOf } from '../identity.ts';
import { afterCleaning, afterHandingOut, afterSeeing, afterWiping } from './changes.ts';
import type { Clean, HandedOut, LedgerEntry, Sighting, WipeRecord } from './entry.ts';
import { formatLedger, LedgerIsNewer, type LedgerState, parseLedger } from './format.ts';
import { OwnedFile } from './owned-file.ts';
import { SharedWrites } from './shared-writes.ts';

export interface LedgerParts {
  readonly files: Pick<Files, 'mkdir' | 'readText' | 'writeAtomic' | 'lstat'>;
  readonly clock: Clock;
  readonly log: Log;
}

const FILE = 'devices.json';
/** Ten thousand devices take an eighth of it. */
const MOST_BYTES = 64 * 2 ** 20;
/** An approval is for one wipe; those from long ago are not on any Node any more, whose annotations have no room for so many. */
const MOST_APPROVALS = 10_000;

/**
 * Whatever changes something resolves when that is on the disk. Where it rejects, it is not known to be there, and what it was to
 * be remembered for must not be done; it is still known here, and goes to the disk with the next change.
 */
export class Ledger {
  readonly since: Date;
  readonly #inherited: ReadonlySet<string>;
  readonly #devices: Map<string, LedgerEntry>;
  readonly #usedApprovals: Set<string>;
  readonly #writes: SharedWrites;
  /** Aborted when another agent has written it. Nothing can be remembered here any more: the process has to start anew. */
  readonly taken: AbortSignal;

  private constructor(file: Pick<OwnedFile, 'write' | 'taken'>, loaded: LedgerState) {
    const { since, inherited, devices, usedApprovals } = loaded;
    this.since = new Date(since);
    this.#inherited = inherited;
    this.#devices = new Map(devices);
    this.#usedApprovals = new Set(usedApprovals);
    const state: LedgerState = { since, inherited, devices: this.#devices, usedApprovals: this.#usedApprovals };
    this.#writes = new SharedWrites(() => file.write(formatLedger(state)));
    this.taken = file.taken;
  }

  /**
   * One that is not there is begun; one that cannot be understood is put aside first. Rejects when nothing can be kept there, or
   * when it is of a newer version of this program. `heirlooms` is asked when one is begun: the uids of the volumes of ours that are
   * there. By their times nobody could tell them from later ones: clocks differ, and the API's knows only seconds.
   */
  static async open(
    directory: string,
    parts: LedgerParts,
    heirlooms: () => Promise<readonly string[]>,
  ): Promise<Ledger> {
    const path = join(directory, FILE);
    await parts.files.mkdir(directory, { mode: 0o700 });
    const file = new OwnedFile(path, parts.files, MOST_BYTES);
    const found = await read(path, await file.read(), parts, putAside);
    const ledger = new Ledger(file, found ?? begun(parts.clock.now(), await heirlooms()));
    if (!found) await ledger.#writes.changed();
    return ledger;
  }

  /** As `open`, for who only wants to know what would be done: the file is another's, and what changes is known here only. */
  static async copy(
    directory: string,
    parts: LedgerParts,
    heirlooms: () => Promise<readonly string[]>,
  ): Promise<Ledger> {
    const path = join(directory, FILE);
    const text = await new OwnedFile(path, parts.files, MOST_BYTES).read();
    const found = await read(path, text, parts, leaveThere);
    const nowhere = { write: async () => {}, taken: new AbortController().signal };
    return new Ledger(nowhere, found ?? begun(parts.clock.now(), await heirlooms()));
  }

  /** Whether the volume was there when the ledger was begun. */
  inherits(uid: string): boolean {
    return this.#inherited.has(uid);
  }

  get(key: string): LedgerEntry | undefined {
    return this.#devices.get(key);
  }

  entries(): Iterable<readonly [string, LedgerEntry]> {
    return this.#devices;
  }

  /** What is known of a device is known under this key: that of its name, or the one that it had when more, or less, was told of it. */
  keyOf(identity: Identity, path: string): string {
    const key = keyOf(identity, path);
    if (!isNamed(identity) || this.#devices.has(key)) return key;
    return this.#devices.entries().find(([, entry]) => isOneDevice(entry.identity, identity))?.[0] ?? key;
  }

  /** The devices that were last handed out under this name: several, when one took another's place. */
  handedOutAs(volume: string): readonly (readonly [string, LedgerEntry])[] {
    return [...this.#devices].filter(([, entry]) => entry.volume?.name === volume);
  }

  hasUsed(approval: string): boolean {
    return this.#usedApprovals.has(approval);
  }

  /** A volume of the device was seen; what that changes is said at `afterSeeing`. `device` is for one that is new here. */
  saw(key: string, device: Sighting, volume: Omit<HandedOut, 'cluster'>, cluster: string): Promise<void> {
    const { name, uid, phase, claim, resourceVersion } = volume;
    const seen = { name, uid, phase, ...(claim !== undefined && { claim }), resourceVersion, cluster };
    return this.set(key, (entry) => afterSeeing(entry, device, seen));
  }

  /** Before a volume is made, so that a crash in between cannot make us forget that it may be there. */
  handOut(key: string, device: Sighting, volume: string, cluster: string): Promise<void> {
    return this.set(key, () => afterHandingOut(device, volume, cluster));
  }

  /** Before the first byte is written, and as far as it is on the device. */
  began(key: string, device: Sighting, wipe: WipeRecord): Promise<void> {
    return this.set(key, (entry) => afterWiping(entry, device, wipe));
  }

  /**
   * Puts all that is known here on the disk once more, whether or not it was there: the file, or the directory that it is in, may have
   * been removed since. To be asked before anything is destroyed that it is needed for.
   */
  ensureWritten(): Promise<void> {
    return this.#writes.changed();
  }

  cleaned(key: string, device: Sighting, clean: Clean): Promise<void> {
    return this.set(key, (entry) => afterCleaning(entry, device, clean));
  }

  /** What it is to be is worked out from what it is. The entry itself is no change. */
  set(key: string, change: (entry: LedgerEntry | undefined) => LedgerEntry): Promise<void> {
    const before = this.#devices.get(key);
    const after = change(before);
    if (after === before) return this.#writes.written();
    this.#devices.set(key, after);
    return this.#writes.changed();
  }

  use(approval: string): Promise<void> {
    if (this.#usedApprovals.has(approval)) return this.#writes.written();
    this.#usedApprovals.add(approval);
    for (const oldest of this.#usedApprovals) {
      if (this.#usedApprovals.size <= MOST_APPROVALS) break;
      this.#usedApprovals.delete(oldest);
    }
    return this.#writes.changed();
  }
}

const begun = (now: Date, uids: readonly string[]): LedgerState => ({
  since: now.toISOString(),
  inherited: new Set(uids),
  devices: new Map(),
  usedApprovals: new Set(),
});

async function read(
  path: string,
  text: string | undefined,
  parts: LedgerParts,
  onRubbish: typeof putAside,
): Promise<LedgerState | undefined> {
  if (text === undefined) {
    parts.log.info(
      { path },
      'there is no ledger yet: it is begun, and volumes of ours that are there are taken into it',
    );
    return undefined;
  }
  try {
    return parseLedger(text);
  } catch (error) {
    if (error instanceof LedgerIsNewer) throw refusal(path, error);
    await onRubbish(path, text, error, parts);
    return undefined;
  }
}

const refusal = (path: string, error: LedgerIsNewer) =>
  new LedgerIsNewer(
    `the ledger ${path} cannot be read: ${error.message}. Run the version that wrote it; or, to give up what it knows of the devices of this node, move it away`,
  );

/** Under a name that is made of its content: however often the program is started on it, there is one of it, and nothing is overwritten. */
async function putAside(path: string, text: string, error: unknown, { files, log }: LedgerParts): Promise<void> {
  const aside = `${path}.unreadable-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (!(await files.lstat(aside))) await files.writeAtomic(aside, text, { mode: 0o600 });
  log.error({ err: error, path, aside }, 'the ledger cannot be understood: it is put aside, and another one begun');
}

async function leaveThere(path: string, _text: string, error: unknown, { log }: LedgerParts): Promise<void> {
  log.error({ err: error, path }, 'the ledger cannot be understood: this run goes on as if there were none');
}
