/** Tells people what becomes of a volume: in Events, metrics and the log, each in its own way. */
import type { Clock } from '../kit/clock/clock.ts';
import { ApiError, hasReason } from '../kit/kube/api-error.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import { once } from '../kit/observe/once.ts';
import type { Volume } from './cached.ts';
import { TOPOLOGY_LABELS } from './contract.ts';
import type { Label } from './decide.ts';
import { contested, failed, leftAlone, nodeWithoutTopology, replaced } from './events.ts';
import type { TopologyMetrics } from './metrics.ts';
import { explain, foreign, type Reason } from './reasons.ts';
import type { Standing, Standings } from './standings.ts';

export interface ReportParts {
  readonly recorder: EventRecorder;
  readonly metrics: TopologyMetrics;
  readonly standings: Standings;
  readonly log: Log;
  readonly clock: Clock;
  /** The uid of a node that there is. */
  readonly uidOfNode: (node: string) => string;
}

/** More than any cluster has. */
const MOST_NODES = 100_000;

export class Report {
  readonly #parts: ReportParts;
  readonly #startedAt: number;
  readonly #firstOfNode = once(MOST_NODES);

  constructor(parts: ReportParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now().getTime();
  }

  gone(name: string): void {
    this.#parts.standings.forget(name);
  }

  /** Each is told once. */
  nodesWithoutTopology(nodes: readonly string[]): void {
    const { recorder, log, uidOfNode } = this.#parts;
    for (const node of nodes) {
      const uid = uidOfNode(node);
      if (!this.#firstOfNode(uid)) continue;
      log.warn({ node }, 'the node has neither a zone nor a region: volumes of its pods get no labels from it');
      recorder.record(nodeWithoutTopology(node, uid));
    }
  }

  leftAlone(volume: Volume, because: Reason): void {
    const { recorder, metrics, log } = this.#parts;
    const occurrence = leftAlone(volume, because);
    const isNews = this.#stands(volume, because.fact, occurrence?.note);
    if (!isNews || !occurrence) return;
    if (because.fact === 'anotherValueIsKept') for (const _ of foreign(because.differences)) metrics.conflict('kept');
    recorder.record(occurrence);
    log.warn(
      { volume: volume.name, fact: because.fact, why: explain(because) },
      'not every label of the volume is as its nodes say',
    );
  }

  wrote(volume: Volume, { labels, nodeAffinity, replaced: differences, sources }: Label): void {
    const { recorder, metrics, log } = this.#parts;
    const isFirst = !isLabelled(volume) && !this.#parts.standings.of(volume.name, volume.uid)?.isLabelled;
    metrics.wrote('written');
    this.#stands({ ...volume, labels: { ...volume.labels, ...labels } }, 'written');
    for (const _ of foreign(differences)) metrics.conflict('replaced');
    const occurrence = replaced(volume, differences);
    if (occurrence) recorder.record(occurrence);
    if (isFirst) this.#delay(Math.max(...sources.map(({ readySince = 0 }) => readySince)));
    const from = { node: sources[0]?.node, pod: sources[0]?.pod };
    log.info({ volume: volume.name, labels, ...(nodeAffinity && { nodeAffinity }), ...from }, 'labelled the volume');
  }

  wouldWrite(volume: Volume, { labels, nodeAffinity, sources: [source] }: Label): void {
    if (!this.#stands(volume, 'dryRun', JSON.stringify([labels, nodeAffinity]))) return;
    const from = { node: source?.node, pod: source?.pod };
    const what = { volume: volume.name, labels, ...(nodeAffinity && { nodeAffinity }), ...from };
    this.#parts.log.info(what, 'would label the volume (dry run)');
  }

  /** It was deleted before we got to it. */
  vanished(): void {
    this.#parts.metrics.wrote('gone');
  }

  failed(volume: Volume, error: unknown): void {
    const { recorder, metrics } = this.#parts;
    const isConflict = hasReason(error, 'Conflict');
    metrics.wrote(isConflict ? 'conflict' : 'failed');
    if (isConflict) return;
    const occurrence = failed(volume, error);
    const isNews = this.#stands(volume, 'writeFailed', occurrence.note);
    if (isNews && error instanceof ApiError) recorder.record(occurrence);
  }

  contested(volume: Volume, pauseMs: number): void {
    if (!this.#stands(volume, 'contested')) return;
    this.#parts.recorder.record(contested(volume));
    this.#parts.log.warn({ volume: volume.name, pauseMs }, 'somebody undoes the labels of this volume again and again');
  }

  /** Of pods that became ready while we were watching: how long others waited for us says nothing about us. */
  #delay(readySince: number): void {
    const { clock, metrics } = this.#parts;
    if (readySince >= this.#startedAt) metrics.labelledAfter(Math.max(0, clock.now().getTime() - readySince) / 1000);
  }

  /** Whether that is news. */
  #stands(volume: Volume, because: Standing['because'], told?: string): boolean {
    const { name, uid } = volume;
    return this.#parts.standings.note(name, { uid, isLabelled: isLabelled(volume), because, told });
  }
}

const isLabelled = ({ labels }: Volume): boolean => TOPOLOGY_LABELS.some((key) => Boolean(labels[key]));
