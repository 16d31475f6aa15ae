/** What those who have the same rights are sent: states and changes as text, numbered, and the last changes kept for those who come back. */
import { isDeepStrictEqual } from 'node:util';
import { isSameOverview } from './change.ts';
import type { Change, Connection, Message, Overview, State, Unknown } from './model.ts';
import { overviewOf, type Parts } from './overview.ts';
import type { Changed } from './picture.ts';
import { type Rights, type Seen, visibleTo } from './rights.ts';
import type { Shown } from './shown.ts';

/** One event of a stream, ready to be sent. Its bytes are made once for all readers: a state of 10,000 volumes is some megabytes. */
export class Sent {
  readonly id: string;
  readonly text: string;
  #bytes: Buffer | undefined;

  constructor(id: string, text: string) {
    this.id = id;
    this.text = text;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(`id: ${this.id}\ndata: ${this.text}\n\n`);
    return this.#bytes;
  }
}

export interface FeedReader {
  /** A change, or that the cluster is heard or not. */
  next(sent: Sent): void;
}

export interface FeedLimits {
  /** How many changes are kept, */
  readonly mostChanges: number;
  /** and how many characters of them. */
  readonly mostText: number;
}

const DEFAULT_LIMITS: FeedLimits = { mostChanges: 1_000, mostText: 4_000_000 };

export class Feed {
  readonly #instance: string;
  readonly #rights: Rights;
  readonly #limits: FeedLimits;
  readonly #readers = new Set<FeedReader>();
  /** The change that led to a version is at its place: the oldest first. */
  #ring: Sent[] = [];
  #ringText = 0;
  #version = 0;
  #parts: Parts;
  #overview: Overview;
  #state: Sent | undefined;
  /** The rows that readers know of: what goes is told of these only. */
  readonly #told: Readonly<Record<PartName, Set<string>>>;

  /** `instance` is another one for every feed of every process: what a reader brings from another is worth nothing. */
  constructor(instance: string, rights: Rights, parts: Seen, now: Date, limits: FeedLimits = DEFAULT_LIMITS) {
    this.#instance = instance;
    this.#rights = rights;
    this.#limits = limits;
    this.#parts = visibleTo(rights, parts);
    this.#overview = overviewOf(this.#parts, now);
    const keysOf = (name: PartName) => new Set(rowsIn(this.#parts[name]).keys());
    this.#told = { volumes: keysOf('volumes'), nodes: keysOf('nodes'), pools: keysOf('pools'), syncs: keysOf('syncs') };
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** What a reader is sent first: what it has missed since the event that it saw last, or all of it. */
  missedSince(lastId: string | undefined): readonly Sent[] {
    const version = this.#versionIn(lastId);
    if (version === undefined || version > this.#version) return [this.state];
    const missed = this.#version - version;
    return missed > this.#ring.length ? [this.state] : this.#ring.slice(this.#ring.length - missed);
  }

  subscribe(reader: FeedReader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  get state(): Sent {
    const { volumes, nodes, pools, syncs } = this.#parts;
    const unknown = unknownIn(this.#parts);
    this.#state ??= this.#sent({
      is: 'state',
      state: {
        overview: this.#overview,
        volumes: rowsOf(volumes),
        nodes: rowsOf(nodes),
        pools: rowsOf(pools),
        syncs: rowsOf(syncs),
        ...(Object.keys(unknown).length > 0 && { unknown }),
      } satisfies State,
    });
    return this.#state;
  }

  connection(connection: Connection): Sent {
    return this.#sent({ is: 'connection', connection });
  }

  time(now: Date): Sent {
    return this.#sent({ is: 'time', at: now.toISOString() });
  }

  tell(sent: Sent): void {
    for (const reader of this.#readers) reader.next(sent);
  }

  publish(changed: Changed, parts: Seen, now: Date): void {
    const before = this.#parts;
    this.#parts = visibleTo(this.#rights, parts);
    const overview = overviewOf(this.#parts, now);
    const unknown = unknownIn(this.#parts);
    const change: Change = {
      ...(!isSameOverview(this.#overview, overview) && { overview }),
      ...this.#changedPart('volumes', changed.volumes, before.volumes.known),
      ...this.#changedPart('nodes', changed.nodes, before.nodes.known),
      ...this.#changedPart('pools', changed.pools, before.pools.known),
      ...this.#changedPart('syncs', changed.syncs, before.syncs.known),
      ...(!isDeepStrictEqual(unknownIn(before), unknown) && { unknown }),
    };
    if (Object.keys(change).length === 0) return;
    this.#overview = overview;
    this.#state = undefined;
    this.#version += 1;
    const sent = this.#sent({ is: 'change', change });
    this.#keep(sent);
    this.tell(sent);
  }

  /** A part that is readable now and was not before, or the other way round, is new or gone as a whole. */
  #changedPart(name: PartName, changed: ReadonlySet<string>, wasKnown: boolean): object {
    const part = this.#parts[name];
    const rows = rowsIn(part);
    const told = this.#told[name];
    const keys = wasKnown === part.known ? changed : new Set([...told, ...rows.keys()]);
    const entries: [string, unknown][] = [];
    for (const key of keys) {
      const shown = rows.get(key);
      if (shown) told.add(key);
      if (shown || told.delete(key)) entries.push([key, shown?.row ?? null]);
    }
    return entries.length > 0 ? { [name]: Object.fromEntries(entries) } : {};
  }

  #keep(sent: Sent): void {
    this.#ring.push(sent);
    this.#ringText += sent.text.length;
    let drop = 0;
    while (
      this.#ring.length - drop > this.#limits.mostChanges ||
      (this.#ringText > this.#limits.mostText && drop < this.#ring.length)
    )
      this.#ringText -= this.#ring[drop++]?.text.length ?? 0;
    if (drop > 0) this.#ring = this.#ring.slice(drop);
  }

  #sent(message: Message): Sent {
    return new Sent(`${this.#instance}:${this.#version}`, JSON.stringify(message));
  }

  #versionIn(id: string | undefined): number | undefined {
    const prefix = `${this.#instance}:`;
    if (!id?.startsWith(prefix)) return undefined;
    const version = id.slice(prefix.length);
    return /^\d{1,15}$/.test(version) ? Number(version) : undefined;
  }
}

type PartName = 'volumes' | 'nodes' | 'pools' | 'syncs';
type Part = Parts['volumes'] | Parts['nodes'] | Parts['pools'] | Parts['syncs'];

const rowsIn = (part: Part): ReadonlyMap<string, Shown<unknown>> => (part.known ? part.value : new Map());

const unknownIn = ({ volumes, nodes, pools, syncs }: Parts): Unknown => ({
  ...(!volumes.known && { volumes: volumes.why }),
  ...(!nodes.known && { nodes: nodes.why }),
  ...(!pools.known && { pools: pools.why }),
  ...(!syncs.known && { syncs: syncs.why }),
});

function rowsOf<T>(
  part: { known: true; value: ReadonlyMap<string, Shown<T>> } | { known: false },
): Readonly<Record<string, T>> {
  return part.known ? Object.fromEntries([...part.value].map(([key, { row }]) => [key, row])) : {};
}
