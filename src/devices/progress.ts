/** What is told while a device is wiped: in the standings and metrics at every step, on the volume now and then. */
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { ApplyParts, Told } from './apply.ts';
import { type Config, FIELD_MANAGER, PROGRESS_ANNOTATION } from './contract.ts';
import type { Refusal } from './refusals.ts';
import type { Report } from './report.ts';
import type { Subject } from './subject.ts';
import type { Volume } from './volume.ts';

type ProgressParts = Pick<ApplyParts, 'client' | 'clock'> & {
  readonly report: Report;
  /** Aborted as soon as the process is to end. */
  readonly stopping: AbortSignal;
};

/** Every write to a volume is seen by everybody who watches volumes. */
const TELL_MS = 15_000;

export class Progress implements Told {
  readonly #subject: Subject;
  readonly #config: Config;
  readonly #parts: ProgressParts;
  readonly #volume: Volume | undefined;
  #beganAt: number | undefined;
  #doneBytes: number | undefined;
  #toldAt = 0;
  #annotating: Promise<unknown> | undefined;

  constructor(subject: Subject, config: Config, parts: ProgressParts, volume?: Volume) {
    this.#subject = subject;
    this.#config = config;
    this.#parts = parts;
    this.#volume = volume;
  }

  /** Whether anything on the device may have been changed. */
  get hasBegun(): boolean {
    return this.#beganAt !== undefined;
  }

  readonly onBegin = (): void => {
    this.#beganAt = this.#parts.clock.monotonic();
    this.#toldAt = this.#beganAt;
    this.#parts.report.wipeBegins(this.#subject, this.#config);
  };

  readonly onProgress = (doneBytes: number, ofBytes: number): void => {
    const { report, clock } = this.#parts;
    /** What an earlier attempt has done is not done again. */
    report.wrote(this.#config.wipeMethod, doneBytes - (this.#doneBytes ?? doneBytes));
    this.#doneBytes = doneBytes;
    report.wiping(this.#subject, doneBytes, ofBytes);
    if (clock.monotonic() - this.#toldAt < TELL_MS) return;
    this.#toldAt = clock.monotonic();
    report.wipeGoesOn(this.#subject, doneBytes, ofBytes);
    this.#annotate(doneBytes, ofBytes);
  };

  readonly onApprovalUsed = (refusal: Refusal): void => this.#parts.report.approvalUsed(this.#subject, refusal);

  /** Resolves when nothing more will be written. */
  async end(outcome: 'verified' | 'failed'): Promise<void> {
    const { report, clock } = this.#parts;
    await this.#annotating;
    if (this.#beganAt === undefined) return;
    report.wipeEnded(this.#config.wipeMethod, outcome, (clock.monotonic() - this.#beganAt) / 1000);
    this.#beganAt = undefined;
  }

  /** It is for people only: whether it arrives does not matter, and one that takes long is not overtaken. */
  #annotate(doneBytes: number, ofBytes: number): void {
    const volume = this.#volume;
    if (!volume || this.#annotating) return;
    const text = `${this.#config.wipeMethod}: ${Math.floor((100 * doneBytes) / ofBytes)} % of ${ofBytes} bytes`;
    const patch = { metadata: { annotations: { [PROGRESS_ANNOTATION]: text } } };
    const { stopping: signal } = this.#parts;
    const options = { preconditions: { uid: volume.uid }, fieldManager: FIELD_MANAGER, signal };
    this.#annotating = this.#parts.client
      .mergePatch(PERSISTENT_VOLUMES, { name: volume.name }, patch, options)
      .catch(() => {})
      .finally(() => {
        this.#annotating = undefined;
      });
  }
}
