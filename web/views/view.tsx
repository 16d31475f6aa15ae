/** The view that the address asks for, once there is something to show. */
import type { Unknown } from '../../src/console/model.ts';
import { useTold } from '../live/clock.ts';
import { isHeard, type Live } from '../live/news.ts';
import { addressIn, usePage } from '../page.ts';
import { nextTry } from '../parts/connection-mark.tsx';
import { Empty } from '../parts/empty.tsx';
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
import { type Awaited, Waiting } from './waiting/waiting.tsx';

export function View({ place, live }: { readonly place: Place; readonly live: Live }) {
  const page = usePage();
  const { world, link } = live;
  const { route, params } = place;
  if (route.view === 'nowhere') return <Nowhere path={route.path} />;
  if (!world)
    return link.is === 'lost' ? (
      <Unheard route={route} why={link.why} retryAt={link.retryAt} />
    ) : (
      <Waiting route={route} />
    );
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
  }
}

function Nowhere({ path }: { readonly path: string }) {
  const page = usePage();
  return (
    <>
      <Head title="Nowhere" />
      <Empty icon="search" title="There is no such view">
        <p>
          The address <code>{path}</code> leads to none.{' '}
          <a href={addressIn(page, { view: 'overview' })}>Go to the overview</a>
        </p>
      </Empty>
    </>
  );
}

function Head({ title }: { readonly title: string }) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
    </header>
  );
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

interface UnheardProps {
  readonly route: Awaited;
  readonly why: unknown;
  /** Nothing where it would not help to ask again. */
  readonly retryAt: number | undefined;
}

function Unheard({ route, why, retryAt }: UnheardProps) {
  const next = useTold((_, here) => (retryAt === undefined ? '' : nextTry(retryAt - here)));
  return (
    <>
      <Head title={'name' in route ? route.name : (PARTS[route.view]?.title ?? 'Overview')} />
      <Problem title="Nothing is known of this cluster yet" why={whyOf(why)}>
        <p>{next === '' ? 'It would not help to ask again.' : next}</p>
      </Problem>
    </>
  );
}
