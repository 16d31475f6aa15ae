import { describe, expect, test } from 'vitest';
import { SimulatedCollection } from '../../kit/cache/simulated-collection.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import type { Terminal } from '../line/command.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import type { PageFormat } from '../output.ts';
import type { Visitor } from '../visit.ts';
import { InPlace } from './in-place.ts';
import { watch } from './watch.ts';

/** What a person sees who has been looking at a terminal of so many lines since it was empty. */
function screenAfter(written: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal is steered by
  for (const [token] of written.matchAll(/\u001b\[(\d*)([A-Z])|\n|\r|[^\u001b\n\r]+/g)) {
    const up = /\[(\d+)A/.exec(token)?.[1];
    if (up !== undefined) row -= Number(up);
    else if (token === '\n') row += 1;
    else if (token.endsWith('[J') && token.startsWith('\u001b')) lines.length = row;
    else if (token.startsWith('\u001b') || token === '\r') continue;
    else lines[row] = token;
  }
  return lines;
}

function aScreen(rows: number, columns: number) {
  const terminal = aTerminal();
  return { ...terminal, stdout: { ...terminal.stdout, isTTY: true, rows, columns } };
}

describe('on a terminal', () => {
  test('a page stands where the one before stood, and nothing of that is left', () => {
    const screen = aScreen(10, 40);
    const frames = new InPlace(screen);
    frames.draw(['one', 'two', 'three']);
    frames.draw(['uno', 'due']);
    expect(screenAfter(screen.written.out)).toEqual(['uno', 'due']);
    frames.draw(['a', 'b', 'c', 'd']);
    expect(screenAfter(screen.written.out)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('what does not fit is counted', () => {
    const screen = aScreen(6, 40);
    new InPlace(screen).draw(Array.from({ length: 16 }, (_, index) => `line ${index}`));
    expect(screenAfter(screen.written.out)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', '… 12 more lines']);
  });

  test('where the width has changed all of it is drawn anew', () => {
    const screen = aScreen(10, 40);
    const frames = new InPlace(screen);
    frames.draw(['one']);
    Object.assign(screen.stdout, { columns: 30 });
    frames.draw(['two']);
    expect(screen.written.out).toContain('\u001b[2J\u001b[Htwo');
  });

  test('where the height is less than what was drawn all of it is drawn anew, and nothing of it stays above', () => {
    const screen = aScreen(10, 40);
    const frames = new InPlace(screen);
    frames.draw(['one', 'two', 'three', 'four', 'five', 'six']);
    Object.assign(screen.stdout, { rows: 4 });
    frames.draw(['uno', 'due', 'tre', 'quattro', 'cinque']);
    expect(screen.written.out).toContain('\u001b[2J\u001b[Huno');
    frames.draw(['eins']);
    expect(screen.written.out).toContain('\r\u001b[3Aeins');
  });
});

const clientOf = (transport: SimulatedCollection, clock: VirtualClock) =>
  new KubeClient({ transport, clock, random: () => 0.5 });

/** Each look sees the next of these. After the last one the person presses Ctrl-C. */
async function watched(looks: readonly (string | Error)[], output: PageFormat, terminal: Terminal) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  let count = 0;
  const look = async () => {
    const seen = looks[count++];
    if (count >= looks.length) stop.abort(new Error('Ctrl-C'));
    if (seen instanceof Error) throw seen;
    return { text: seen ?? '' };
  };
  const showing = { name: 'x', look, page: ({ text }: { text: string }) => [{ sentences: [text] }] };
  const visitor = { client: clientOf(new SimulatedCollection(), clock), signal: stop.signal, now: () => clock.now() };
  const done = watch(showing, { visitor, terminal, output, clock });
  done.catch(() => {}); // it is awaited below, and may fail before
  for (let step = 0; step < 10 * looks.length; step++) await clock.advance(1_000);
  await done;
  return count;
}

describe('in a pipe', () => {
  test('a block is printed when something has changed, with its time, and not when only time has passed', async () => {
    const terminal = aTerminal();
    expect(await watched(['a 2 minutes ago', 'a 3 minutes ago', 'b'], 'table', terminal)).toBe(3);
    expect(terminal.written.out.split('\n').map((line) => line.replace(/^--- .*/, '--- TIME'))).toEqual([
      '--- TIME',
      'a 2 minutes ago',
      '',
      '--- TIME',
      'b',
      '',
    ]);
  });

  test('programs get a document for each change', async () => {
    const terminal = aTerminal();
    await watched(['a', 'a', 'b'], 'json', terminal);
    expect(terminal.written.out).toBe('{\n  "text": "a"\n}\n{\n  "text": "b"\n}\n');
  });

  test('a look that fails does not end it, and is told', async () => {
    const terminal = aTerminal();
    expect(await watched(['a', new Error('no answer'), 'b'], 'table', terminal)).toBe(3);
    expect(terminal.written.err).toContain('It could not be looked again: no answer');
    expect(terminal.written.out).toContain('\nb\n');
  });

  test('if the first fails all of it has failed', async () => {
    await expect(watched([new Error('no answer'), 'b'], 'table', aTerminal())).rejects.toThrow('no answer');
  });
});

const THINGS: Resource<KubeObject & { readonly data: string }> = {
  ...{ group: 'g', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false },
};

/** A page with the data of all things, and how often it was looked at. */
function watchedThings(server: SimulatedCollection, terminal: Terminal = aTerminal()) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const looked = { times: 0 };
  const showing = {
    name: 'x',
    look: async ({ client, signal }: Visitor) => {
      looked.times += 1;
      const { items } = await client.list(THINGS, { signal, limit: 500 });
      return { text: items.map(({ data }) => data).join(' ') };
    },
    page: ({ text }: { text: string }) => [{ sentences: [text] }],
  };
  const visitor = { client: clientOf(server, clock), signal: stop.signal, now: () => clock.now() };
  const done = watch(showing, { visitor, terminal, output: 'table', clock });
  done.catch(() => {}); // it is awaited by who ends it
  const end = async () => {
    stop.abort(new Error('Ctrl-C'));
    await clock.advance(0);
    await done;
  };
  return { clock, looked, end };
}

const sentences = (written: string) => written.split('\n').filter((line) => line !== '' && !line.startsWith('---'));

describe('what a look lists', () => {
  test('is watched: a change is shown at once, and the server is asked once for all looks', async () => {
    const server = new SimulatedCollection();
    server.put('b', 'two');
    const terminal = aTerminal();
    const { clock, looked, end } = watchedThings(server, terminal);
    await clock.advance(10_000);
    expect(looked.times).toBeGreaterThan(3);
    server.put('a', 'one');
    await clock.advance(300);
    expect(sentences(terminal.written.out)).toEqual(['two', 'one two']);
    server.remove('b');
    await clock.advance(300);
    expect(sentences(terminal.written.out)).toEqual(['two', 'one two', 'one']);
    expect(server.requests).toHaveLength(1);
    await end();
    expect(terminal.written.err).toBe('');
  });

  test('is shown in one go when it changes in one go', async () => {
    const server = new SimulatedCollection();
    const { clock, looked, end } = watchedThings(server);
    await clock.advance(300);
    const before = looked.times;
    for (let change = 0; change < 100; change++) {
      server.put(`thing-${change}`, 'x');
      await clock.advance(10);
    }
    expect(looked.times - before).toBeLessThanOrEqual(1_000 / 250 + 1);
    await end();
  });

  test('is listed every 2 seconds where it may not be watched, which is said once', async () => {
    const server = new SimulatedCollection();
    server.put('a', 'one');
    server.beforeAnswer = (path) => {
      if (path.includes('watch=true')) server.refusals.unshift(403);
    };
    const terminal = aTerminal();
    const { clock, end } = watchedThings(server, terminal);
    await clock.advance(5_000);
    server.put('a', 'uno');
    await clock.advance(2_000);
    expect(sentences(terminal.written.out)).toEqual(['one', 'uno']);
    expect(terminal.written.err.split('\n').filter((line) => line.includes('may not be watched'))).toHaveLength(1);
    await end();
  });

  test('is not taken for what is still so when the server has died without a word', async () => {
    const server = new SimulatedCollection();
    server.put('a', 'one');
    const terminal = aTerminal();
    const { clock, end } = watchedThings(server, terminal);
    await clock.advance(1_000);
    server.silence();
    server.beforeAnswer = () => {
      throw new Error('nobody answers');
    };
    await clock.advance(30_000);
    expect(terminal.written.err).toContain('It could not be looked again');
    await end();
  });
});
