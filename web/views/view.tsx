/** The view that the address asks for, once there is something to show. */
import { isHeard, type Live } from '../live/live.ts';
import { addressIn, usePage } from '../page.ts';
import { Empty } from '../parts/empty.tsx';
import { Loading } from '../parts/loading.tsx';
import { Problem, whyOf } from '../parts/problem.tsx';
import type { Place } from '../route.ts';
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
  switch (route.view) {
    case 'overview':
      return <OverviewView overview={world.overview} isHeard={isHeard(live)} />;
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

function Unheard({ why, isFinal }: { readonly why: unknown; readonly isFinal: boolean }) {
  return (
    <Problem title="Nothing is known of this cluster yet" why={whyOf(why)}>
      <p>{isFinal ? 'It would not help to ask again.' : 'It is tried again, each time after a longer while.'}</p>
    </Problem>
  );
}
