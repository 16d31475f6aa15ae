import { describe, expect, test } from 'vitest';
import { aRow, noParts } from './builders.ts';
import { Feed, type FeedLimits } from './feed.ts';
import type { Message, VolumeRow } from './model.ts';
import type { Changed } from './picture.ts';
import { EVERYTHING, type Rights, type Seen } from './rights.ts';
import type { Shown } from './shown.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const NOTHING: Changed = { volumes: new Set(), nodes: new Set(), pools: new Set(), syncs: new Set() };
const withVolumes = (...names: string[]): Seen =>
  noParts({ volumes: { known: true, value: new Map(names.map((name) => [name, aRow('well', { name })])) } });
const changed = (...volumes: string[]): Changed => ({ ...NOTHING, volumes: new Set(volumes) });
const messageIn = ({ text }: { readonly text: string }): Message => JSON.parse(text) as Message;

function aFeed(limits?: FeedLimits, rights: Rights = EVERYTHING, parts = withVolumes('a')) {
  const feed = new Feed('i', rights, parts, NOW, limits);
  const sent: Message[] = [];
  feed.subscribe({ next: (each) => sent.push(messageIn(each)) });
  return { feed, sent };
}

describe('a feed', () => {
  test('tells the rows that are new, other or gone', () => {
    const { feed, sent } = aFeed();
    feed.publish(changed('b'), withVolumes('a', 'b'), NOW);
    feed.publish(changed('a'), withVolumes('b'), NOW);
    expect(sent).toMatchObject([
      { is: 'change', change: { volumes: { b: { name: 'b' } } } },
      { is: 'change', change: { volumes: { a: null } } },
    ]);
  });

  test('tells nothing when nothing is other', () => {
    const { feed, sent } = aFeed();
    feed.publish(NOTHING, withVolumes('a'), new Date(NOW.getTime() + 1_000));
    expect(sent).toEqual([]);
  });

  test('does not tell that a row is gone that nobody was told of', () => {
    const { feed, sent } = aFeed();
    feed.publish(changed('x'), withVolumes('a'), NOW);
    expect(sent).toEqual([]);
  });

  test('knows volumes that are called as something that every object has', () => {
    const { feed, sent } = aFeed();
    feed.publish(changed('constructor'), withVolumes('a', 'constructor'), NOW);
    feed.publish(changed('constructor'), withVolumes('a'), NOW);
    expect(sent).toMatchObject([
      { change: { volumes: { constructor: { name: 'constructor' } } } },
      { change: { volumes: { constructor: null } } },
    ]);
  });

  test('tells all of a part that can be read again, and that all of it is gone when it cannot', () => {
    const { feed, sent } = aFeed();
    const rows = new Map<string, Shown<VolumeRow>>([['a', aRow('well')]]);
    feed.publish(NOTHING, noParts({ volumes: { known: false, why: 'no right' } }), NOW);
    feed.publish(NOTHING, noParts({ volumes: { known: true, value: rows } }), NOW);
    expect(sent).toMatchObject([{ change: { volumes: { a: null } } }, { change: { volumes: { a: {} } } }]);
  });

  test('tells why nobody can say which rows there are, and when that is over', () => {
    const { feed, sent } = aFeed(undefined, EVERYTHING, noParts({ pools: { known: false, why: 'no right' } }));
    expect(messageIn(feed.state)).toMatchObject({ state: { pools: {}, unknown: { pools: 'no right' } } });
    feed.publish(NOTHING, noParts({ pools: { known: false, why: 'no kind' } }), NOW);
    feed.publish(NOTHING, noParts(), NOW);
    expect(sent.map((each) => each.is === 'change' && each.change.unknown)).toEqual([{ pools: 'no kind' }, {}]);
    expect(messageIn(feed.state)).not.toHaveProperty('state.unknown');
  });
});

describe('somebody who comes back', () => {
  test('is told what they have missed', () => {
    const { feed } = aFeed();
    const { id } = feed.state;
    feed.publish(changed('b'), withVolumes('a', 'b'), NOW);
    feed.publish(changed('c'), withVolumes('a', 'b', 'c'), NOW);
    const missed = feed.missedSince(id);
    expect(missed.map(({ id: each }) => each)).toEqual(['i:1', 'i:2']);
    expect(feed.missedSince('i:1').map(({ id: each }) => each)).toEqual(['i:2']);
    expect(feed.missedSince('i:2')).toEqual([]);
  });

  test.each(['other:1', 'i:99', 'i:-1', 'i:x', 'i:', '', undefined])('with %s is told all of it', (id) => {
    const { feed } = aFeed();
    feed.publish(changed('b'), withVolumes('a', 'b'), NOW);
    expect(feed.missedSince(id).map((each) => messageIn(each).is)).toEqual(['state']);
  });

  test.each<[string, FeedLimits]>([
    ['so many changes', { mostChanges: 2, mostText: 1e9 }],
    ['so much text', { mostChanges: 1e9, mostText: 1_000 }],
  ])('after more than %s is told all of it', (_what, limits) => {
    const { feed } = aFeed(limits);
    const names = ['a'];
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      names.push(name);
      feed.publish(changed(name), withVolumes(...names), NOW);
    }
    expect(feed.missedSince('i:1').map((each) => messageIn(each).is)).toEqual(['state']);
    expect(feed.missedSince('i:6').map((each) => messageIn(each).is)).toEqual(['change']);
  });
});
