/** For tests: a cluster that protects its volumes in a simulated store. Its process can be ended at any time and started again. */
import type { VirtualClock } from '../../kit/clock/virtual.ts';
import { type Log, silentLog } from '../../kit/observe/log.ts';
import type { ExportStatus } from '../contract.ts';
import { documentOf } from '../export/document.ts';
import { type Keys, NO_KEYS } from '../export/keys.ts';
import type { SimulatedStore } from '../store/simulated-store.ts';
import type { ObjectStore } from '../store/store.ts';
import { Protector } from './apply.ts';
import type { Form } from './new-objects.ts';
import type { Exportable, Outcome, Stale } from './outcome.ts';
import { type TakenOver, takeOver } from './take-over.ts';

export const CLUSTER = 'Prod';
export const PLAIN: Form = { compression: 'None', encryption: 'None', isSigned: false };

export interface SiteParts {
  readonly store: SimulatedStore;
  readonly clock: VirtualClock;
  readonly name: string;
  readonly keys?: Keys;
  readonly log?: Log;
  /** Between the cluster and the store. */
  readonly through?: (store: ObjectStore) => ObjectStore;
}

/** A document with so many volumes, whose claims are called after its edition. */
export function aDocument(edition: number, volumes = 2): Exportable {
  const object = (kind: string, name: string, more: object = {}) =>
    JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, ...more }, spec: {} });
  const names = Array.from({ length: volumes }, (_, index) => `v${index}`);
  return {
    document: documentOf({
      storageClasses: [],
      volumes: names.map((name) => object('PersistentVolume', name)),
      claims: [object('PersistentVolumeClaim', `edition-${edition}`, { namespace: 'apps' })],
    }),
    counts: { storageClasses: 0, volumes, claims: 1 },
  };
}

/** As a computation of one step. */
// biome-ignore lint/correctness/useYield: it does not give way
export function* whole<T>(result: T): Generator<void, T> {
  return result;
}

export class SimulatedSite {
  readonly clusterUid: string;
  /** What the status of the resource says. */
  status: ExportStatus | undefined;
  form = PLAIN;
  retention = 5;
  edition = 1;
  volumes = 2;
  readonly #parts: SiteParts;
  #protector: Protector;
  #contentSha256: string | undefined;
  #life = new AbortController();

  constructor(parts: SiteParts) {
    this.#parts = parts;
    this.clusterUid = `uid-of-${parts.name}`;
    this.#protector = this.#newProtector();
  }

  /** Ends the process, and starts another, which knows only what the cluster does. */
  restart(): void {
    this.#life.abort(new Error('the process was ended'));
    this.#protector.close();
    this.#life = new AbortController();
    this.#contentSha256 = undefined;
    this.#protector = this.#newProtector();
  }

  /** And waits until old exports are removed, too. */
  async export(isScheduled = false): Promise<Outcome> {
    return await this.#idle(await this.exportAlone(isScheduled));
  }

  async exportAlone(isScheduled = false): Promise<Outcome> {
    const exported = aDocument(this.edition, this.volumes);
    const request = { ...this.#site, content: () => whole(exported), isScheduled };
    return this.#told(await this.#protector.export(request, this.#life.signal));
  }

  async confirm(): Promise<Outcome | Stale> {
    const request = { ...this.#site, contentSha256: this.#contentSha256 };
    return await this.#idle(this.#told(await this.#protector.confirm(request, this.#life.signal)));
  }

  /** With what has come of that. */
  async #idle<T extends Outcome | Stale>(outcome: T): Promise<T> {
    await this.#protector.idle();
    return 'retention' in outcome ? { ...outcome, retention: this.#protector.retention } : outcome;
  }

  takeOver(restored?: string | null, knownEpoch = 0): Promise<TakenOver> {
    const { clock, keys = NO_KEYS } = this.#parts;
    const { cluster, clusterUid } = this.#site;
    const parts = {
      store: this.#client,
      cluster,
      clusterUid,
      keys,
      clock,
      knownEpoch,
      ...(restored !== undefined && { restored }),
    };
    return takeOver(parts, this.#life.signal);
  }

  #told<T extends Outcome | Stale>(outcome: T): T {
    if ('status' in outcome) {
      this.status = outcome.status;
      this.#contentSha256 = outcome.contentSha256;
    }
    return outcome;
  }

  get #site() {
    const { clusterUid, status: known, form, retention } = this;
    return { cluster: CLUSTER, clusterUid, known, form, retention, asOf: this.#parts.clock.now() };
  }

  get #client(): ObjectStore {
    const { store, name, through = (each) => each } = this.#parts;
    return through(store.as(name));
  }

  #newProtector(): Protector {
    const { clock, keys = NO_KEYS, log = silentLog } = this.#parts;
    return new Protector({ store: this.#client, keys, clock, log });
  }
}
