/** What becomes of a device that nothing can be done to: it is told, on its volume too, and looked at again when that may have changed. */
import type { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome, Refuse, Retry } from '../kit/controller/outcome.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import { FileError } from '../kit/host/file-error.ts';
import { type ApplyParts, HasAVolume, patch } from './apply.ts';
import { isOfTheDevice, Refused } from './cleaning.ts';
import { TROUBLE_ANNOTATION } from './contract.ts';
import { isUse } from './refusals.ts';
import type { Report } from './report.ts';
import { asSeen, type Grievance, grievanceOf, grievanceOfReason, type Subject } from './subject.ts';
import type { Volume } from './volume.ts';

export interface ComplaintsParts extends Pick<ApplyParts, 'client' | 'settings'> {
  readonly report: Report;
  readonly ownWrites: OwnWrites;
  /** Aborted as soon as the process is to end: a wipe is not waited for, it goes on after the next start. */
  readonly stopping: AbortSignal;
}

/** What forbids a wipe may be gone in a moment, or stay for months. */
export const FIRST_LOOK_AGAIN_MS = 2_000;
const LAST_LOOK_AGAIN_MS = { whileInUse: 15_000, otherwise: 300_000 };
export const ENDS = 'the process ends; it is gone on with after the next start';

/** Which device, and its volume, if that is to stay. */
export interface Concerned {
  readonly subject: Subject;
  readonly volume: Volume | undefined;
}

export class Complaints {
  readonly #parts: ComplaintsParts;
  /** How often each was refused in a row. */
  readonly #refusals = new Map<string, number>();

  constructor(parts: ComplaintsParts) {
    this.#parts = parts;
  }

  /** There is nothing to complain of any more. */
  settle(name: string): void {
    this.#refusals.delete(name);
  }

  async tell(grievance: Grievance, { subject, volume }: Concerned, signal: AbortSignal): Promise<Outcome> {
    const hasLasted = this.#parts.report.refused(subject, grievance);
    if (!hasLasted) return after(FIRST_LOOK_AGAIN_MS);
    if (volume && !this.#parts.settings.dryRun) await this.#annotate(volume, grievance, signal);
    return done;
  }

  /**
   * The details may change at every look, and each write brings another look: it is enough that the fact stands there. What is not
   * ours is not written to.
   */
  async #annotate(volume: Volume, { fact, why, remedy }: Grievance, signal: AbortSignal): Promise<void> {
    if (fact === 'volumeIsNotOurs' || volume.marks[TROUBLE_ANNOTATION]?.includes(`(${fact})`)) return;
    const annotations = { [TROUBLE_ANNOTATION]: `${why} (${fact}). ${remedy}` };
    const { ownWrites } = this.#parts;
    ownWrites.note(volume.name, await patch(volume, { metadata: { annotations } }, this.#parts, signal));
  }

  /** A refusal keeps the volume as it is. What the device did to us is tried again. */
  async failed(error: unknown, concerned: Concerned, signal: AbortSignal): Promise<Outcome> {
    const { subject, volume } = concerned;
    if (this.#parts.stopping.aborted) throw new Retry(ENDS, { cause: error });
    if (error instanceof Refused) return await this.#refused(error, concerned, signal);
    if (error instanceof HasAVolume) return await this.tell(grievanceOfReason(error.reason), concerned, signal);
    if (volume && error instanceof DeviceError && error.reason === 'missing')
      return await this.tell(grievanceOfReason({ fact: 'deviceIsMissing', path: subject.path }), concerned, signal);
    if (isOfTheDevice(error) || error instanceof FileError) {
      this.#parts.report.failed(subject, error.message);
      throw new Retry(error.message, { cause: error });
    }
    throw error;
  }

  async #refused(
    { refusal, observed }: Refused,
    { subject, volume }: Concerned,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const grievance = grievanceOf(refusal, this.#parts.settings.node, subject.path);
    await this.tell(grievance, { subject: asSeen(subject, observed), volume }, signal);
    const { fact, why, remedy } = grievance;
    const recheckMs = this.#lookAgainAfter(subject.name, fact);
    throw new Refuse({ fact, message: `${subject.path} ${why}`, remedy, recheckMs });
  }

  #lookAgainAfter(name: string, fact: string): number {
    const times = this.#refusals.get(name) ?? 0;
    this.#refusals.set(name, times + 1);
    const atLast = isUse(fact) ? LAST_LOOK_AGAIN_MS.whileInUse : LAST_LOOK_AGAIN_MS.otherwise;
    return Math.min(FIRST_LOOK_AGAIN_MS * 2 ** times, atLast);
  }
}
