/**
 * Looks again and again, and shows what has changed. A look that fails does not end it: what was seen last stays, with what went wrong.
 * What a look lists is watched from then on: it looks again at once when that has changed, and every 2 seconds out of memory, since time
 * passes, too. Where a look takes long, as in a large cluster, it looks less often.
 */
import { KeptLists } from '../../kit/cache/kept-lists.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { Terminal } from '../line/command.ts';
import { asPage, type PageFormat } from '../output.ts';
import type { Page } from '../page/page.ts';
import { toned } from '../page/page.ts';
import { linesOf } from '../page/render.ts';
import { screenOf } from '../page/screen.ts';
import type { TimedVisitor } from '../visit.ts';
import { InPlace } from './in-place.ts';
import type { Showing } from './show.ts';

export interface WatchParts {
  readonly visitor: TimedVisitor;
  readonly terminal: Terminal;
  readonly output: PageFormat;
  readonly clock: Clock;
}

const EVERY_MS = 2_000;
/** What changes in one go is shown in one go. */
const AT_LEAST_MS = 250;
/** At the most a fifth of the time is spent looking. */
const REST_PER_LOOK = 4;

/** Ends when the visitor's signal is aborted. The first look has to succeed. */
export async function watch<T>(showing: Showing<T>, parts: WatchParts): Promise<void> {
  const { visitor, terminal, clock } = parts;
  const { client, signal, now } = visitor;
  const show = shower(showing.page, parts);
  const news = new News();
  const kept = new KeptLists({ client, clock, random: Math.random, signal, onChange: () => news.tell() });
  const watching = { client: client.listingFrom(kept), signal, now };
  let last: T | undefined;
  while (!signal.aborted) {
    const began = clock.monotonic();
    const notes = new Set<string>();
    const isNews = news.next();
    try {
      last = await showing.look(watching, listening(terminal, notes));
      await show(last, new Set([...notes, ...kept.unwatched()]));
    } catch (error) {
      if (signal.aborted) return;
      if (last === undefined) throw error;
      const why = error instanceof Error ? error.message : String(error);
      await show(last, new Set([`It could not be looked again: ${why}`, ...kept.unwatched()]));
    }
    const rest = REST_PER_LOOK * (clock.monotonic() - began);
    await pause(clock, Math.max(AT_LEAST_MS, rest), signal);
    await pause(clock, Math.max(EVERY_MS - AT_LEAST_MS, 0), AbortSignal.any([signal, isNews]));
  }
}

const pause = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  sleep(clock, ms, signal).catch(() => {});

/** That something has changed since the last look began. */
class News {
  #controller = new AbortController();

  tell(): void {
    this.#controller.abort();
  }

  /** Aborted by the first change from now on. */
  next(): AbortSignal {
    this.#controller = new AbortController();
    return this.#controller.signal;
  }
}

/** What is said beside the answer would stand in the middle of it. */
const listening = ({ stdin, stdout, env }: Terminal, notes: Set<string>): Terminal => ({
  stdin,
  stdout,
  env,
  stderr: { write: (text) => notes.add(text.trim()) },
});

type Show<T> = (value: T, notes: ReadonlySet<string>) => Promise<void>;

const shower = <T>(page: (value: T) => Page, parts: WatchParts): Show<T> =>
  parts.terminal.stdout.isTTY && (parts.output === 'table' || parts.output === 'wide')
    ? inPlace(page, parts)
    : oneAfterAnother(page, parts);

function inPlace<T>(page: (value: T) => Page, { terminal, output, clock }: WatchParts): Show<T> {
  const frames = new InPlace(terminal);
  return async (value, notes) => {
    const head = { sentences: [toned(`${timeOf(clock)}, looked at every 2 seconds; Ctrl-C ends it`, 'dim')] };
    const foot = { sentences: [...notes].map((note) => toned(note, 'warn')) };
    frames.draw(linesOf([head, ...page(value), foot], screenOf(terminal, output === 'wide')));
  };
}

/** A block for each change, below a line with its time; for programs only the document. */
function oneAfterAnother<T>(page: (value: T) => Page, { terminal, output, clock }: WatchParts): Show<T> {
  const isForPrograms = output === 'json' || output === 'yaml';
  let before: string | undefined;
  let noted: ReadonlySet<string> = new Set();
  return async (value, notes) => {
    const text = await asPage(value, output, terminal, page);
    for (const note of notes) if (!noted.has(note)) terminal.stderr.write(`${note}\n`);
    noted = notes;
    const now = withoutAges(text);
    if (now === before) return;
    const separator = output === 'yaml' ? '---\n' : '';
    const head = isForPrograms ? separator : `${before === undefined ? '' : '\n'}--- ${timeOf(clock)}\n`;
    before = now;
    terminal.stdout.write(`${head}${text}`);
  };
}

/** That time passes is no news. */
const withoutAges = (text: string): string =>
  text.replace(/\b\d+ (seconds?|minutes?|hours?|days?)\b|"ageSeconds": \d+|ageSeconds: \d+/g, '');

const timeOf = (clock: Clock): string =>
  clock
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
