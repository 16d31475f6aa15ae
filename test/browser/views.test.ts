/** Every view, reached by clicks, in light and dark, on a desk and in a hand: it shows what there is, and axe finds nothing. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violationsOn } from './accessibility.ts';
import { TestBrowser, told, type WatchedPage } from './browser.ts';
import { aState, Times } from './fixture/objects.ts';
import { FixtureConsole } from './fixture/server.ts';
import { SCREENS, VIEWPORTS } from './screens.ts';

const SCREENSHOTS = resolve(import.meta.dirname, '../../dist/screenshots');
mkdirSync(SCREENSHOTS, { recursive: true });

const times = new Times(Date.now());
const state = aState(412, times);
let server: FixtureConsole;
beforeAll(async () => {
  server = await FixtureConsole.open({ state, times });
});
afterAll(() => server[Symbol.asyncDispose]());

const go = (page: Page, view: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();

const PARTITIONS = '2 partitions: sdc1 120 GiB, 79.9 GiB free, sdc2 200 GiB (held by dm-0 and 2 more), 80 GiB free';

/** How wide each part of a bar is, of a hundred. */
const sharesIn = async (bar: Locator): Promise<readonly number[]> => {
  const boxes = await Promise.all((await bar.locator('> *').all()).map((part) => part.boundingBox()));
  const widths = boxes.map((box) => box?.width ?? 0);
  const all = widths.reduce((sum, width) => sum + width, 0);
  return widths.map((width) => Math.round((100 * width) / all));
};

/** How a person gets there, and what there is to see. */
const VIEWS: readonly { readonly name: string; readonly visit: (page: Page) => Promise<void> }[] = [
  {
    name: 'overview',
    visit: async (page) => {
      await go(page, 'Overview');
      await page.getByRole('heading', { level: 1, name: /3 things need you/ }).waitFor();
      await page.getByText('holdfast devices approve node-02 /dev/sdc').waitFor();
      await page.getByRole('progressbar', { name: 'Draining blobs-4' }).waitFor();
      await page.getByRole('region', { name: 'Recovery point' }).getByText('would be lost now').waitFor();
    },
  },
  {
    name: 'volumes',
    visit: async (page) => {
      await go(page, 'Volumes');
      await page.getByText('412 volumes').waitFor();
      await page.getByRole('row').nth(5).waitFor();
    },
  },
  {
    name: 'volume',
    visit: async (page) => {
      await go(page, 'Volumes');
      await page.getByRole('row').nth(1).getByRole('link').click();
      await page.getByRole('heading', { name: 'Wipe receipts' }).waitFor();
      await page.getByText('64 other exports in the object store were not looked into.').waitFor();
      await page.getByText('The volume can be used on that node alone.').waitFor();
      await page.getByText('eui.0025385b21404d27').waitFor();
      await page.getByText('Unable to mount: the device is busy').waitFor();
      await page.getByText('Show the YAML').click();
      await page.getByText('onerror=alert(1)').waitFor();
    },
  },
  {
    name: 'nodes',
    visit: async (page) => {
      await go(page, 'Nodes');
      await page.getByText('Wipe planned').waitFor();
      await page.getByText('1 disk missing').waitFor();
      await page.getByRole('img', { name: PARTITIONS }).waitFor();
      await page.getByTitle('79.9 GiB free').waitFor();
      await page.getByText('These volume groups may be otherwise now').waitFor();
      expect(await page.getByText('only one of them can be').count()).toBe(1);
    },
  },
  {
    name: 'node',
    visit: async (page) => {
      await go(page, 'Nodes');
      await page.getByRole('link', { name: 'node-03' }).click();
      await page.getByText('It is mounted at /mnt/backup: what is in use is never wiped.').waitFor();
      await page.getByText('Unmount it on node-03').waitFor();
      await page.getByText(PARTITIONS).waitFor();
      const block = page.locator('.device-strip').getByRole('img', { name: PARTITIONS });
      expect(await sharesIn(block)).toEqual([25, 17, 42, 17]);
    },
  },
  {
    name: 'pools',
    visit: async (page) => {
      await go(page, 'Pools');
      await page.getByRole('img', { name: /Use of storage\/blobs over time, 61% used, full in 90 min/ }).waitFor();
      await page.getByText('152 of 242 GiB handed over').waitFor();
    },
  },
  {
    name: 'sync',
    visit: async (page) => {
      await go(page, 'Sync');
      await page.getByRole('img', { name: 'Exports: 24 times, 1 of them failed' }).waitFor();
      await page.getByRole('button', { name: 'Work out the plan' }).click();
      await page.getByText('change PersistentVolumeClaim').click();
      await page.getByText('+ storage: 20Gi').waitFor();
    },
  },
];

describe.each(SCREENS)('%s, %s', (size, colorScheme) => {
  let browser: TestBrowser;
  let watched: WatchedPage;
  beforeAll(async () => {
    browser = await TestBrowser.open({ viewport: VIEWPORTS[size], colorScheme });
    watched = await browser.page(server.url);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  test.each(VIEWS)('$name', async ({ name, visit }) => {
    const { page, offences } = watched;
    await visit(page);
    await page.mouse.move(0, 0);
    await told(page, 'document.getElementById("main").scrollTop = 0');
    await page.screenshot({ path: resolve(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`) });
    await expect.poll(() => violationsOn(page)).toEqual([]);
    await expect.poll(() => told(page, 'document.documentElement.scrollWidth')).toBe(VIEWPORTS[size].width);
    expect(
      await told(page, 'document.getElementById("main").scrollWidth <= document.getElementById("main").clientWidth'),
    ).toBe(true);
    expect(offences).toEqual([]);
  });
});
