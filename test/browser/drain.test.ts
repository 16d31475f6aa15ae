/** A drain of a real pool, with real storage agents, that a person gives up in the page. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConsole } from '../../src/commands/demo/console.ts';
import { CLASS } from '../../src/commands/demo/site.ts';
import { DemoWorld } from '../../src/commands/demo/world.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { MortalClock } from '../../src/kit/clock/mortal.ts';
import { PV_POOLS } from '../../src/pool/contract.ts';
import { BLOBS_PATH } from '../../src/pool-client/protocol.ts';
import { TestBrowser, type WatchedPage } from './browser.ts';

const KEY = 'default/blobs';
const PATIENT = { timeout: 60_000 };

const clock = new MortalClock(systemClock);
const audited: string[] = [];
let directory: string;
let world: DemoWorld;
let console: Awaited<ReturnType<typeof openConsole>>;
let browser: TestBrowser;
let watched: WatchedPage;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  world = await DemoWorld.open({ clock, directory, kubeconfigs: directory, port: 0 });
  const sites = [world.protectedSite, world.recoverySite];
  console = await openConsole(sites, { store: world.store, port: 0, audit: (line) => audited.push(line) });
  browser = await TestBrowser.open();
  watched = await browser.page(console.url);
  await watched.page.goto(`${console.url}#/pools?cluster=protected`);
}, 120_000);
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await console[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  clock.die();
  await rm(directory, { recursive: true, force: true });
});

const pool = () => world.protectedSite.objects.get(PV_POOLS, KEY);

function resize(numPVs: number): void {
  const known = pool();
  if (!known) throw new Error('there is no pool');
  world.protectedSite.objects.update(PV_POOLS, { ...known, spec: { ...known.spec, numPVs } });
}

const blobAt = (url: string, init: RequestInit = {}) =>
  fetch(`${url}${BLOBS_PATH}/twice`, { ...init, headers: { authorization: `Bearer ${world.agents.token('blobs')}` } });

test('the agents of a drain that is given up go on serving, with all that they had', async () => {
  const { page, offences } = watched;
  world.protectedSite.objects.create(PV_POOLS, {
    metadata: { name: 'blobs', namespace: 'default' },
    spec: { image: 'holdfast', numPVs: 3, pvSizeGB: 1, storageClass: CLASS, args: ['storage-agent'] },
  });
  await page.getByText('3 agents wanted, 3 ready').waitFor(PATIENT);
  // Other bytes under one key at each: no agent takes them from another, so that the drain cannot end by itself.
  for (const { name, url } of world.agents.peers)
    expect((await blobAt(url, { method: 'PUT', body: `what ${name} has` })).status).toBe(201);

  resize(2);
  await page.getByRole('button', { name: 'Cancel the drain' }).click(PATIENT);
  const dialog = page.getByRole('dialog', { name: 'Cancel the drain' });
  await dialog.getByText('The pool stays at 3 PVs instead of 2').waitFor();
  await dialog.getByRole('button', { name: 'Cancel the drain' }).click();
  await dialog.getByText('Done', { exact: true }).waitFor(PATIENT);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Cancel the drain' }).waitFor({ state: 'detached', ...PATIENT });
  await expect.poll(() => pool()?.status?.operation, PATIENT).toBeUndefined();
  await expect.poll(() => page.getByText('Ready', { exact: true }).count(), PATIENT).toBeGreaterThanOrEqual(3);
  const { peers } = world.agents;
  expect(peers).toHaveLength(3);
  for (const { name, url } of peers) expect(await (await blobAt(url)).text()).toBe(`what ${name} has`);
  expect(audited).toEqual([expect.stringMatching(/^audit: you, in the demo protected cancel-drain .*"pool":"blobs"/)]);
  expect(offences).toEqual([]);
});
