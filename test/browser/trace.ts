/** How much work something is for the page's main thread, as the browser's own trace tells: in time of its thread, so that to wait for a core does not count. */
import type { CDPSession, Page } from 'playwright-core';
import { told } from './browser.ts';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds; `tdur` is what the thread itself has run. */
  readonly ts?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Tasks as a whole: to write down each style and each line of a layout would be work of the page, too. */
const CATEGORIES = ['toplevel', 'loading', '__metadata'];

/** Of what is done, and what comes of it: until something of the page has changed, and it has been at rest for a moment. In milliseconds. */
export async function workOf(page: Page, what: () => Promise<void>): Promise<number> {
  await told(page, WATCH);
  const events = await traceOf(page, async () => {
    await what();
    await told(page, 'globalThis.hasChanged');
  });
  return workIn(events);
}

const WATCH = `void (globalThis.hasChanged = new Promise((changed, failed) => {
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(() => changed()).observe(document.getElementById('main'), everything);
  setTimeout(() => failed(new Error('nothing of the page has changed')), 10_000);
}))`;

/** Of a page from when it is asked for: until something of it is to be seen, and all that was done. */
export async function workOfLoading(
  page: Page,
  what: () => Promise<void>,
): Promise<{ paintMs: number; allMs: number }> {
  const events = await traceOf(page, what);
  const paint = events.findLast(({ name }) => name === 'firstContentfulPaint');
  if (paint?.ts === undefined) throw new Error('the trace tells of no first paint');
  const { pid, ts } = paint;
  const ofPage = events.filter((event) => event.name === 'thread_name' || event.pid === pid);
  const before = ofPage.filter((event) => event.name === 'thread_name' || (event.ts ?? 0) <= ts);
  return { paintMs: workIn(before), allMs: workIn(ofPage) };
}

async function traceOf(page: Page, what: () => Promise<void>): Promise<readonly TraceEvent[]> {
  const session = await page.context().newCDPSession(page);
  const events = collect(session);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordUntilFull' },
  });
  try {
    await what();
    await page.waitForTimeout(250);
  } finally {
    await endOf(session);
  }
  return events;
}

async function endOf(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((done) => session.once('Tracing.tracingComplete', () => done()));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
}

function collect(session: CDPSession): TraceEvent[] {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  return events;
}

const TASK = 'ThreadControllerImpl::RunTask';
/** The one that ends the trace has only a beginning in it. */
const FINISHED = 'X';

/** Of all tasks together: scripts, styles, layout and paint. */
function workIn(events: readonly TraceEvent[]): number {
  const isMain = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events
    .filter(({ name, ph, pid, tid }) => name === TASK && ph === FINISHED && isMain.has(`${pid} ${tid}`))
    .map(({ tdur }) => (tdur ?? Number.NaN) / 1000);
  if (tasks.length === 0) throw new Error('the trace tells of no task of the page');
  return tasks.reduce((sum, each) => sum + each, 0);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
