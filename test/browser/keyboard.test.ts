/** Everything by keyboard, and what is asked for is in the address. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Health, State, VolumeRow } from '../../src/console/model.ts';
import { violationsOn } from './accessibility.ts';
import { TestBrowser, told } from './browser.ts';
import { APPROVE, aState, DRILL, Times } from './fixture/objects.ts';
import { FixtureConsole } from './fixture/server.ts';

const times = new Times(Date.now());
let browser: TestBrowser;
let server: FixtureConsole;
let page: Page;
/** On so many nodes that one has to search for one. */
function crowded(): State {
  const state = aState(1000, times);
  const volumes = Object.values(state.volumes).map((row, index) => ({ ...row, node: `node-${1000 + (index % 40)}` }));
  return { ...state, volumes: Object.fromEntries(volumes.map((row) => [row.name, row])) };
}
beforeAll(async () => {
  server = await FixtureConsole.open({ state: crowded(), times });
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
/** What has the focus: its name or its words. */
const focused = (): Promise<string> =>
  told(page, `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`);
/** With Tab, as often as it takes. */
async function tabTo(words: string | RegExp): Promise<void> {
  for (let stop = 0; stop < 60; stop += 1) {
    const at = await focused();
    if (typeof words === 'string' ? at === words : words.test(at)) return;
    await keys('Tab');
  }
  throw new Error(`Tab does not lead to ${words}`);
}
const checked = (): Promise<readonly string[]> =>
  told(page, `[...document.querySelectorAll('.facet-values :checked')].map((box) => box.nextSibling.textContent)`);
const value = (): Promise<string> => told(page, 'document.activeElement.nextSibling.textContent');
const openMenus = (): Promise<number> => told(page, `document.querySelectorAll('.facet[open]').length`);

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

test('a menu of values is opened, gone through, chosen from and closed', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await tabTo('Zone');
  await keys('Enter');
  await page.getByRole('checkbox').first().waitFor();
  await keys('ArrowDown');
  await expect.poll(value).toBe('eu-1a');
  await keys('ArrowDown', 'ArrowDown', 'Space');
  await expect.poll(checked).toEqual(['eu-1c']);
  await keys('Home', 'Space');
  await expect.poll(checked).toEqual(['eu-1a', 'eu-1c']);
  await keys('End', 'ArrowUp', 'Space');
  await expect.poll(checked).toEqual(['eu-1a']);
  await keys('Escape');
  await expect.poll(openMenus).toBe(0);
  await expect.poll(focused).toMatch(/^Zone/);
  await expect.poll(address).toContain('zone=eu-1a');
});

test('down opens a menu, all its values are one stop, and whoever goes on leaves none open', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await tabTo('Class');
  await keys('ArrowDown');
  await expect.poll(() => page.getByRole('checkbox').count()).toBeGreaterThan(1);
  await keys('Tab', 'Tab');
  await expect.poll(focused).toBe('Source');
  await expect.poll(openMenus).toBe(0);
});

test('a menu of many values is searched, and what is typed there is not lost to the arrows', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await tabTo('Node');
  await keys('Enter');
  await page.getByRole('searchbox', { name: 'Search Node' }).waitFor();
  await keys('Tab');
  await expect.poll(focused).toBe('Search Node');
  await page.keyboard.type('1004');
  await keys('Home', 'x');
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(0);
  await page.getByText('None is called that.').waitFor();
  await keys('Control+A');
  await page.keyboard.type('node-1004');
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(1);
  await keys('ArrowDown', 'Space');
  await expect.poll(address).toContain('node=node-1004');
});

test('from the search one goes down to what was found; Escape clears it, and then leaves it', async () => {
  await keys('/');
  await expect.poll(() => told(page, 'document.activeElement.id')).toBe('volume-search');
  await page.keyboard.type('data-77');
  await page.getByText(/^\d+ of 1,000 volumes$/).waitFor();
  await keys('ArrowDown');
  await expect.poll(() => told(page, 'document.activeElement.dataset.row')).toBe('0');
  await keys('/', 'Escape');
  await page.getByText('1,000 volumes', { exact: true }).waitFor();
  await expect.poll(() => told(page, 'document.activeElement.id')).toBe('volume-search');
  await keys('Escape');
  await expect.poll(() => told(page, 'document.activeElement.dataset.row')).toBe('0');
});

test('columns are sorted by', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await tabTo('Capacity');
  await keys('Enter', 'Enter');
  await expect
    .poll(() => page.getByRole('columnheader', { name: 'Capacity' }).getAttribute('aria-sort'))
    .toBe('descending');
  await expect.poll(focused).toBe('Capacity');
});

test('one comes back from a story to the volume that one came from, with what was asked for', async () => {
  await page.goto(`${server.url}#/volumes?sort=name&cluster=protected`);
  await page.getByText('1,000 volumes').waitFor();
  await page.getByRole('row').nth(1).getByRole('link').focus();
  await keys('End', 'ArrowUp', 'ArrowUp');
  await expect.poll(() => told(page, 'document.activeElement.dataset.row')).toBe('997');
  const name = await focused();
  await keys('Enter');
  await heading(name);
  await tabTo('Volumes');
  await page.locator('a.back').focus();
  await keys('Enter');
  await heading('Volumes');
  await expect.poll(address).toContain('sort=name');
  await expect.poll(focused).toBe(name);
  await keys('Enter');
  await heading(name);
  await page.goBack();
  await expect.poll(focused).toBe(name);
});

test('Tab comes to a row that is seen, wherever the list was scrolled to', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await told(page, `document.querySelector('.table-body').scrollTop = 18_000`);
  await tabTo('Age');
  await keys('Tab');
  await expect.poll(() => told(page, 'Number(document.activeElement.dataset.row)')).toBe(500);
});

test('a list that comes back while somebody types takes nothing from them', async () => {
  await page.goto(`${server.url}#/volumes`);
  await page.getByText('1,000 volumes').waitFor();
  await keys('/');
  await page.keyboard.type('nothing');
  await page.getByText('No volume is like that').waitFor();
  await keys('Control+A', 'Delete');
  await page.getByText('1,000 volumes', { exact: true }).waitFor();
  await expect.poll(() => told(page, 'document.activeElement.id')).toBe('volume-search');
});

test('a view that one has gone to by keys is scrolled by keys', async () => {
  await page.setViewportSize({ width: 800, height: 400 });
  await keys('g', 'n');
  await heading('Nodes');
  await keys('PageDown');
  await expect.poll(() => told(page, 'document.getElementById("main").scrollTop')).toBeGreaterThan(100);
});

/** What has the focus is in the dialog, however often one goes on. */
async function isKeptIn(dialog: 'dialog[open]', stops: number): Promise<void> {
  for (const key of ['Tab', 'Shift+Tab'])
    for (let stop = 0; stop < stops; stop += 1) {
      await keys(key);
      expect(await told(page, `document.querySelector('${dialog}').contains(document.activeElement)`)).toBe(true);
    }
}

test('a wipe is approved without a mouse: nobody leaves the dialog by Tab, and Escape is no approval', async () => {
  await tabTo('Approve the wipe');
  await keys('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve the wipe' });
  await dialog.waitFor();
  await expect.poll(() => told(page, 'document.activeElement.tagName')).toBe('INPUT');
  await isKeptIn('dialog[open]', 5);
  await keys('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Approve the wipe');
  expect(server.posted).toEqual([]);
  await keys('Enter');
  await dialog.waitFor();
  await page.keyboard.type(APPROVE.confirmBy ?? '');
  await keys('Enter');
  await dialog.getByText('It was done.').waitFor();
  await expect.poll(focused).toBe('Close');
  await isKeptIn('dialog[open]', 3);
  await keys('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Approve the wipe');
  expect(server.posted.splice(0)).toEqual([{ ...APPROVE, confirmed: APPROVE.confirmBy }]);
});

test('what is asked about first is to let it be, where nothing has to be typed', async () => {
  await keys('g', 's');
  await heading('Sync');
  await tabTo('Start a drill');
  await keys('Space');
  await page.getByRole('dialog').waitFor();
  await expect.poll(focused).toBe('Cancel');
  await isKeptIn('dialog[open]', 4);
  await tabTo('Start a drill');
  await keys('Enter');
  await page.getByText('It was done.').waitFor();
  await keys('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(server.posted.splice(0)).toEqual([{ ...DRILL, confirmed: true }]);
});

/** A line of two pixels around it, or around what it stretches over, that is not of the colour of what is below. */
const MARK = `(() => {
  const element = document.activeElement;
  const marks = [getComputedStyle(element), getComputedStyle(element, '::after')];
  return marks.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
})()`;

test.each(['overview', 'volumes', 'volumes/pvc-9e3779b1-1', 'nodes', 'nodes/node-02', 'pools', 'sync'])(
  'whatever Tab comes to is seen to have the focus: %s',
  async (view) => {
    await page.goto(`${server.url}#/${view}`);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const passed: string[] = [];
    await keys('Tab');
    while ((await told(page, 'document.activeElement !== document.body')) && passed.length < 80) {
      const words = await focused();
      expect(await told(page, MARK), `the focus of ${words} is not to be seen`).toBe(true);
      passed.push(words);
      await keys('Tab');
    }
    expect(passed.length).toBeGreaterThan(8);
  },
);

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

/** Where its rows stand in the list, by their number: what is drawn fills what is seen of it. */
const ROWS_STAND = `(() => {
  const box = document.querySelector('.table-body');
  const top = ({ top }) => top - box.getBoundingClientRect().top + box.scrollTop;
  const rows = [...box.querySelectorAll('[role=row]')].map((row) => ({
    number: Number(row.getAttribute('aria-rowindex')) - 2,
    top: Math.round(top(row.getBoundingClientRect())),
    height: Math.round(row.getBoundingClientRect().height),
  }));
  const [first, last] = [rows[0], rows.at(-1)];
  const isFilled = first.top <= box.scrollTop && last.top + last.height >= Math.min(box.scrollTop + box.clientHeight, box.scrollHeight);
  return isFilled && rows.every(({ number, top, height }) => top === number * height);
})()`;

test('every row stands in its place, wherever one goes in the list and however it is sorted', async () => {
  await keys('g', 'v');
  await page.getByRole('row').nth(1).getByRole('link').focus();
  for (const key of ['PageDown', 'ArrowDown', 'End', 'PageUp', 'ArrowUp', 'PageUp', 'Home', 'End']) {
    await keys(key);
    await expect.poll(() => told(page, ROWS_STAND)).toBe(true);
  }
  await page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
  await expect.poll(() => told(page, ROWS_STAND)).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => told(page, ROWS_STAND)).toBe(true);
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

/** So long that the address would be written, and only then is it another: what was to be written comes first. */
const GO_ON = `(() => {
  const until = performance.now() + 400;
  while (performance.now() < until);
  location.hash = '#/overview?cluster=protected';
})()`;

test('whoever goes on before the address of the list is written is where they went to', async () => {
  await keys('g', 'v');
  await page.getByText('1,000 volumes').waitFor();
  await page.getByRole('columnheader', { name: 'Capacity' }).getByRole('button').click();
  await told(page, GO_ON);
  await page.getByRole('heading', { name: /3 things need you/ }).waitFor();
  expect(await address()).toBe('#/overview?cluster=protected');
});

test('the focus stays with a volume that moves in the list, and goes to none that takes its place', async () => {
  const { volumes } = crowded();
  const say = (name: string, health: Health) =>
    server.change({ volumes: { [name]: { ...(volumes[name] as VolumeRow), health } } });
  const inList = (name: string) => page.getByRole('row', { name }).count();
  const row = () => told(page, 'document.activeElement.dataset.row');
  await page.goto(`${server.url}#/volumes`);
  await page.getByText('1,000 volumes').waitFor();
  await page.getByRole('row').nth(1).getByRole('link').focus();
  await keys('ArrowDown', 'ArrowDown');
  const name = await focused();
  const [other = ''] = Object.keys(volumes).sort();
  say(other, 'failed');
  await expect.poll(() => inList(other)).toBe(1);
  expect([await focused(), await row()]).toEqual([name, '3']);
  say(name, 'well');
  await expect.poll(() => inList(name)).toBe(0);
  expect(await row()).toBeUndefined();
  for (const each of [name, other]) say(each, volumes[each]?.health ?? 'well');
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
