import { aMap, labelled } from '../objects.ts';
import { type Cases, get, post, remove } from '../steps.ts';

const some = (...names: readonly string[]) => names.map((name) => post('configmaps', aMap(name)));
const token = (rv: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');

/** Long lists come in pages, and as of a version. */
export const pages: Cases = {
  'a page says that there is more, and how much': [
    ...some('a', 'b', 'c'),
    get('configmaps?limit=2'),
    get('configmaps?limit=2&continue={4.metadata.continue}'),
    get('configmaps?limit=3'),
    get('configmaps?limit=0'),
  ],
  'all pages are of one moment': [
    ...some('a', 'b', 'c'),
    get('configmaps?limit=1'),
    post('configmaps', aMap('bb')),
    remove('configmaps/c'),
    get('configmaps?limit=1&continue={4.metadata.continue}'),
    get('configmaps?continue={7.metadata.continue}'),
    get('configmaps'),
  ],
  'of a selection it is not said how much more there is': [
    post('configmaps', labelled('a', { of: 'x' })),
    post('configmaps', labelled('b', {})),
    post('configmaps', labelled('c', { of: 'x' })),
    get('configmaps?limit=1&labelSelector=of%3Dx'),
    get('configmaps?limit=1&labelSelector=of%3Dx&continue={4.metadata.continue}'),
  ],
  'what a list goes on from has to make sense': [
    get('configmaps?limit=1&continue=nonsense'),
    get('configmaps?limit=1&continue=e30'),
    get(`configmaps?limit=1&continue=${token(1, '')}`),
  ],
  'a list may be as old as it likes': [...some('a'), get('configmaps?resourceVersion=0')],
  'a list may have to be as new as something': [
    ...some('a', 'b'),
    get('configmaps?resourceVersion={1.metadata.resourceVersion}'),
    get('configmaps?resourceVersion={1.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan'),
  ],
  'a list may be of exactly a version': [
    ...some('a', 'b'),
    get('configmaps?resourceVersion={1.metadata.resourceVersion}&resourceVersionMatch=Exact'),
    remove('configmaps/a'),
    get('configmaps?resourceVersion={2.metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1'),
  ],
  'a list of a version that is forgotten is refused': [
    get('configmaps?resourceVersion=1&resourceVersionMatch=Exact'),
    get('configmaps?resourceVersion=1&limit=10'),
  ],
  'a limit has to be a number': [get('configmaps?limit=many'), get('configmaps?limit=-1')],
};
