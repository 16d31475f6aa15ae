/** Writes the report of this node for people, not oftener than they can read it. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { Bell } from '../kit/clock/bell.ts';
import { type Clock, sleep } from '../kit/clock/clock.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import type { Log } from '../kit/observe/log.ts';
import { onceEvery } from '../kit/observe/once.ts';
import { FIELD_MANAGER } from './contract.ts';
import { type NodeReport, reportMap } from './node-report.ts';
import type { Standings } from './standings.ts';

export interface ReporterParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly standings: Standings;
  readonly namespace: string;
  readonly compose: () => NodeReport;
}

/** Changes come in crowds: all of them are told together. */
const GATHERING_MS = 1_000;
const PAUSE_MS = 9_000;
/** Without a change: so that readers can tell an agent that is well from one that is gone. */
const AT_LEAST_EVERY_MS = 300_000;
const COMPLAINT_MS = 3_600_000;

export class Reporter implements Runnable {
  readonly name = 'the report on devices';
  readonly #parts: ReporterParts;
  readonly #bell = new Bell();
  readonly #isToBeSaid: (what: string) => boolean;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
    this.#isToBeSaid = onceEvery(parts.clock, COMPLAINT_MS);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, standings } = this.#parts;
    const stop = standings.subscribe(() => this.#bell.ring());
    try {
      for (;;) {
        await this.#bell.wait(clock, AT_LEAST_EVERY_MS, signal);
        await sleep(clock, GATHERING_MS, signal);
        await this.#write(signal);
        await sleep(clock, PAUSE_MS, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stop();
    }
  }

  /** It is for people only: without it, or without the right to write it, everything else goes on. */
  async #write(signal: AbortSignal): Promise<void> {
    const { client, log, namespace, compose } = this.#parts;
    try {
      const map = reportMap(compose(), namespace);
      await client.apply(CONFIG_MAPS, map, { fieldManager: FIELD_MANAGER, force: true, signal });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (this.#isToBeSaid(why)) log.warn({ why }, 'the report for `holdfast status devices` could not be written');
    }
  }
}
