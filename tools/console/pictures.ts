/** Takes the pictures of the console for the documentation into docs/images, from a demo that plays its story: `node tools/console/pictures.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { TestBrowser } from '../../test/browser/browser.ts';

const root = resolve(import.meta.dirname, '../..');
const IMAGES = join(root, 'docs/images');
const WIDTH = 1280;
const VIEWPORT = { width: WIDTH, height: 800 };

/** As high as there is something to see. */
const take = async (page: Page, name: string, height: number): Promise<void> => {
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width: WIDTH, height });
  await page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
};

async function drill(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start a drill' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill((await dialog.locator('label code').textContent()) ?? '');
  await dialog.getByRole('button', { name: 'Start a drill' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click({ timeout: 60_000 });
  await page.getByText('Passed', { exact: true }).waitFor();
}

mkdirSync(IMAGES, { recursive: true });
await using light = await TestBrowser.open({ viewport: VIEWPORT, colorScheme: 'light' });
await using dark = await TestBrowser.open({ viewport: VIEWPORT, colorScheme: 'dark' });
const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'demo'], { stdio: ['ignore', 'pipe', 'inherit'] });
let url = '';
let overview: Page | undefined;
for await (const line of createInterface(child.stdout)) {
  url ||= /The console is at (\S+)/.exec(line)?.[1] ?? '';
  if (line.includes('has grown to 2 GiB')) {
    overview = (await light.page(`${url}#/overview?cluster=protected`)).page;
    const { page } = await dark.page(`${url}#/nodes?cluster=protected`);
    await page.getByText('thin pool').first().waitFor({ timeout: 60_000 });
    await take(page, 'nodes', 540);
  }
  if (overview && line.includes('are exported to an object store')) {
    await overview.getByText('would be lost now').waitFor();
    await take(overview, 'overview', 680);
  }
  if (line.includes('stays until Ctrl-C')) break;
}
const { page } = await light.page(`${url}#/sync?cluster=recovery`);
await drill(page);
await take(page, 'sync', 610);
child.kill('SIGINT');
await once(child, 'exit');
