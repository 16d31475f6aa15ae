/** What stands around every view: the clusters, the ways to the views, how well the cluster is heard. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Action, Hello } from '../src/console/model.ts';
import { focusMain } from './focus-main.ts';
import { useKeys } from './keys.ts';
import { ClusterClock } from './live/clock.ts';
import { useLive } from './live/live.ts';
import { isHeard } from './live/news.ts';
import { type Service, wantsSignIn } from './live/service.ts';
import { addressIn, type ListPlace, type Page, PageProvider } from './page.ts';
import { ActionDialog } from './parts/action-dialog.tsx';
import { ConnectionBanner, ConnectionMark } from './parts/connection-mark.tsx';
import { KeysDialog } from './parts/keys-dialog.tsx';
import { Masthead } from './parts/masthead.tsx';
import { Navigation } from './parts/navigation.tsx';
import { whyOf } from './parts/problem.tsx';
import { usePlace } from './place.ts';
import type { Route } from './route.ts';
import { sectionOf } from './route.ts';
import { View } from './views/view.tsx';
import { SEARCH_ID } from './views/volumes/search-id.ts';

interface ShellProps {
  readonly hello: Hello;
  readonly service: Service;
  readonly onSignOut: (why?: string) => void;
}

export function Shell({ hello, service, onSignOut }: ShellProps) {
  const place = usePlace();
  const cluster = useCluster(hello, place.cluster);
  const live = useLive(service, cluster);
  const [asked, setAsked] = useState<Action>();
  const [showsKeys, setShowsKeys] = useState(false);
  const list = useListPlace(place.route);
  const page = useMemo(
    (): Page => ({ service, cluster, clusters: hello.clusters, actions: hello.actions, ask: setAsked, list }),
    [service, cluster, hello, list],
  );

  const go = useCallback((route: Route) => location.assign(addressIn(page, route)), [page]);
  const search = useCallback(() => searchFrom(go), [go]);
  const help = useCallback(() => setShowsKeys(true), []);
  useKeys({ go, search, help });

  const lostWhy = live.link.is === 'lost' ? live.link.why : undefined;
  useEffect(() => {
    if (wantsSignIn(lostWhy)) onSignOut(whyOf(lostWhy));
  }, [lostWhy, onSignOut]);
  useTitle(place.route, hello, cluster);
  useTop(`${cluster} ${sectionOf(place.route)} ${'name' in place.route ? place.route.name : ''}`);

  return (
    <PageProvider value={page}>
      <ClusterClock.Provider value={live.time}>
        {/* biome-ignore lint/a11y/useValidAnchor: it leads somewhere, only not by its address, which is the route */}
        <a class="skip" href="#main" onClick={skipToMain}>
          Skip to the content
        </a>
        <div class="shell">
          <Masthead
            hello={hello}
            route={place.route}
            onHelp={help}
            onSignOut={hello.wantsToken ? () => onSignOut() : undefined}
          >
            <ConnectionMark live={live} />
          </Masthead>
          <Navigation route={place.route} world={live.world} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard */}
          <main id="main" tabIndex={0} class={live.world && !isHeard(live) ? 'is-old' : ''}>
            <ConnectionBanner live={live} />
            <View place={place} live={live} />
          </main>
        </div>
        {asked && (
          <ActionDialog action={asked} cluster={cluster} service={service} onClose={() => setAsked(undefined)} />
        )}
        {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
      </ClusterClock.Provider>
    </PageProvider>
  );
}

/** The one that the address names, else the one that was looked at before, else the first. */
function useCluster({ clusters }: Hello, named: string | undefined): string {
  const [before, setBefore] = useState(clusters[0]?.name ?? '');
  const known = clusters.some(({ name }) => name === named) && named !== undefined ? named : before;
  useEffect(() => setBefore(known), [known]);
  return known;
}

/** Kept from the list to a story and back; whoever goes elsewhere begins anew. */
function useListPlace(route: Route): Page['list'] {
  const list = useRef<ListPlace | undefined>(undefined);
  const isElsewhere = sectionOf(route) !== 'volumes';
  useEffect(() => {
    if (isElsewhere) list.current = undefined;
  }, [isElsewhere]);
  return list;
}

function useTitle(route: Route, { clusters }: Hello, cluster: string): void {
  const subject = 'name' in route ? route.name : sectionOf(route) || 'nowhere';
  const title = clusters.length > 1 ? ` · ${cluster}` : '';
  useEffect(() => {
    document.title = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}${title} · Holdfast`;
  }, [subject, title]);
}

/** Another place begins at its top, and keys scroll it, unless something in it or around it has the focus. */
function useTop(where: string): void {
  const before = useRef(where);
  useLayoutEffect(() => {
    const main = document.getElementById('main');
    if (!main || before.current === where) return;
    before.current = where;
    main.scrollTop = 0;
    if (document.activeElement === document.body) focusMain();
  }, [where]);
}

/** The address after `#` is a route, so the link cannot lead there by itself. */
function skipToMain(event: Event): void {
  event.preventDefault();
  focusMain();
}

const SEARCH_FRAMES = 60;

/** Where there is no search, it is gone to, and waited for as long as it takes to draw it. */
function searchFrom(go: (route: Route) => void): void {
  const focus = (framesLeft: number): void => {
    const input = document.getElementById(SEARCH_ID);
    if (input) input.focus();
    else if (framesLeft > 0) requestAnimationFrame(() => focus(framesLeft - 1));
  };
  if (!document.getElementById(SEARCH_ID)) go({ view: 'volumes' });
  focus(SEARCH_FRAMES);
}
