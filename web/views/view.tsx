/** The view that the address asks for, once there is something to show. */
import type { Unknown } from '../../src/console/model.ts';
import { isHeard, type Live } from '../live/news.ts';
import { addressIn, usePage } from '../page.ts';
import { Empty } from '../parts/empty.tsx';
import { Loading } from '../parts/loading.tsx';
import { Problem, whyOf } from '../parts/problem.tsx';
import { Unseen } from '../parts/unseen.tsx';
import type { Place, Route } from '../route.ts';
import { NodeView } from './nodes/node-view.tsx';
import { NodesView } from './nodes/nodes-view.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { PoolsView } from './pools/pools-view.tsx';
import { SyncsView } from './sync/syncs-view.tsx';
import { VolumeView } from './volume/volume-view.tsx';
import { VolumesView } from './volumes/volumes-view.tsx';

export function View({ place, live }: { readonly place: Place; readonly live: Live }) {
  const page = usePage();
  const { world, link } = live;
  if (!world)
    return link.is === 'lost' ? (
      <Unheard why={link.why} isFinal={link.retryAt === undefined} />
    ) : (
      <Loading what="Listening to the cluster…" />
    );
  const { route, params } = place;
  const unseen = unseenAt(route, world.unknown);
  if (unseen) return <Unseen {...unseen} />;
  switch (route.view) {
    case 'overview':
      return <OverviewView overview={world.overview} unknown={world.unknown} isHeard={isHeard(live)} />;
    case 'volumes':
      return <VolumesView volumes={world.volumes} params={params} />;
    case 'volume':
      return <VolumeView key={`${page.cluster} ${route.name}`} name={route.name} row={world.volumes.get(route.name)} />;
    case 'nodes':
      return <NodesView nodes={world.nodes} />;
    case 'node':
      return <NodeView name={route.name} node={world.nodes.get(route.name)} />;
    case 'pools':
      return <PoolsView pools={world.pools} />;
    case 'pool':
      return <PoolsView pools={world.pools} only={route.name} />;
    case 'syncs':
      return <SyncsView syncs={world.syncs} />;
    case 'sync':
      return <SyncsView syncs={world.syncs} only={route.name} />;
    case 'nowhere':
      return (
        <Empty icon="search" title="There is no such view">
          <p>
            The address <code>{route.path}</code> leads nowhere.{' '}
            <a href={addressIn(page, { view: 'overview' })}>Go to the overview</a>
          </p>
        </Empty>
      );
  }
}

interface Part {
  readonly of: keyof Unknown;
  readonly title: string;
  readonly what: string;
}

const VOLUMES: Part = { of: 'volumes', title: 'Volumes', what: 'volumes' };
const NODES: Part = { of: 'nodes', title: 'Nodes', what: 'nodes' };
const POOLS: Part = { of: 'pools', title: 'Pools', what: 'pools' };
const SYNCS: Part = { of: 'syncs', title: 'Sync', what: 'syncs' };
const PARTS: Readonly<Partial<Record<Route['view'], Part>>> = {
  volumes: VOLUMES,
  volume: VOLUMES,
  nodes: NODES,
  node: NODES,
  pools: POOLS,
  pool: POOLS,
  syncs: SYNCS,
  sync: SYNCS,
};

/** Nothing where what the address leads to can be said. */
function unseenAt({ view }: Route, unknown: Unknown) {
  const part = PARTS[view];
  if (!part) return undefined;
  const why = unknown[part.of];
  return why === undefined ? undefined : { title: part.title, what: part.what, why };
}

function Unheard({ why, isFinal }: { readonly why: unknown; readonly isFinal: boolean }) {
  return (
    <Problem title="Nothing is known of this cluster yet" why={whyOf(why)}>
      <p>{isFinal ? 'It would not help to ask again.' : 'It is tried again, each time after a longer while.'}</p>
    </Problem>
  );
}
