/** Everything by keyboard, and what is asked for is in the address. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { violationsOn } from './accessibility.ts';
import { TestBrowser, told } from './browser.ts';
import { aState, Times } from './fixture/objects.ts';
import { FixtureConsole } from './fixture/server.ts';

const times = new Times(Date.now());
let browser: TestBrowser;
let server: FixtureConsole;
let page: Page;
beforeAll(async () => {
  server = await FixtureConsole.open({ state: aState(1000, times), times });
  browser = await TestBrowser.open();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ({ page } = await browser.page(server.url));
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
});
/** A browser has six connections to a server, and each page of the console keeps one. */
afterEach(() => page.close());

const keys = async (...pressed: string[]): Promise<void> => {
  for (const key of pressed) await page.keyboard.press(key);
};
const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
const address = (): Promise<string> => told(page, 'location.hash');

test('g and a letter go to every view', async () => {
  for (const [letter, view] of Object.entries({ v: 'Volumes', n: 'Nodes', p: 'Pools', s: 'Sync' })) {
    await keys('g', letter);
    await heading(view);
  }
  await keys('g', 'o');
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
});

test('? tells of the keys', async () => {
  await keys('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  await keys('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('/ searches from anywhere, and letters that are typed go nowhere', async () => {
  await keys('/');
  await heading('Volumes');
  await expect.poll(() => told(page, 'document.activeElement.id')).toBe('volume-search');
  await page.keyboard.type('gn data-77');
  await heading('Volumes');
  await expect.poll(address).toContain('q=gn+data-77');
});

test('one comes to the content past everything else', async () => {
  await keys('Tab');
  await expect.poll(() => told(page, 'document.activeElement.textContent')).toBe('Skip to the content');
  await keys('Enter');
  await expect.poll(() => told(page, 'document.activeElement.id')).toBe('main');
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
});

test('arrows go through the volumes, however far, and Enter opens one', async () => {
  await keys('g', 'v');
  await page.getByRole('row').nth(1).getByRole('link').focus();
  await keys('ArrowDown', 'ArrowDown', 'End');
  await expect.poll(() => told(page, 'document.activeElement.dataset.row')).toBe('999');
  await keys('PageUp', 'Home');
  await expect.poll(() => told(page, 'document.activeElement.dataset.row')).toBe('0');
  const name = await told<string>(page, 'document.activeElement.textContent');
  await keys('Enter');
  await heading(name);
});

test('volumes are filtered, searched and sorted, and the address says how', async () => {
  await keys('g', 'v');
  await page.getByRole('button', { name: /^Failed/ }).click();
  await page.getByText('5 of 1,000 volumes').waitFor();
  await page.getByText('Zone', { exact: true }).nth(0).click();
  await page.getByRole('checkbox', { name: /eu-1a/ }).check();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  await keys('Escape');
  await page.getByRole('button', { name: 'No longer Zone eu-1a' }).waitFor();
  await page.getByRole('columnheader', { name: 'Capacity' }).getByRole('button').click();
  await page.getByRole('columnheader', { name: 'Capacity' }).getByRole('button').click();
  await expect.poll(address).toBe('#/volumes?health=failed&zone=eu-1a&sort=-capacity&cluster=protected');
  const shown = await page.getByRole('row').allTextContents();
  await page.reload();
  await page.getByRole('row').nth(1).waitFor();
  expect((await page.getByRole('row').allTextContents()).length).toBe(shown.length);
  await expect
    .poll(() => page.getByRole('columnheader', { name: 'Capacity' }).getAttribute('aria-sort'))
    .toBe('descending');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('1,000 volumes').waitFor();
  await page.getByRole('searchbox', { name: 'Search volumes' }).fill('no such thing');
  await page.getByText('No volume is like that').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByText('1,000 volumes').waitFor();
});

test('the health of the overview leads to its volumes', async () => {
  await page.getByRole('link', { name: /failed/ }).click();
  await page.getByText('5 of 1,000 volumes').waitFor();
});

test('another cluster is another page of the same view', async () => {
  await keys('g', 'n');
  await page.getByRole('navigation', { name: 'Clusters' }).getByRole('link', { name: 'recovery' }).click();
  await expect.poll(address).toBe('#/nodes?cluster=recovery');
  await heading('Nodes');
  await expect.poll(() => told(page, 'document.title')).toBe('Nodes · recovery · Holdfast');
});

test('colours are those of the system, until a person chooses', async () => {
  const ground = () => told(page, 'getComputedStyle(document.documentElement).backgroundColor');
  const light = await ground();
  await page.getByRole('button', { name: 'Colours: As the system' }).click();
  await page.getByRole('button', { name: 'Colours: Light' }).click();
  await expect.poll(ground).not.toBe(light);
  await page.reload();
  await page.getByRole('button', { name: 'Colours: Dark' }).click();
  await expect.poll(ground).toBe(light);
});

test('another view begins at its top', async () => {
  await page.setViewportSize({ width: 600, height: 400 });
  await keys('g', 'n');
  await heading('Nodes');
  await told(page, 'document.getElementById("main").scrollTop = 500');
  await keys('g', 'p');
  await heading('Pools');
  await expect.poll(() => told(page, 'document.getElementById("main").scrollTop')).toBe(0);
});

test('an address that leads nowhere says so', async () => {
  await page.goto(`${server.url}#/sumps`);
  await page.getByText('There is no such view').waitFor();
});
