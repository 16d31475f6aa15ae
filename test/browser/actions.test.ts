/** What people may do here: each says what will happen, is done only when it is confirmed, and tells what came of it. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { violationsOn } from './accessibility.ts';
import { TestBrowser } from './browser.ts';
import { APPROVE, aState, CANCEL, DRILL, Times } from './fixture/objects.ts';
import { FixtureConsole, type FixtureOptions } from './fixture/server.ts';

const times = new Times(Date.now());
const state = aState(20, times);
let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.open();
});
afterAll(() => browser[Symbol.asyncDispose]());

let server: FixtureConsole;
let page: Page;
const offences: string[][] = [];
async function open(path: string, more: Partial<FixtureOptions> = {}) {
  server = await FixtureConsole.open({ state, times, ...more });
  const watched = await browser.page(server.url);
  offences.push(watched.offences);
  page = watched.page;
  await page.goto(`${server.url}${path}`);
  return page;
}
beforeEach(() => offences.splice(0));
afterEach(async () => {
  await page.close();
  await server[Symbol.asyncDispose]();
});

test('a wipe is approved only by who types which device it is', async () => {
  const page = await open('#/nodes/node-02');
  await page.getByRole('button', { name: 'Approve the wipe' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve the wipe' });
  await dialog.getByText(APPROVE.consequence).waitFor();
  await expect.poll(() => violationsOn(page)).toEqual([]);
  const send = dialog.getByRole('button', { name: 'Approve the wipe' });
  await dialog.getByRole('textbox').fill('node-02/sdb');
  await expect.poll(() => send.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').press('Enter');
  expect(server.posted).toEqual([]);
  await dialog.getByRole('textbox').fill('node-02/sdc');
  await send.click();
  await dialog.getByText('It was done.').waitFor();
  expect(server.posted).toEqual([{ ...APPROVE, confirmed: 'node-02/sdc' }]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(offences.flat()).toEqual([]);
});

test('a drill is started, and a drain cancelled, by one more click', async () => {
  const page = await open('#/sync');
  await page.getByRole('button', { name: 'Start a drill' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start a drill' }).click();
  await page.getByText('It was done.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Pools' }).click();
  await page.getByRole('button', { name: 'Cancel the drain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the drain' }).click();
  await page.getByText('It was done.').waitFor();
  expect(server.posted).toEqual([
    { ...DRILL, confirmed: true },
    { ...CANCEL, confirmed: true },
  ]);
});

test('what was not done is said to be, with the reason', async () => {
  const page = await open('#/sync', { result: { succeeded: false, sentence: 'A drill is running already.' } });
  await page.getByRole('button', { name: 'Start a drill' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start a drill' }).click();
  await page.getByText('Not done').waitFor();
  await page.getByText('A drill is running already.').waitFor();
});

test('nothing is sent by who thinks better of it, and the focus is where it was', async () => {
  const page = await open('#/pools');
  await page.getByRole('button', { name: 'Cancel the drain' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe('Cancel the drain');
  expect(server.posted).toEqual([]);
});

test('a need can be met where it is told', async () => {
  const page = await open('#/overview');
  await page.getByRole('button', { name: 'Approve the wipe' }).click();
  await page.getByRole('dialog').getByText(APPROVE.consequence).waitFor();
});

test('a console that was not started for it offers nothing to do', async () => {
  const page = await open('#/overview', { hello: { actions: [] } });
  await page.getByText('holdfast devices approve node-02 /dev/sdc').waitFor();
  for (const view of ['Nodes', 'Pools', 'Sync']) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Approve|Start a drill|Cancel/ }).count()).toBe(0);
  }
});
