/** Every view while it waits, has nothing, is cut off, or was refused: each is a page of its own, in words, with a picture. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { State } from '../../src/console/model.ts';
import { violationsOn } from './accessibility.ts';
import { TestBrowser, told } from './browser.ts';
import { APPROVE, anEmptyState, aState, Times } from './fixture/objects.ts';
import { FixtureConsole, type FixtureOptions } from './fixture/server.ts';
import { SCREENS, VIEWPORTS } from './screens.ts';

const SCREENSHOTS = resolve(import.meta.dirname, '../../dist/screenshots');
mkdirSync(SCREENSHOTS, { recursive: true });

const times = new Times(Date.now());
const state = aState(412, times);
const [volume = ''] = Object.keys(state.volumes);

const HELLO = '**/api/hello';
const LIVE = '**/api/clusters/*/live';
const STORY = '**/api/clusters/*/volumes/*';
const PLAN = '**/api/clusters/*/syncs/*/plan';

/** An answer that does not come. */
const held = (): void => {};
const refused =
  (status: number, problem: string) =>
  (route: Route): Promise<void> =>
    route.fulfill({ status, json: { problem } });

interface Shown {
  readonly name: string;
  readonly at: string;
  readonly console?: Partial<FixtureOptions>;
  /** What becomes of requests that are not answered as they should be. */
  readonly when?: Readonly<Record<string, (route: Route) => void>>;
  /** What is done there. */
  readonly does?: (page: Page, server: FixtureConsole) => Promise<void>;
  /** What has to be seen. */
  readonly says: string | RegExp;
  /** What the browser itself says about requests that fail. */
  readonly complains?: boolean;
}

const VIEWS = {
  overview: '#/overview',
  volumes: '#/volumes',
  volume: `#/volumes/${volume}`,
  nodes: '#/nodes',
  node: '#/nodes/node-03',
  pools: '#/pools',
  pool: '#/pools/storage/blobs',
  sync: '#/sync',
} as const;

const WAITING = Object.entries(VIEWS).map(
  ([name, at]): Shown => ({ name: `waiting-${name}`, at, when: { [LIVE]: held }, says: /listening/i }),
);

const EMPTY_WORDS = {
  overview: 'Nothing needs you.',
  volumes: 'There are no volumes yet',
  nodes: 'There are no nodes yet',
  pools: 'There is no storage pool here',
  sync: 'Nothing is held in another place',
} as const;

const EMPTY = Object.entries(EMPTY_WORDS).map(
  ([name, says]): Shown => ({ name: `empty-${name}`, at: `#/${name}`, console: { state: anEmptyState(times) }, says }),
);

const WHY = 'persistentvolumes is forbidden: User "you" cannot list resource "persistentvolumes" at the cluster scope';
const BLIND: State = {
  ...anEmptyState(times),
  overview: {
    ...anEmptyState(times).overview,
    verdict: { health: 'unknown', sentence: 'Nobody can say: not all can be seen.' },
  },
  unknown: { volumes: WHY, nodes: WHY, pools: WHY, syncs: WHY },
};

const cutOff = async (page: Page, server: FixtureConsole): Promise<void> => {
  await page.getByText('Live', { exact: true }).waitFor();
  await server[Symbol.asyncDispose]();
  await page.getByText('Disconnected').waitFor();
};
const deaf = async (page: Page, server: FixtureConsole): Promise<void> => {
  await page.getByText('Live', { exact: true }).waitFor();
  const since = new Date(Date.now() - 90_000).toISOString();
  server.say({ is: 'connection', connection: { isHeard: false, since, why: 'connect ECONNREFUSED 10.0.0.1:6443' } });
};

const STATES: readonly Shown[] = [
  { name: 'first-frame', at: '', when: { [HELLO]: held }, says: 'Asking the console…' },
  ...WAITING,
  { name: 'waiting-story', at: VIEWS.volume, when: { [STORY]: held }, says: 'What happened' },
  {
    ...{ name: 'waiting-plan', at: VIEWS.sync, when: { [PLAN]: held }, says: /^Reading the newest export/ },
    does: async (page) => {
      const ask = page.getByRole('button', { name: 'Work out the plan' });
      await ask.click();
      await page.getByRole('button', { name: 'Work it out again' }).scrollIntoViewIfNeeded();
    },
  },
  ...EMPTY,
  { name: 'empty-search', at: '#/volumes?q=no-such-thing', says: 'No volume is like that' },
  { name: 'empty-node', at: '#/nodes/nobody', says: 'There is no such node, or no longer' },
  { name: 'nowhere', at: '#/sumps', says: 'There is no such view' },
  {
    name: 'unseen-overview',
    at: '#/overview',
    console: { state: BLIND },
    says: 'Nobody can say: not all can be seen.',
  },
  {
    name: 'unseen-volumes',
    at: '#/volumes',
    console: { state: BLIND },
    says: 'Nobody can say which volumes there are',
  },
  { name: 'disconnected-overview', at: '#/overview', does: cutOff, says: 'That cannot be said now.', complains: true },
  { name: 'disconnected-volumes', at: '#/volumes', does: cutOff, says: /has not been heard for/, complains: true },
  { name: 'disconnected-pools', at: '#/pools', does: cutOff, says: /has not been heard for/, complains: true },
  { name: 'unheard-overview', at: '#/overview', does: deaf, says: 'connect ECONNREFUSED 10.0.0.1:6443' },
  {
    ...{ name: 'error-stream', at: '#/nodes', says: 'Nothing is known of this cluster yet', complains: true },
    when: { [LIVE]: refused(503, 'There are 100 streams already. Try again in a while.') },
  },
  {
    ...{ name: 'error-story', at: VIEWS.volume, says: 'Its story could not be had', complains: true },
    when: { [STORY]: refused(502, 'The cluster did not answer within 10 s.') },
  },
  {
    ...{ name: 'error-plan', at: VIEWS.sync, says: 'There is no plan', complains: true },
    when: { [PLAN]: refused(502, 'The object store did not answer: connect ETIMEDOUT 10.0.0.9:443') },
    does: async (page) => {
      await page.getByRole('button', { name: 'Work out the plan' }).click();
      await page.getByText('There is no plan').scrollIntoViewIfNeeded();
    },
  },
  {
    ...{ name: 'error-console', at: '', says: 'The console does not answer', complains: true },
    when: { [HELLO]: (route) => void route.abort() },
  },
  {
    ...{ name: 'dialog-asks', at: '#/nodes/node-02', says: APPROVE.consequence },
    does: (page) => page.getByRole('button', { name: 'Approve the wipe' }).click(),
  },
  {
    ...{ name: 'dialog-refused', at: '#/pools', says: 'Not done' },
    console: { result: { succeeded: false, sentence: 'What was shown is no longer so: the drain is over.' } },
    does: async (page) => {
      await page.getByRole('button', { name: 'Cancel the drain' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the drain' }).click();
    },
  },
  {
    ...{ name: 'menu', at: '#/volumes', says: 'eu-1b' },
    does: async (page) => {
      await page.locator('summary', { hasText: 'Zone' }).click();
      await page.getByRole('checkbox', { name: /eu-1a/ }).check();
      await page.keyboard.press('ArrowDown');
    },
  },
  { name: 'sign-in', at: '', console: { token: 'secret' }, says: 'Who is there?' },
];

describe.each(SCREENS)('%s, %s', (size, colorScheme) => {
  let browser: TestBrowser;
  let server: FixtureConsole;
  let page: Page | undefined;
  beforeAll(async () => {
    browser = await TestBrowser.open({ viewport: VIEWPORTS[size], colorScheme });
  });
  afterEach(async () => {
    await page?.close();
    await server[Symbol.asyncDispose]();
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test.each(STATES)('$name', async ({ name, at, console, when = {}, does, says, complains = false }) => {
    server = await FixtureConsole.open({ state, times, ...console });
    const watched = await browser.page('');
    page = watched.page;
    for (const [address, answer] of Object.entries(when)) await page.route(address, answer);
    await page.goto(`${server.url}${at}`);
    await does?.(page, server);
    await page.getByText(says).first().waitFor();
    await page.screenshot({ path: resolve(SCREENSHOTS, `state-${name}-${size}-${colorScheme}.png`) });
    await expect.poll(() => violationsOn(watched.page)).toEqual([]);
    expect(await told(page, 'document.querySelectorAll("h1").length')).toBe(1);
    expect(await told(page, 'document.documentElement.scrollWidth')).toBe(VIEWPORTS[size].width);
    if (!complains) expect(watched.offences.filter((offence) => !offence.startsWith('request: '))).toEqual([]);
  });
});

/** What stands first below the heading, waited for or there. */
const FIRST = {
  '#/overview': '.tiles',
  '#/volumes': '.table',
  '#/nodes': '.node-cards',
  '#/pools': '.pool',
  '#/sync': '.sync',
} as const;

test.each(Object.entries(FIRST))('nothing jumps when what was waited for comes: %s', async (at, first) => {
  await using server = await FixtureConsole.open({ state, times });
  await using browser = await TestBrowser.open();
  const { page } = await browser.page('');
  const { promise: comes, resolve: come } = Promise.withResolvers<void>();
  await page.route(LIVE, async (route) => {
    await comes;
    await route.continue();
  });
  await page.goto(`${server.url}${at}`);
  const places = () =>
    told<readonly number[]>(
      page,
      `['h1', '${first}'].map((what) => document.querySelector(what).getBoundingClientRect().top)`,
    );
  await page.locator('.waiting').first().waitFor();
  const before = await places();
  come();
  await page.locator('.waiting').waitFor({ state: 'detached' });
  const after = await places();
  for (const [index, top] of before.entries()) expect(Math.abs(top - (after[index] ?? 0))).toBeLessThanOrEqual(2);
});
