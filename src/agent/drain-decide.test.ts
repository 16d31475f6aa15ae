import { describe, expect, test } from 'vitest';
import { PeerStandings } from './drain-decide.ts';

const peer = (name: string) => ({ name, url: `http://${name}:8080` });
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peer) as [Peer, Peer, Peer, Peer];
type Peer = ReturnType<typeof peer>;

function standings(...peers: readonly Peer[]): PeerStandings {
  const made = new PeerStandings(() => 1);
  made.replace(peers);
  return made;
}

describe('why nobody takes blobs', () => {
  test('is that there is nobody, or nothing while one of them does', () => {
    expect(standings().why()).toContain('nowhere to go');
    const two = standings(a, b);
    expect(two.why()).toBeUndefined();
    two.close(a, 'a is full', 0);
    expect(two.why()).toBeUndefined();
    two.close(b, 'b is full', 0);
    expect(two.why()).toBe('a is full; b is full');
  });

  test('names three of them, and says how many more there are only if there are', () => {
    const three = standings(a, b, c);
    for (const each of [a, b, c]) three.close(each, `${each.name} is full`, 0);
    expect(three.why()).toBe('a is full; b is full; c is full');
    const four = standings(a, b, c, d);
    for (const each of [a, b, c, d]) four.close(each, `${each.name} is full`, 0);
    expect(four.why()).toBe('a is full; b is full; c is full; and 1 more');
  });
});

describe('a peer that did not take a blob', () => {
  test('is asked again after a while, which is longer when it fails again', () => {
    const one = standings(a);
    one.close(a, 'full', 0);
    const first = one.pauseMs(0);
    expect(first).toBeGreaterThan(0);
    expect(one.isAnyOpen(first - 1)).toBe(false);
    expect(one.isAnyOpen(first)).toBe(true);
    one.close(a, 'full', first);
    const second = one.pauseMs(first);
    expect(second).toBeGreaterThan(first);
    expect(one.isAnyOpen(first + second - 1)).toBe(false);
    expect(one.isAnyOpen(first + second)).toBe(true);
    expect(one.pauseMs(first + second + 1)).toBe(0);
  });

  test('counts once for all the blobs that were on their way to it', () => {
    const one = standings(a);
    one.close(a, 'full', 0);
    const pause = one.pauseMs(0);
    one.close(a, 'full', 1);
    expect(one.pauseMs(0)).toBe(pause);
  });

  test('is asked at once when it took one, or when the order is another', () => {
    const one = standings(a);
    one.close(a, 'full', 0);
    one.took(a);
    expect(one.openFor('key', 0)).toEqual([a]);
    one.close(a, 'full', 0);
    expect(one.openFor('key', 0)).toEqual([]);
    one.replace([a]);
    expect(one.openFor('key', 0)).toEqual([a]);
  });
});
