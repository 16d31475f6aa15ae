import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import { answer, FakeTransport, refusal } from '../kube/fake-transport.ts';
import type { KubeObject, Resource } from '../kube/resource.ts';
import { Snapshot } from './snapshot.ts';

const THINGS: Resource = { group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };

const list = (names: readonly string[], next?: string) =>
  answer(200, {
    metadata: { resourceVersion: '1', ...(next && { continue: next }) },
    items: names.map((name) => ({ metadata: { name, uid: name, resourceVersion: '1' } })),
  });

const clientOf = (transport: FakeTransport) =>
  new KubeClient({ transport, clock: new VirtualClock(), random: () => 0 });

const nameOf = ({ metadata }: KubeObject) => metadata.name;
const firstLetter = ({ metadata }: KubeObject) => metadata.name?.[0];

test('all pages of a collection are read, once for all views of it', async () => {
  const transport = new FakeTransport().on('GET', '/api/v1/things', list(['ant', 'bee'], 'more'), list(['cat']));
  const snapshot = new Snapshot();
  const names = snapshot.view(THINGS, { project: nameOf, indexes: { length: (name) => [`${name.length}`] } });
  const letters = snapshot.view(THINGS, { project: firstLetter });
  expect(names.synced).toBe(false);
  const lines: string[] = [];
  await snapshot.fill(clientOf(transport), {}, (line) => lines.push(line));
  expect([...names.values()]).toEqual(['ant', 'bee', 'cat']);
  expect([...letters.values()]).toEqual(['a', 'b', 'c']);
  expect(names.by('length', '3')).toHaveLength(3);
  expect(names.synced).toBe(true);
  expect(lines).toEqual(['2 things read']);
  expect(transport.journal.map(({ query }) => query.get('continue'))).toEqual([null, 'more']);
});

test('a selection of its own is read by itself, and asked of the server', async () => {
  const transport = new FakeTransport().on('GET', '/api/v1/things', list([]));
  const snapshot = new Snapshot();
  snapshot.view(THINGS, { project: nameOf });
  snapshot.view(THINGS, { project: nameOf, labelSelector: 'a=b' });
  await snapshot.fill(clientOf(transport), {});
  expect(transport.journal.map(({ query }) => query.get('labelSelector'))).toEqual([null, 'a=b']);
});

test('pages that expire while they are read are followed by one answer with everything', async () => {
  const expired = refusal(410, 'Expired', 'too old');
  const transport = new FakeTransport().on(
    'GET',
    '/api/v1/things',
    list(['ant', 'gone'], 'more'),
    expired,
    list(['ant', 'bee']),
  );
  const snapshot = new Snapshot();
  const names = snapshot.view(THINGS, { project: nameOf });
  await snapshot.fill(clientOf(transport), {});
  expect([...names.values()]).toEqual(['ant', 'bee']);
  expect(transport.journal.at(-1)?.query.has('limit')).toBe(false);
});

test('what may not be read is an error at once', async () => {
  const transport = new FakeTransport().on(
    'GET',
    '/api/v1/things',
    refusal(403, 'Forbidden', 'you may not list things'),
  );
  const snapshot = new Snapshot();
  snapshot.view(THINGS, { project: nameOf });
  await expect(snapshot.fill(clientOf(transport), {})).rejects.toThrow('you may not list things');
});

test('what became of an object can be put in', async () => {
  const transport = new FakeTransport().on('GET', '/api/v1/things', list(['ant']));
  const snapshot = new Snapshot();
  const names = snapshot.view(THINGS, { project: nameOf });
  await snapshot.fill(clientOf(transport), {});
  snapshot.put(THINGS, { metadata: { name: 'ant', uid: 'ant', resourceVersion: '2' } });
  expect(names.identityOf('ant')?.resourceVersion).toBe('2');
});
