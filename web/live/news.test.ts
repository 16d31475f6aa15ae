import { expect, test } from 'vitest';
import type { Message, State } from '../../src/console/model.ts';
import { timeThere } from './cluster-time.ts';
import type { Link } from './follow.ts';
import { isHeard, NOTHING_YET, withNews } from './news.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(AT + seconds * 1000).toISOString();
const state: State = {
  overview: {
    at: at(-3600),
    verdict: { health: 'well', sentence: 'There are no volumes yet.' },
    volumesByHealth: { well: 0, busy: 0, attention: 0, failed: 0, unknown: 0 },
    needs: [],
    activities: [],
    jobs: [],
    forecasts: [],
  },
  volumes: {},
  nodes: {},
  pools: {},
  syncs: {},
};
const after = (messages: readonly Message[], link: Link = { is: 'live' }) =>
  messages.reduce((live, message) => withNews(live, message, AT), { ...NOTHING_YET, link });
const connection = (is: boolean): Message => ({ is: 'connection', connection: { isHeard: is, since: at(0) } });

test.each<[string, readonly Message[], Link, boolean]>([
  ['it was said that the cluster is', [{ is: 'state', state }, connection(true)], { is: 'live' }, true],
  ['nothing was said of that yet', [{ is: 'state', state }], { is: 'live' }, false],
  ['it was said that it is not', [{ is: 'state', state }, connection(false)], { is: 'live' }, false],
  ['the console is not yet', [{ is: 'state', state }, connection(true)], { is: 'connecting' }, false],
  ['the console is no longer', [{ is: 'state', state }, connection(true)], { is: 'lost', why: '', since: 0 }, false],
])('what is shown is what is, when %s', (_when, messages, link, heard) => {
  expect(isHeard(after(messages, link))).toBe(heard);
});

test('the cluster has the time that it says, and not that of a state from before', () => {
  const early = after([{ is: 'state', state }]);
  expect(timeThere(early.time, AT)).toBe(AT);
  const ahead = withNews(early, { is: 'time', at: at(600) }, AT);
  expect(timeThere(ahead.time, AT + 1000)).toBe(AT + 601_000);
});

test('a clock that runs faster is followed, also where nothing changes', () => {
  const first = withNews(after([{ is: 'state', state }]), { is: 'time', at: at(600) }, AT);
  const second = withNews(first, { is: 'time', at: at(660) }, AT + 15_000);
  expect(timeThere(second.time, AT + 16_000)).toBe(AT + 664_000);
});
