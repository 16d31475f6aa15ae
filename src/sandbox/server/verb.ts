/** What a request wants to do, in the words of rights. */
import type { Route } from './route.ts';

const ONE: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function verbOf(method: string, route: Route, query: URLSearchParams): string {
  if (route.to === 'page') return method.toLowerCase();
  const isNamed = route.name !== undefined;
  if (method === 'GET' && !isNamed) return isWatch(query) ? 'watch' : 'list';
  if (method === 'DELETE' && !isNamed) return 'deletecollection';
  return ONE[method] ?? method.toLowerCase();
}

export const isWatch = (query: URLSearchParams): boolean => isTrue(query.get('watch'));

/** As Go reads it. */
export const isTrue = (text: string | null): boolean => text !== null && /^(?:1|t|T|TRUE|true|True)$/.test(text);
