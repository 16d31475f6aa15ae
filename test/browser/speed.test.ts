/** Ten thousand volumes: nothing that a person does is more than 50 ms of work for the page, and its first paint is there within a second. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBrowser, told } from './browser.ts';
import { aState, aVolume, Times } from './fixture/objects.ts';
import { FixtureConsole } from './fixture/server.ts';
import { median, workOf } from './trace.ts';

const VOLUMES = 10_000;
const LIMIT_MS = 50;
const ROUNDS = 5;

const times = new Times(Date.now());
let browser: TestBrowser;
let server: FixtureConsole;
let page: Page;
beforeAll(async () => {
  server = await FixtureConsole.open({ state: aState(VOLUMES, times), times });
  browser = await TestBrowser.open();
  ({ page } = await browser.page(server.url));
  await page.goto(`${server.url}#/volumes`);
  await page.getByText('10,000 volumes').waitFor();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const change = (round: number): void =>
  server.change({
    volumes: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => {
        const row = { ...aVolume(1 + index * 7, times), note: `change ${round}` };
        return [row.name, row];
      }),
    ),
  });

const search = () => page.getByRole('searchbox', { name: 'Search volumes' });
const header = (name: string) => page.getByRole('columnheader', { name }).getByRole('button');

/** Where it is, so that a click there is a click, and not also the work of finding it in the page. */
async function middleOf(target: Locator): Promise<readonly [number, number]> {
  const box = await target.boundingBox();
  if (!box) throw new Error('there is nothing to click on');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** What makes it ready is not measured; then something is done, or clicked on. */
type Interaction = { readonly ready?: () => Promise<void> } & (
  | { readonly act: (round: number) => Promise<void> }
  | { readonly click: () => Locator }
);

const INTERACTIONS: Readonly<Record<string, Interaction>> = {
  'to type a letter': {
    ready: () => search().focus(),
    act: (round) => page.keyboard.press(['d', 'a', 't', 'a', '-'][round] ?? '1'),
  },
  'to clear the search': {
    ready: async () => {
      await search().fill('data-1');
      await page.keyboard.press('Control+A');
    },
    act: () => page.keyboard.press('Delete'),
  },
  'to sort by name': { ready: () => header('Capacity').click(), click: () => header('Volume') },
  'to sort by age': { ready: () => header('Volume').click(), click: () => header('Age') },
  'to filter by health': { click: () => page.getByRole('button', { name: /^Failed/ }) },
  'to scroll': { act: (round) => page.mouse.wheel(0, 3000 * (round + 1)) },
  'to press End and Home': {
    ready: () => page.getByRole('row').nth(1).getByRole('link').focus(),
    act: (round) => page.keyboard.press(round % 2 === 0 ? 'End' : 'Home'),
  },
  'to hear of fifty volumes that changed': { act: async (round) => change(round) },
  'to open a volume': {
    ready: async () => {
      await page.goto(`${server.url}#/volumes`);
      await page.getByRole('row').nth(1).waitFor();
    },
    click: () => page.getByRole('row').nth(1).getByRole('link'),
  },
};

async function prepared(interaction: Interaction, round: number): Promise<() => Promise<void>> {
  if ('act' in interaction) return () => interaction.act(round);
  const place = await middleOf(interaction.click());
  return () => page.mouse.click(...place);
}

test.each(Object.entries(INTERACTIONS))('%s', async (name, interaction) => {
  const works: number[] = [];
  for (const view of ['overview', 'volumes']) await page.goto(`${server.url}#/${view}`);
  await page.getByText('10,000 volumes').waitFor();
  await page.mouse.move(600, 500);
  for (let round = 0; round < ROUNDS; round += 1) {
    await interaction.ready?.();
    const done = await prepared(interaction, round);
    await page.waitForTimeout(400);
    works.push((await workOf(page, done)).totalMs);
  }
  console.log(`${name}: ${works.map((work) => work.toFixed(1)).join(', ')} ms`);
  expect(median(works)).toBeLessThan(LIMIT_MS);
});

test('the first paint', async () => {
  const paints: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { page: fresh } = await browser.page(server.url);
    await fresh.getByRole('heading', { name: /3 things need you/ }).waitFor();
    paints.push(await told<number>(fresh, `performance.getEntriesByName('first-contentful-paint')[0].startTime`));
    await fresh.close();
  }
  console.log(`first paint: ${paints.map((paint) => paint.toFixed(0)).join(', ')} ms`);
  expect(median(paints)).toBeLessThan(1000);
});
