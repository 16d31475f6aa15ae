/**
 * Opens devices of volumes and reads them, a few at a time, and waits for none of them much longer than one that works takes: a disk
 * that hangs keeps nobody waiting but those who want to know what is on it.
 */
import type { Host } from '../kit/host/host.ts';
import { closeSoon, DoesNotAnswer, type Patience } from '../kit/patience.ts';
import { Slots } from '../kit/slots.ts';
import { type Opened, openedAt } from './signature.ts';

export interface Opening {
  /** The volume group that its bytes are in. */
  readonly group: string;
  readonly exclusive: boolean;
  readonly signal: AbortSignal;
}

/** Each takes a buffer of some size, and a thread. */
const AT_ONCE = 4;
/** Of a volume group, before no other of it is asked. */
const MOST_SILENT = 4;
/** As long as the kernel gives a disk for one command. Who was only slow is looked at again. */
export const READ_PATIENCE_MS = 30_000;

export class PatientOpening {
  readonly #host: Host;
  readonly #patience: Patience;
  readonly #slots = new Slots(AT_ONCE);
  /** Devices of each group that did not answer when they were last asked. */
  readonly #silent = new Map<string, Set<string>>();

  constructor(host: Host, patience: Patience) {
    this.#host = host;
    this.#patience = patience;
  }

  /** Rejects when it does not answer. What hangs is closed when it has ended, and not asked again before. */
  async open(path: string, { group, exclusive, signal }: Opening): Promise<Opened> {
    using _slot = await this.#slots.take(signal);
    this.#mayAnswer(path, group);
    try {
      const opened = await this.#patience.ask(path, () => openedAt(this.#host, path, exclusive), {
        withinMs: READ_PATIENCE_MS,
        putAway: (late) => late && this.#close(late).catch(() => {}),
      });
      return { ...opened, [Symbol.asyncDispose]: () => this.#close(opened) };
    } catch (error) {
      if (!(error instanceof DoesNotAnswer) || error.forMs === undefined) throw error;
      this.#silentIn(group).add(path);
      throw new Error('it does not answer'); // For how long changes, and what is told of a volume is written on it.
    }
  }

  /** Each that hangs takes a thread until it ends. Those of one group are likely on the same disk, and must not take all that there are. */
  #mayAnswer(path: string, group: string): void {
    const silent = this.#silentIn(group);
    for (const each of silent) if (!this.#patience.isHanging(each)) silent.delete(each);
    if (silent.size >= MOST_SILENT && !silent.has(path))
      throw new Error(`${MOST_SILENT} other devices or more of the volume group ${group} do not answer`);
  }

  #silentIn(group: string): Set<string> {
    const known = this.#silent.get(group) ?? new Set();
    this.#silent.set(group, known);
    return known;
  }

  #close({ device }: Opened): Promise<void> {
    return closeSoon(device, this.#patience, READ_PATIENCE_MS);
  }
}
