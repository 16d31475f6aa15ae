/** What every part of the page may need: the cluster that is shown, addresses within it, and what people may do. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Action, ActionName, ClusterName } from '../src/console/model.ts';
import type { Service } from './live/service.ts';
import { hrefOf, placeOf, type Route } from './route.ts';

export interface Page {
  readonly service: Service;
  readonly cluster: string;
  readonly clusters: readonly ClusterName[];
  readonly actions: readonly ActionName[];
  /** Asks the person, and then does it. */
  readonly ask: (action: Action) => void;
  /** Where in the list of volumes one is, or was before the story of one. */
  readonly list: { current: ListPlace | undefined };
}

export interface ListPlace {
  readonly cluster: string;
  /** What was asked for. */
  readonly params: URLSearchParams;
  readonly scrolled: number;
  readonly row: number;
}

/** A place in the list of another cluster is none in this. */
export const listPlaceIn = ({ list, cluster }: Page): ListPlace | undefined =>
  list.current?.cluster === cluster ? list.current : undefined;

const PageContext = createContext<Page | undefined>(undefined);
export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('a part of the page is shown outside of it');
  return page;
}

/** With the cluster in it where there are several, so that an address means the same to whom it is sent. */
export const addressIn = (page: Page, route: Route, params?: URLSearchParams): string =>
  hrefOf(route, params, page.clusters.length > 1 ? page.cluster : undefined);

/** A link that the server made knows of no cluster. */
export function linkIn(page: Page, link: string): string {
  const { route, params } = placeOf(link);
  return addressIn(page, route, params);
}
