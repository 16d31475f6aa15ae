/** The head of the page: its name, the clusters, how they are heard, and the person's own settings. */
import type { ComponentChildren } from 'preact';
import type { Hello } from '../../src/console/model.ts';
import { usePage } from '../page.ts';
import { hrefOf, type Route } from '../route.ts';
import { Brand } from './brand.tsx';
import { Icon } from './icon.tsx';
import { THEME_WORDS, useTheme } from './theme.ts';

interface MastheadProps {
  readonly hello: Hello;
  readonly route: Route;
  readonly onHelp: () => void;
  readonly onSignOut: (() => void) | undefined;
  readonly children: ComponentChildren;
}

const THEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const;

export function Masthead({ hello, route, onHelp, onSignOut, children }: MastheadProps) {
  const [theme, nextTheme] = useTheme();
  return (
    <header class="masthead">
      <Brand />
      <ClusterSwitch route={route} />
      <div class="masthead-end">
        {children}
        {hello.user !== undefined && <span class="user">{hello.user}</span>}
        <button
          type="button"
          class="icon-button"
          onClick={nextTheme}
          aria-label={`Colours: ${THEME_WORDS[theme]}`}
          title={`Colours: ${THEME_WORDS[theme]}`}
        >
          <Icon name={THEME_ICONS[theme]} />
        </button>
        <button type="button" class="icon-button keys-button" onClick={onHelp} aria-label="Keys" title="Keys (?)">
          <Icon name="keyboard" />
        </button>
        {onSignOut && (
          <button type="button" class="icon-button" onClick={onSignOut} aria-label="Sign out" title="Sign out">
            <Icon name="signout" />
          </button>
        )}
      </div>
    </header>
  );
}

/** One stays in the same view, but not at the same object: names mean other things in another cluster. */
function ClusterSwitch({ route }: { readonly route: Route }) {
  const { cluster, clusters } = usePage();
  if (clusters.length < 2) return <span class="cluster-only">{clusters[0]?.title}</span>;
  return (
    <nav class="clusters" aria-label="Clusters">
      {clusters.map(({ name, title }) => (
        <a
          key={name}
          href={hrefOf(listOf(route), undefined, name)}
          aria-current={name === cluster ? 'true' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

const LISTS = { volume: 'volumes', node: 'nodes', pool: 'pools', sync: 'syncs', nowhere: 'overview' } as const;

function listOf(route: Route): Route {
  switch (route.view) {
    case 'volume':
    case 'node':
    case 'pool':
    case 'sync':
    case 'nowhere':
      return { view: LISTS[route.view] };
    default:
      return route;
  }
}
