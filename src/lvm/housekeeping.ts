/** Now and then: lets go on what was left frozen, tells of what belongs to no volume, and removes what was in the trash for long enough. */
import { type Clock, sleep } from '../kit/clock/clock.ts';
import { Refuse } from '../kit/controller/outcome.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import type { LvmSettings } from './contract.ts';
import { orphansFound, trashEmptied } from './events.ts';
import type { LogicalVolume } from './facts.ts';
import { removeLeftover } from './leftovers.ts';
import type { Machine } from './machine.ts';
import type { LvmMetrics } from './metrics.ts';
import { type Claimant, isWanted, ORPHAN_KINDS, type Orphan, orphanInWords, orphansIn } from './orphans.ts';
import type { Look } from './sight.ts';
import { isInTrash, isOver, type Trashed, trashIn } from './trash.ts';
import type { LvmViews } from './views.ts';

export interface HousekeepingParts {
  readonly views: LvmViews;
  /** The volumes as the API server has them now, past every cache. */
  readonly live: (signal: AbortSignal) => Promise<readonly Claimant[]>;
  readonly settings: LvmSettings;
  readonly machine: Machine;
  /** Its uid. */
  readonly cluster: string;
  readonly metrics: Pick<LvmMetrics, 'orphans' | 'failed'>;
  readonly recorder: EventRecorder;
  readonly log: Log;
  readonly clock: Clock;
  /** By the cluster's clock, where that is another one. */
  readonly clusterNow?: (() => Date) | undefined;
}

/** An Event has room for so many. */
const MOST_TOLD = 10;

export class Housekeeping implements Runnable {
  readonly name = 'housekeeping';
  readonly #parts: HousekeepingParts;
  #told = '';

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  /** To shred what is in the trash can take hours, and what is told does not wait for it. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#nowAndThen(() => this.#parts.machine.thaw(), signal),
      this.#nowAndThen(() => this.tellOrphans(), signal),
      this.#nowAndThen(() => this.emptyTrash(signal), signal),
    ]);
  }

  async #nowAndThen(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, settings, log } = this.#parts;
    while (!signal.aborted) {
      await work().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ why: wordsOf(error) }, 'the node could not be tidied up');
      });
      await sleep(clock, settings.resyncMs, signal).catch(() => {});
    }
  }

  /** With the volumes that there were before or after it: who comes or goes meanwhile is among them. */
  async #look(): Promise<{ readonly look: Look; readonly names: readonly string[]; readonly volumes: Claimant[] }> {
    const { machine, settings, views } = this.#parts;
    using _here = machine.join();
    const before = [...views.volumes.values()];
    const look = await machine.look();
    const names = await machine.namesIn(settings.mountBase);
    return { look, names, volumes: [...before, ...views.volumes.values()] };
  }

  async tellOrphans(): Promise<void> {
    const { settings, cluster, metrics } = this.#parts;
    const { look, names, volumes } = await this.#look();
    const orphans = orphansIn({ look, names, mountBase: settings.mountBase, cluster }, volumes);
    for (const kind of ORPHAN_KINDS) metrics.orphans(kind, orphans.filter((each) => each.kind === kind).length);
    if (settings.sanityChecks) this.#tell(orphans);
  }

  /** The log hears of it each time, and the Node once of the same. */
  #tell(orphans: readonly Orphan[]): void {
    const { log, recorder, views, settings } = this.#parts;
    const found = orphans.map(orphanInWords);
    for (const orphan of found) log.warn({ orphan }, 'this belongs to no volume');
    const words = inOneSentence(found);
    const node = views.nodes.get(settings.node);
    if (node && words !== this.#told && found.length > 0) recorder.record(orphansFound(node, words));
    this.#told = words;
  }

  async emptyTrash(signal: AbortSignal): Promise<void> {
    const { cluster, settings, log, metrics } = this.#parts;
    const { look, volumes } = await this.#look();
    const over = trashIn(look.lvm, cluster)
      .filter((each) => isOver(each, settings.trashTtlMs, this.#now()))
      .filter(({ lv }) => !isWanted(lv, volumes));
    for (const each of over) {
      signal.throwIfAborted();
      // A person may have asked for it back since, and our caches need not know.
      if (isWanted(each.lv, await this.#parts.live(signal))) continue;
      await this.#empty(each, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        metrics.failed(error instanceof Refuse ? error.fact : 'failed');
        log.warn({ lv: nameOf(each.lv), why: wordsOf(error) }, 'what is in the trash could not be removed');
      });
    }
  }

  /** Whichever clock is behind: the other one may be wrong, and what is removed too late is not lost. */
  #now(): Date {
    const { clock, clusterNow = () => clock.now() } = this.#parts;
    return new Date(Math.min(clock.now().getTime(), clusterNow().getTime()));
  }

  async #empty({ lv }: Trashed, signal: AbortSignal): Promise<void> {
    const { machine, log, recorder, views, settings } = this.#parts;
    const does = (step: string) => log.info({ lv: nameOf(lv), step }, 'a step to empty the trash');
    await removeLeftover({ lv, path: '', isStill: isInTrash }, machine, { signal, does });
    log.info({ lv: nameOf(lv) }, 'it was in the trash for long enough, and is gone');
    const node = views.nodes.get(settings.node);
    if (node) recorder.record(trashEmptied(node, nameOf(lv)));
  }
}

const nameOf = ({ group, name }: LogicalVolume): string => `${group}/${name}`;

const inOneSentence = (found: readonly string[]): string =>
  found.slice(0, MOST_TOLD).join('; ') + (found.length > MOST_TOLD ? `; and ${found.length - MOST_TOLD} more` : '');

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
