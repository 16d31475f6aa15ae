/** The ways to the views, each with the worst that is found there. */
import type { Health } from '../../src/console/model.ts';
import type { World } from '../live/world.ts';
import { addressIn, usePage } from '../page.ts';
import { type Route, sectionOf } from '../route.ts';
import { severity } from '../words/health.ts';
import { HealthMark } from './health-mark.tsx';
import { Icon, type IconName } from './icon.tsx';

const VIEWS: readonly { readonly route: Route; readonly title: string; readonly icon: IconName }[] = [
  { route: { view: 'overview' }, title: 'Overview', icon: 'overview' },
  { route: { view: 'volumes' }, title: 'Volumes', icon: 'volumes' },
  { route: { view: 'nodes' }, title: 'Nodes', icon: 'nodes' },
  { route: { view: 'pools' }, title: 'Pools', icon: 'pools' },
  { route: { view: 'syncs' }, title: 'Sync', icon: 'sync' },
];

interface NavigationProps {
  readonly route: Route;
  readonly world: World | undefined;
}

export function Navigation({ route, world }: NavigationProps) {
  const page = usePage();
  return (
    <nav class="navigation" aria-label="Views">
      {VIEWS.map((view) => (
        <a
          key={view.title}
          href={addressIn(page, view.route)}
          aria-current={sectionOf(route) === sectionOf(view.route) ? 'page' : undefined}
        >
          <Icon name={view.icon} />
          <span>{view.title}</span>
          <Trouble health={world && worstIn(world, view.route)} />
        </a>
      ))}
    </nav>
  );
}

function Trouble({ health }: { readonly health: Health | undefined }) {
  return health === 'failed' || health === 'attention' ? <HealthMark health={health} isBare /> : null;
}

function worstIn(world: World, { view }: Route): Health | undefined {
  switch (view) {
    case 'overview':
      return world.overview.verdict.health;
    case 'volumes': {
      const { failed, attention } = world.overview.volumesByHealth;
      return failed > 0 ? 'failed' : attention > 0 ? 'attention' : undefined;
    }
    case 'nodes':
      return worst(world.nodes.values());
    case 'pools':
      return worst(world.pools.values());
    case 'syncs':
      return worst(world.syncs.values());
    default:
      return undefined;
  }
}

function worst(rows: Iterable<{ readonly health: Health }>): Health | undefined {
  return [...rows].map(({ health }) => health).sort((a, b) => severity(a) - severity(b))[0];
}
