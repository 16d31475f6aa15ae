import { expect, test } from 'vitest';
import { hrefOf, placeOf, type Route, sectionOf } from './route.ts';

const ROUTES: readonly Route[] = [
  { view: 'overview' },
  { view: 'volumes' },
  { view: 'volume', name: 'pvc-1?&#%' },
  { view: 'nodes' },
  { view: 'node', name: 'node-a' },
  { view: 'pools' },
  { view: 'pool', name: 'storage/fast' },
  { view: 'syncs' },
  { view: 'sync', name: 'everything' },
];

test.each(ROUTES)('$view is found again by its address', (route) => {
  expect(placeOf(hrefOf(route, undefined, 'recovery'))).toMatchObject({ route, cluster: 'recovery' });
});

test('no address is the overview, and an unknown one is said to be', () => {
  expect(placeOf('').route).toEqual({ view: 'overview' });
  expect(placeOf('#/').route).toEqual({ view: 'overview' });
  expect(placeOf('#/sumps/1').route).toEqual({ view: 'nowhere', path: '/sumps/1' });
});

test('what cannot be decoded is taken as it is', () => {
  expect(placeOf('#/volumes/100%').route).toEqual({ view: 'volume', name: '100%' });
});

test("a view's own words stay beside the cluster's", () => {
  const place = placeOf('#/volumes?health=failed&cluster=a&q=x');
  expect(place.cluster).toBe('a');
  expect(place.params.toString()).toBe('health=failed&q=x');
  expect(sectionOf(place.route)).toBe('volumes');
});
