/**
 * For tests: a small controller that does right what six classic bugs do wrong, each of which can be planted. A config map with a label
 * gets a machine, which is rented elsewhere and given back when the map is deleted; one that has expired is deleted unless it is renewed.
 */
import { CONFIG_MAPS, type ConfigMap } from '../../api/config-maps.ts';
import { after, done, type Outcome } from '../../kit/controller/outcome.ts';
import { each } from '../../kit/controller/sources.ts';
import type { ReconcileContext } from '../../kit/controller/turn.ts';
import { ApiError } from '../../kit/kube/api-error.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { refOf } from '../../kit/kube/resource.ts';
import { ConnectionError } from '../../kit/kube/transport.ts';
import type { ProgramParts } from '../../kit/manager/program.ts';
import type { Runnable } from '../../kit/manager/stage.ts';
import type { Life, SimulatedJob } from './process.ts';

export type Bug =
  | 'finalizer-after-side-effect'
  | 'stale-read-before-delete'
  | 'lost-requeue'
  | 'write-after-lost-lease'
  | 'status-from-memory'
  | 'retry-of-a-create';

export const RENTED = 'toy.example.com/rented';
const FINALIZER = 'toy.example.com/machine';
const EXPIRES_MS = 60_000;

/** Where machines are rented. It makes one for whoever asks, however often, unless it is asked for the only one. */
export class Renter {
  /** The uid of the owner of each machine. */
  readonly machines = new Map<string, string>();
  /** Those who have given back what they had: nothing is rented to them any more, however late they ask. */
  readonly #closed = new Set<string>();
  #made = 0;

  rent(owner: string): string | undefined {
    if (this.#closed.has(owner)) return undefined;
    const machine = `machine-${++this.#made}`;
    this.machines.set(machine, owner);
    return machine;
  }

  rentOne(owner: string): string | undefined {
    return this.of(owner)[0] ?? this.rent(owner);
  }

  close(owner: string): true {
    this.#closed.add(owner);
    for (const machine of this.of(owner)) this.machines.delete(machine);
    return true;
  }

  of(owner: string): readonly string[] {
    return [...this.machines].flatMap(([machine, uid]) => (uid === owner ? [machine] : []));
  }
}

export const toyJob = (renter: Renter, bug?: Bug): SimulatedJob => ({
  name: 'toy',
  election: true,
  setUp: (parts, life) => [new Toy(parts, life, renter, bug).controller],
});

const project = ({ metadata, data }: ConfigMap) => ({ metadata, data: data ?? {} });

class Toy {
  readonly controller: Runnable;
  readonly #parts: ProgramParts;
  readonly #life: Life;
  readonly #renter: Renter;
  readonly #bug: Bug | undefined;
  readonly #client: KubeClient;
  readonly #maps: ReturnType<typeof viewOf>;
  /** How many machines each map was given; what a status should never be written from. */
  readonly #given = new Map<string, number>();

  constructor(parts: ProgramParts, life: Life, renter: Renter, bug: Bug | undefined) {
    this.#parts = parts;
    this.#life = life;
    this.#renter = renter;
    this.#bug = bug;
    const { clock, random } = parts;
    const ungated = () => new KubeClient({ transport: life.transport, clock, random });
    this.#client = bug === 'write-after-lost-lease' ? ungated() : parts.client;
    this.#maps = viewOf(parts);
    this.controller = parts.controller({
      name: 'toy',
      sources: [each(this.#maps)],
      reconcile: (key, context) => this.#guarded(key, context),
    });
  }

  async #guarded(key: string, context: ReconcileContext): Promise<Outcome> {
    try {
      return await this.#reconcile(key, context);
    } catch (error) {
      const isOfServer = error instanceof ApiError || error instanceof ConnectionError;
      if (this.#bug === 'lost-requeue' && isOfServer) return done;
      throw error;
    }
  }

  async #reconcile(key: string, context: ReconcileContext): Promise<Outcome> {
    const map = this.#maps.get(key);
    if (!map) return done;
    const { uid = '', deletionTimestamp, finalizers = [], creationTimestamp = '' } = map.metadata;
    if (deletionTimestamp) return this.#letGo(key, uid, finalizers, context);
    const ageMs = this.#parts.clock.now().getTime() - Date.parse(creationTimestamp);
    const willExpire = map.data.expires && !map.data.renewed;
    if (willExpire && ageMs > EXPIRES_MS) return this.#remove(key, context);
    if (!finalizers.includes(FINALIZER) && this.#bug !== 'finalizer-after-side-effect')
      return this.#setFinalizers(key, [...finalizers, FINALIZER], context);
    const machines = await this.#machinesFor(key, uid);
    if (!finalizers.includes(FINALIZER)) return this.#setFinalizers(key, [...finalizers, FINALIZER], context);
    const machine =
      this.#bug === 'status-from-memory' ? `${this.#given.get(uid) ?? 0} made` : `${machines.length} made`;
    if (map.data.machine !== machine) return this.#say(key, machine, context);
    return willExpire ? after(Math.max(0, EXPIRES_MS - ageMs) + 1) : done;
  }

  async #machinesFor(key: string, uid: string): Promise<readonly string[]> {
    const { perform } = this.#life;
    const found = await perform(`FIND ${key}`, () => this.#renter.of(uid));
    if (found.length > 0) return found;
    const rent = () => perform(`RENT ${key}`, () => this.#renter.rent(uid));
    const rentOne = () => perform(`RENT ONE ${key}`, () => this.#renter.rentOne(uid));
    const rented = this.#bug === 'retry-of-a-create' ? await rent().catch(rent) : await rentOne();
    this.#given.set(uid, (this.#given.get(uid) ?? 0) + 1);
    return rented === undefined ? [] : [rented];
  }

  async #letGo(key: string, uid: string, finalizers: readonly string[], context: ReconcileContext): Promise<Outcome> {
    if (!finalizers.includes(FINALIZER)) return done;
    await this.#life.perform(`CLOSE ${key}`, () => this.#renter.close(uid));
    const others = finalizers.filter((each) => each !== FINALIZER);
    return this.#setFinalizers(key, others, context);
  }

  async #remove(key: string, { signal }: ReconcileContext): Promise<Outcome> {
    const preconditions = this.#maps.identityOf(key);
    const isCareful = this.#bug !== 'stale-read-before-delete' && preconditions;
    await this.#client.delete(CONFIG_MAPS, refOf(key), { signal, ...(isCareful && { preconditions }) });
    return done;
  }

  async #setFinalizers(key: string, finalizers: readonly string[], context: ReconcileContext): Promise<Outcome> {
    return this.#patch(key, { metadata: { finalizers } }, context);
  }

  async #say(key: string, machine: string, context: ReconcileContext): Promise<Outcome> {
    return this.#patch(key, { data: { machine, by: this.#life.process } }, context);
  }

  async #patch(key: string, patch: Readonly<Record<string, object>>, { signal }: ReconcileContext): Promise<Outcome> {
    const preconditions = this.#bug === 'write-after-lost-lease' ? undefined : this.#maps.identityOf(key);
    await this.#client.mergePatch(CONFIG_MAPS, refOf(key), patch, { signal, ...(preconditions && { preconditions }) });
    return done;
  }
}

const viewOf = ({ caches }: ProgramParts) =>
  caches.view(CONFIG_MAPS, { namespace: 'default', labelSelector: RENTED, project });
