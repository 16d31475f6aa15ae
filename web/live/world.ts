/** What the page knows of a cluster: the state as it was first told, and every change since. Rows that did not change stay the same objects, so that what shows them need not be drawn again. */
import type {
  Change,
  Connection,
  Message,
  NodeRow,
  Overview,
  PoolRow,
  State,
  SyncRow,
  Unknown,
  VolumeRow,
} from '../../src/console/model.ts';

export interface World {
  readonly overview: Overview;
  readonly volumes: ReadonlyMap<string, VolumeRow>;
  readonly nodes: ReadonlyMap<string, NodeRow>;
  readonly pools: ReadonlyMap<string, PoolRow>;
  readonly syncs: ReadonlyMap<string, SyncRow>;
  readonly unknown: Unknown;
  /** How well the console hears the cluster, once it has said so: it does with every beginning. */
  readonly connection?: Connection;
}

/** A change before there is a state has nothing to change. */
export function withMessage(world: World | undefined, message: Message): World | undefined {
  switch (message.is) {
    case 'state':
      return { ...worldOf(message.state), ...(world?.connection && { connection: world.connection }) };
    case 'change':
      return world && withChange(world, message.change);
    case 'connection':
      return world && { ...world, connection: message.connection };
    default:
      return world;
  }
}

function worldOf(state: State): World {
  const rows = <T>(of: Readonly<Record<string, T>>) => new Map(Object.entries(of));
  return {
    overview: state.overview,
    volumes: rows(state.volumes),
    nodes: rows(state.nodes),
    pools: rows(state.pools),
    syncs: rows(state.syncs),
    unknown: state.unknown ?? {},
  };
}

function withChange(world: World, change: Change): World {
  return {
    ...world,
    overview: change.overview ?? world.overview,
    volumes: withRows(world.volumes, change.volumes),
    nodes: withRows(world.nodes, change.nodes),
    pools: withRows(world.pools, change.pools),
    syncs: withRows(world.syncs, change.syncs),
    unknown: change.unknown ?? world.unknown,
  };
}

type ChangedRows<T> = Readonly<Record<string, T | null>>;

function withRows<T>(rows: ReadonlyMap<string, T>, changed: ChangedRows<T> | undefined): ReadonlyMap<string, T> {
  if (!changed) return rows;
  const next = new Map(rows);
  for (const [key, row] of Object.entries(changed)) {
    if (row === null) next.delete(key);
    else next.set(key, row);
  }
  return next;
}
