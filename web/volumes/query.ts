/** Which volumes are wanted, and in what order: as the address of the page says it. */
import { FACETS, type Facet } from './facets.ts';

export const COLUMNS = ['health', 'name', 'claim', 'capacity', 'class', 'zone', 'node', 'source', 'age'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
  readonly by: Column;
  readonly descending: boolean;
}

export interface VolumeQuery {
  readonly text: string;
  /** Nothing chosen is everything wanted. */
  readonly chosen: Readonly<Record<Facet, readonly string[]>>;
  readonly order: Order;
}

const FIRST_ORDER: Order = { by: 'health', descending: false };

export function queryOf(params: URLSearchParams): VolumeQuery {
  const chosen = (facet: Facet) => params.getAll(facet).filter((value) => value !== '');
  return {
    text: params.get('q') ?? '',
    chosen: Object.fromEntries(FACETS.map((facet) => [facet, chosen(facet)])) as Record<Facet, string[]>,
    order: orderOf(params.get('sort') ?? ''),
  };
}

function orderOf(text: string): Order {
  const by = COLUMNS.find((column) => column === text.replace(/^-/, ''));
  return by ? { by, descending: text.startsWith('-') } : FIRST_ORDER;
}

export function paramsOf({ text, chosen, order }: VolumeQuery): URLSearchParams {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  for (const facet of FACETS) for (const value of chosen[facet]) params.append(facet, value);
  if (order.by !== FIRST_ORDER.by || order.descending) params.set('sort', `${order.descending ? '-' : ''}${order.by}`);
  return params;
}

export const withText = (query: VolumeQuery, text: string): VolumeQuery => ({ ...query, text });

export function toggled(query: VolumeQuery, facet: Facet, value: string): VolumeQuery {
  const before = query.chosen[facet];
  const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value];
  return { ...query, chosen: { ...query.chosen, [facet]: after } };
}

/** A second time by the same column turns it round. */
export function orderedBy(query: VolumeQuery, by: Column): VolumeQuery {
  const descending = query.order.by === by ? !query.order.descending : false;
  return { ...query, order: { by, descending } };
}

export const cleared = (query: VolumeQuery): VolumeQuery => ({ ...queryOf(new URLSearchParams()), order: query.order });

export const isNarrowed = ({ text, chosen }: VolumeQuery): boolean =>
  text !== '' || FACETS.some((facet) => chosen[facet].length > 0);
