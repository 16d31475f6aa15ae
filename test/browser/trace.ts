/** How much work something is for the page's main thread, as the browser's own trace tells: in time of its thread, so that other work of the machine does not count. */
import type { CDPSession, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds; `tdur` is of the thread, where that is told. */
  readonly ts?: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['toplevel', 'loading', 'disabled-by-default-devtools.timeline', 'devtools.timeline', '__metadata'];

export interface Work {
  /** Of all tasks together, scripts, styles, layout and paint, in milliseconds. */
  readonly totalMs: number;
  readonly longestMs: number;
}

/** Of what is done, and what comes of it until the page has been at rest for a moment. */
export async function workOf(page: Page, what: () => Promise<void>): Promise<Work> {
  return workIn(await traceOf(page, what));
}

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
  return { paintMs: workIn(before).totalMs, allMs: workIn(ofPage).totalMs };
}

async function traceOf(page: Page, what: () => Promise<void>): Promise<readonly TraceEvent[]> {
  const session = await page.context().newCDPSession(page);
  const events = collect(session);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordUntilFull' },
  });
  await what();
  await page.waitForTimeout(250);
  const complete = new Promise<void>((done) => session.once('Tracing.tracingComplete', () => done()));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return events;
}

function collect(session: CDPSession): TraceEvent[] {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  return events;
}

function workIn(events: readonly TraceEvent[]): Work {
  const isMain = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events
    .filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && isMain.has(`${pid} ${tid}`))
    .map(({ tdur, dur }) => (tdur ?? dur ?? 0) / 1000);
  if (tasks.length === 0) throw new Error('the trace tells of no task of the page');
  return { totalMs: tasks.reduce((sum, each) => sum + each, 0), longestMs: Math.max(...tasks) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
