/** What is shown is what is: as it changes, after the console was away, and when nobody can say. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { violationsOn } from './accessibility.ts';
import { ELSEWHERE, TestBrowser, told } from './browser.ts';
import { anEmptyState, aState, aVolume, Times } from './fixture/objects.ts';
import { FixtureConsole, type FixtureOptions } from './fixture/server.ts';

const times = new Times(Date.now());
const state = aState(30, times);
let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.open();
});
afterAll(() => browser[Symbol.asyncDispose]());

let server: FixtureConsole;
let opened: Page;
afterEach(async () => {
  await opened.close();
  await server[Symbol.asyncDispose]();
});
async function open(path = '#/overview', more: Partial<FixtureOptions> = {}) {
  server = await FixtureConsole.open({ state, times, ...more });
  const watched = await browser.page(server.url);
  opened = watched.page;
  await watched.page.goto(`${server.url}${path}`);
  return watched;
}

const saying = (sentence: string) => ({
  overview: { ...state.overview, at: new Date().toISOString(), verdict: { health: 'well' as const, sentence } },
});

test('a change is seen at once, and only what it is about changes', async () => {
  const { page, offences } = await open();
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
  server.change(saying('All 30 volumes are well.'));
  await page.getByRole('heading', { name: 'All 30 volumes are well.' }).waitFor();
  await page.getByText('holdfast devices approve').waitFor();
  expect(offences).toEqual([]);
});

test('volumes come and go in the list', async () => {
  const { page } = await open('#/volumes');
  await page.getByText('30 volumes').waitFor();
  const fresh = { ...aVolume(7, times), name: 'pvc-fresh' };
  server.change({ volumes: { 'pvc-fresh': fresh } });
  await page.getByRole('link', { name: 'pvc-fresh' }).waitFor();
  await page.getByText('31 volumes').waitFor();
  server.change({ volumes: { 'pvc-fresh': null } });
  await page.getByText('30 volumes').waitFor();
});

test('a console that went away is waited for, and it goes on from where it was', async () => {
  const { page } = await open();
  await page.getByText('Live', { exact: true }).waitFor();
  server.change(saying('One.'));
  await page.getByRole('heading', { name: 'One.' }).waitFor();
  await server[Symbol.asyncDispose]();
  await page.getByText('Disconnected').waitFor();
  await page.getByText(/The console has not been heard for .* What is shown is from before/).waitFor();
  await page.getByRole('heading', { name: 'That cannot be said now.' }).waitFor();
  await page.getByText(/What was heard last: One\./).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  server = await server.reopened();
  server.change(saying('Two.'));
  await page.getByRole('heading', { name: 'Two.' }).waitFor({ timeout: 30_000 });
  await page.getByText('Live', { exact: true }).waitFor();
  expect(server.resumedFrom).toEqual(['1']);
  await expect.poll(() => page.getByText('What is shown is from before').count()).toBe(0);
});

test('a cluster that the console cannot hear is said to be', async () => {
  const { page } = await open();
  await page.getByText('Live', { exact: true }).waitFor();
  server.say({
    is: 'connection',
    connection: { isHeard: false, since: new Date(Date.now() - 90_000).toISOString(), why: 'connection refused' },
  });
  await page.getByText('Cluster not heard').waitFor();
  await page.getByText(/has not heard the cluster for 9\d s/).waitFor();
  await page.getByText('connection refused').waitFor();
  await page.getByRole('heading', { name: 'That cannot be said now.' }).waitFor();
  server.say({ is: 'connection', connection: { isHeard: true, since: new Date().toISOString() } });
  await page.getByText('Live', { exact: true }).waitFor();
});

test('the recovery point counts up by itself', async () => {
  const { page } = await open('#/sync');
  const counter = page.locator('.counter').first();
  await counter.waitFor();
  const before = await counter.textContent();
  await expect.poll(() => counter.textContent(), { timeout: 10_000 }).not.toBe(before);
});

test('a story is told anew when its volume changes, and a volume that went is said to be gone', async () => {
  const [name = ''] = Object.keys(state.volumes);
  const row = aVolume(1, times);
  const { page } = await open(`#/volumes/${name}`);
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  const asked = page.waitForRequest(/\/volumes\//);
  server.change({ volumes: { [name]: { ...row, health: 'failed', note: 'its device is gone' } } });
  await asked;
  await page.getByText('its device is gone').waitFor();
  server.change({ volumes: { [name]: null } });
  await page.getByText('Gone', { exact: true }).waitFor();
});

test('a story that cannot be had is a problem with a way out', async () => {
  const { page } = await open('#/volumes/pvc-nobody');
  await page.getByText('There is no such volume.').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
});

test('who would send a token in clear text to another machine is warned', async () => {
  const { page } = await open('#/overview', { token: 'secret' });
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
  expect(await page.getByText('Others may read along').count()).toBe(0);
  await page.goto(server.url.replace('127.0.0.1', ELSEWHERE));
  await page.getByText('Others may read along').waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
});

test('a token is asked for where it is wanted, kept in the tab only, and asked for again when it does not do', async () => {
  const { page } = await open('#/overview', { token: 'secret' });
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('That token did not do').waitFor();
  await page.getByLabel('Token').fill('secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
  await expect.poll(() => told(page, 'sessionStorage.getItem("holdfast-token")')).toBe('secret');
  await expect.poll(() => told(page, 'JSON.stringify(localStorage)')).not.toContain('secret');
  await page.reload();
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
  await expect.poll(() => told(page, 'sessionStorage.length')).toBe(0);
});

test('a console that does not answer at all is tried again', async () => {
  const { page } = await open();
  await page.route('**/api/hello', (route) => route.abort());
  await page.reload();
  await page.getByRole('heading', { name: 'The console does not answer' }).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  await page.unroute('**/api/hello');
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
});

test('a cluster with nothing in it is told of in words', async () => {
  const { page, offences } = await open('#/overview', { state: anEmptyState(times) });
  await page.getByText('Nothing needs you.').waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  for (const [view, words] of Object.entries({
    Volumes: 'There are no volumes yet',
    Nodes: 'There are no nodes yet',
    Pools: 'There is no storage pool here',
    Sync: 'Nothing is held in another place',
  })) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
    await page.getByText(words).waitFor();
    await expect.poll(() => violationsOn(page)).toEqual([]);
  }
  expect(offences).toEqual([]);
});

test('what may not be read is said to be, and is not taken for nothing', async () => {
  const why = 'you may not list these';
  const blind = {
    ...state,
    overview: { ...state.overview, needs: [], activities: [], forecasts: [] },
    volumes: {},
    nodes: {},
    pools: {},
    syncs: {},
    unknown: { volumes: why, nodes: why, pools: why, syncs: why },
  };
  const { page, offences } = await open('#/overview', { state: blind });
  await page.getByText('Nothing that can be seen needs you.').waitFor();
  await expect.poll(() => page.getByText(why).count()).toBe(3);
  await expect.poll(() => violationsOn(page)).toEqual([]);
  for (const [view, what] of [
    ['Volumes', 'volumes'],
    ['Nodes', 'nodes'],
    ['Pools', 'pools'],
    ['Sync', 'syncs'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
    await page.getByText(`Nobody can say which ${what} there are`).waitFor();
    await page.getByText(why).waitFor();
    await expect.poll(() => violationsOn(page)).toEqual([]);
  }
  server.change({ unknown: {}, syncs: state.syncs });
  await page.getByRole('heading', { name: 'everything' }).waitFor();
  expect(offences).toEqual([]);
});

test('what a cluster calls its things is shown, and never run', async () => {
  const evil = '<img src=x onerror="document.title=1">';
  const row = { ...aVolume(1, times), name: 'pvc-evil', note: evil, claim: evil, health: 'failed' as const };
  const needs = state.overview.needs.map((need) => ({ ...need, what: evil, link: `#/volumes/${evil}` }));
  const { page, offences } = await open('#/volumes', {
    state: { ...state, overview: { ...state.overview, needs }, volumes: { 'pvc-evil': row } },
  });
  await page.getByText(evil).first().waitFor();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Overview' }).click();
  await page.getByText(evil).first().waitFor();
  await expect.poll(() => told(page, 'document.querySelectorAll("#page img").length')).toBe(0);
  expect(offences).toEqual([]);
});

test('a page that nobody sees lets go of its connection, and goes on when it is seen again', async () => {
  const { page } = await open();
  await page.getByText('Live', { exact: true }).waitFor();
  server.change(saying('One.'));
  await page.getByRole('heading', { name: 'One.' }).waitFor();
  const turn = (hidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
    );
  await turn(true);
  await expect.poll(() => server.listeners, { timeout: 20_000 }).toBe(0);
  server.change(saying('Two.'));
  await turn(false);
  await page.getByRole('heading', { name: 'Two.' }).waitFor();
  expect(server.resumedFrom).toEqual(['1']);
});
