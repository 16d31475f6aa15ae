/** Tells people how devices stand: in Events, metrics, the log and the standings, each in its own way. */
import type { Clock } from '../kit/clock/clock.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import { once } from '../kit/observe/once.ts';
import type { Configuration } from './configuration.ts';
import type { Config, WipeMethod } from './contract.ts';
import type { OwnNode } from './desired.ts';
import {
  type About,
  approvalsAreWrong,
  approvalUsed,
  configurationIsWrong,
  configurationWarning,
  failed,
  made,
  refused,
  wipeBegins,
  wiped,
} from './events.ts';
import type { Stock } from './inventory.ts';
import type { Receipt } from './ledger/entry.ts';
import type { DevicesMetrics } from './metrics.ts';
import { explain, isUse, type Refusal } from './refusals.ts';
import type { Standing, Standings, State, Trouble } from './standings.ts';
import type { Grievance, Subject } from './subject.ts';

export interface ReportParts {
  readonly recorder: EventRecorder;
  readonly metrics: DevicesMetrics;
  readonly standings: Standings;
  readonly log: Log;
  readonly clock: Clock;
  /** Nothing as long as the cluster does not know it. */
  readonly node: () => OwnNode | undefined;
}

/** So long it may take until what passes by itself has passed. */
const PATIENCE_MS = 10_000;

export class Report {
  readonly #parts: ReportParts;
  #isFirst = once();
  #configuration = '';
  /** What a device was refused for, and since when. */
  readonly #since = new Map<string, { readonly fact: Trouble; readonly at: number; told?: string }>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  looked({ configuration, unseen }: Stock): void {
    const { metrics, log } = this.#parts;
    this.#tellAnewIf(configuration);
    metrics.configured(configuration.is === 'given', configuration.is === 'wrong' ? configuration.faults.length : 0);
    if (configuration.is === 'none')
      this.#say(configuration.why, () => log.info({ why: configuration.why }, 'nothing is done on this node'));
    if (configuration.is === 'wrong') this.#configurationIsWrong(configuration.configMap, configuration.faults);
    if (configuration.is === 'given') this.#configurationIsGiven(configuration.configMap, configuration.warnings);
    for (const one of unseen)
      this.#say(one, () => log.warn({ why: one }, 'a part of the device directory cannot be looked at'));
  }

  #configurationIsWrong(configMap: string, faults: readonly string[]): void {
    const { recorder, log } = this.#parts;
    const node = this.#parts.node();
    for (const fault of faults) {
      this.#say(`wrong:${configMap}:${fault}`, () => {
        log.warn({ configMap, why: fault }, 'the configuration is wrong: no device is touched');
        if (node) recorder.record(configurationIsWrong(node, configMap, fault));
      });
    }
  }

  #configurationIsGiven(configMap: string, warnings: readonly string[]): void {
    const { recorder, log } = this.#parts;
    const node = this.#parts.node();
    for (const warning of warnings) {
      this.#say(`warning:${configMap}:${warning}`, () => {
        log.warn({ configMap, why: warning }, 'a part of the configuration is ignored');
        if (node) recorder.record(configurationWarning(node, configMap, warning));
      });
    }
  }

  approvalsAreWrong(fault: string): void {
    const node = this.#parts.node();
    this.#say(`approvals:${fault}`, () => {
      this.#parts.log.warn({ why: fault }, 'the approvals on the Node cannot be read: none of them counts');
      if (node) this.#parts.recorder.record(approvalsAreWrong(node, fault));
    });
  }

  /** What was put right and is wrong again is news. */
  #tellAnewIf(configuration: Configuration): void {
    const now = JSON.stringify(configuration);
    if (now !== this.#configuration) this.#isFirst = once();
    this.#configuration = now;
  }

  /** Each thing once. */
  #say(what: string, say: () => void): void {
    if (this.#isFirst(what)) say();
  }

  /** There is neither a device nor a volume of this name any more. */
  gone(name: string): void {
    this.#parts.standings.delete(name);
    this.#since.delete(name);
  }

  stands(subject: Subject, state: State): void {
    const { name, path, volume, identity, device, holds, partitions, partitionCount } = subject;
    const known = this.#parts.standings.get(name);
    const standing: Standing = {
      volume: name,
      path,
      state,
      sizeBytes: identity?.sizeBytes ?? known?.sizeBytes,
      device: device ?? known?.device,
      identity: identity ?? known?.identity,
      holds,
      claim: volume?.claim,
      partitions,
      partitionCount,
    };
    this.#parts.standings.note(standing);
    if (state.is !== 'refused' && state.is !== 'failed') this.#since.delete(name);
  }

  /** It waits for its turn. One that was refused or failed stays that until it is known to be otherwise. */
  waits(subject: Subject, state: State): void {
    const known = this.#parts.standings.get(subject.name)?.state.is;
    if (known !== 'refused' && known !== 'failed') this.stands(subject, state);
  }

  /** Whether it has lasted long enough to be told. */
  refused(subject: Subject, grievance: Grievance): boolean {
    const { recorder, log, clock } = this.#parts;
    this.stands(subject, { is: 'refused', ...grievance });
    const { fact, why } = grievance;
    const known = this.#since.get(subject.name);
    const since = known?.fact === fact ? known : { fact, at: clock.monotonic() };
    this.#since.set(subject.name, since);
    if (isUse(fact) && clock.monotonic() - since.at < PATIENCE_MS) return false;
    if (since.told !== why) {
      since.told = why;
      log.warn({ volume: subject.name, path: subject.path, fact, why }, 'nothing is done to the device');
      const node = this.#parts.node();
      if (node) recorder.record(refused(subject.volume, node, { path: subject.path, ...grievance }));
    }
    return true;
  }

  failed(subject: Subject, why: string): void {
    const { recorder, log } = this.#parts;
    const isNews = this.#parts.standings.get(subject.name)?.state.is !== 'failed';
    this.stands(subject, { is: 'failed', why });
    const node = this.#parts.node();
    if (!isNews) return;
    log.warn({ volume: subject.name, path: subject.path, why }, 'the device fails');
    if (node) recorder.record(failed(subject.volume, node, subject.path, why));
  }

  wipeBegins(subject: Subject, { wipeMethod }: Config): void {
    const { recorder, log } = this.#parts;
    log.info({ volume: subject.name, path: subject.path, method: wipeMethod }, 'wiping the device');
    if (subject.volume) recorder.record(wipeBegins(subject.volume, subject.path, wipeMethod));
  }

  wiping(subject: Subject, doneBytes: number, ofBytes: number): void {
    this.stands(subject, { is: 'wiping', doneBytes, ofBytes });
  }

  wipeGoesOn({ name, path }: Subject, doneBytes: number, ofBytes: number): void {
    const percent = Math.floor((100 * doneBytes) / ofBytes);
    this.#parts.log.info({ volume: name, path, percent, doneBytes, ofBytes }, 'still wiping the device');
  }

  wrote(method: WipeMethod, bytes: number): void {
    this.#parts.metrics.wrote(method, bytes);
  }

  wipeEnded(method: WipeMethod, outcome: 'verified' | 'failed', seconds: number): void {
    this.#parts.metrics.wiped(method, outcome, seconds);
  }

  wiped(subject: Subject, receipt: Receipt): void {
    const { recorder, log } = this.#parts;
    log.info({ volume: subject.name, path: subject.path, ...receipt }, 'the device is clean');
    if (subject.volume) recorder.record(wiped(subject.volume, subject.path, receipt));
  }

  made(subject: Subject, volume: About): void {
    const { recorder, log } = this.#parts;
    log.info({ volume: subject.name, path: subject.path }, 'the device became a volume');
    recorder.record(made(volume, subject.path));
    this.stands({ ...subject, volume }, { is: 'available' });
  }

  approvalUsed({ path, name }: Subject, refusal: Refusal): void {
    const { recorder, log } = this.#parts;
    const node = this.#parts.node();
    log.warn(
      { volume: name, path, fact: refusal.fact, why: explain(refusal) },
      'a person approved that the device is wiped',
    );
    if (node) recorder.record(approvalUsed(node, path, explain(refusal)));
  }
}
