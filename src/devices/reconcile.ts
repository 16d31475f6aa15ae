/** Makes one device and the volume of its name right: looks at both, remembers what it saw, decides, and carries it out. */
import { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome, Retry } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { FileError } from '../kit/host/file-error.ts';
import { Patience } from '../kit/patience.ts';
import { letGo, patch } from './apply.ts';
import { Complaints, ENDS } from './complaints.ts';
import { type Decision, decide, type Seen } from './decide.ts';
import type { Inventory } from './inventory.ts';
import { remember } from './memory.ts';
import type { Reason } from './reasons.ts';
import { type Disagreements, look } from './seen.ts';
import { grievanceOfReason, type Subject, stateOf, subjectOf } from './subject.ts';
import { RECHECK_MS, Work, type WorkParts } from './work.ts';

export interface ReconcileParts extends Omit<WorkParts, 'patience'> {
  readonly inventory: Inventory;
  readonly disagreements: Disagreements;
}

export function reconciler(given: ReconcileParts): (name: string, context: ReconcileContext) => Promise<Outcome> {
  const reconciliation = new Reconciliation(given);
  return (name, context) => reconciliation.of(name, context);
}

class Reconciliation {
  readonly #parts: ReconcileParts & WorkParts;
  readonly #ownWrites: OwnWrites;
  readonly #complaints: Complaints;
  readonly #work: Work;

  constructor(given: ReconcileParts) {
    this.#parts = { ...given, patience: new Patience(given.clock) };
    this.#ownWrites = new OwnWrites(given.views.volumes, given.clock);
    this.#complaints = new Complaints({ ...this.#parts, ownWrites: this.#ownWrites });
    this.#work = new Work(this.#parts, this.#complaints);
  }

  async of(name: string, context: ReconcileContext): Promise<Outcome> {
    const seen = this.#look(name);
    if (!seen) return done;
    if (this.#ownWrites.isAheadOfCache(name) || this.#work.isJustMade(seen)) return after(RECHECK_MS);
    await this.#remember(seen);
    const signal = AbortSignal.any([context.signal, this.#parts.stopping]);
    const outcome = await this.#carryOut(decide(seen), seen, signal);
    this.#complaints.settle(name);
    return outcome;
  }

  #look(name: string): Seen | undefined {
    const { inventory, views, settings, disagreements } = this.#parts;
    const { stock } = inventory;
    return stock && look(views, stock, settings, name, disagreements.first(stock));
  }

  async #remember(seen: Seen): Promise<void> {
    try {
      await remember(seen, this.#parts);
    } catch (error) {
      if (this.#parts.stopping.aborted) throw new Retry(ENDS, { cause: error });
      if (error instanceof FileError)
        throw new Retry(`the ledger cannot be written: ${error.message}`, { cause: error });
      throw error;
    }
  }

  async #carryOut(decision: Decision, seen: Seen, signal: AbortSignal): Promise<Outcome> {
    const { volume } = seen;
    const subject = subjectOf(seen);
    switch (decision.do) {
      case 'nothing':
        this.#leaveAlone(seen, subject, decision.because);
        return done;
      case 'tell':
        return await this.#complaints.tell(grievanceOfReason(decision.because), { subject, volume }, signal);
      case 'mend':
        return await this.#mend(decision, subject, seen, signal);
      case 'letGo':
        if (!this.#parts.settings.dryRun && volume) await letGo(volume, this.#parts, signal);
        return done;
      case 'recycle':
        return volume ? await this.#work.recycle(volume, decision.config, subject, seen, signal) : done;
      case 'make':
        return await this.#work.make(decision.wanted, subject, seen, signal);
    }
  }

  #leaveAlone({ volume, found, name }: Seen, subject: Subject, because: Reason): void {
    const { report } = this.#parts;
    if (volume) report.stands(subject, stateOf(volume));
    else if (found.length === 0 || because.fact === 'thereIsNoConfiguration') report.gone(name);
  }

  async #mend(
    { patch: body, because }: Extract<Decision, { readonly do: 'mend' }>,
    subject: Subject,
    { volume }: Seen,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (!volume) return done;
    const { report, settings } = this.#parts;
    report.stands(subject, stateOf(volume));
    if (because) report.refused(subject, grievanceOfReason(because));
    if (settings.dryRun) return done;
    this.#ownWrites.note(volume.name, await patch(volume, body, this.#parts, signal));
    return after(RECHECK_MS);
  }
}
