/** The page and its server together: the console of a real demo, with two clusters and all five jobs behind it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiVersionOf, collectionPath } from '../../src/kit/kube/resource.ts';
import { PERSISTENT_VOLUME_SYNCS, SYNC_ENABLED, SYNC_LABEL } from '../../src/sync/contract.ts';
import { violationsOn } from './accessibility.ts';
import { TestBrowser, told, type WatchedPage } from './browser.ts';
import { DemoProcess } from './demo-process.ts';

let demo: DemoProcess;
let browser: TestBrowser;
let watched: WatchedPage;
let page: Page;
beforeAll(async () => {
  demo = await DemoProcess.open();
  browser = await TestBrowser.open();
  watched = await browser.page(demo.url);
  page = watched.page;
}, 120_000);
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await demo[Symbol.asyncDispose]();
});

const go = (view: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
const toCluster = (name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Clusters' }).getByRole('link', { name }).click();

/** Presses the button, types what is asked for, and waits until it is said to be done. */
async function confirm(label: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  const dialog = page.getByRole('dialog', { name: label });
  const word = await dialog.locator('label code').textContent();
  await dialog.getByRole('textbox').fill(word ?? '');
  await dialog.getByRole('button', { name: label }).click();
  await dialog.getByText('Done', { exact: true }).waitFor(PATIENT);
  await dialog.getByRole('button', { name: 'Close' }).click();
}

const PATIENT = { timeout: 60_000 };

const SYNCED = { [SYNC_LABEL]: SYNC_ENABLED };

test('every view of both clusters is shown, and nothing is amiss', async () => {
  for (const cluster of ['protected', 'recovery']) {
    await toCluster(cluster);
    await go('Overview');
    await page.getByText('Is my data safe?').waitFor();
    for (const view of ['Volumes', 'Nodes', 'Pools', 'Sync']) {
      await go(view);
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
      await expect.poll(() => violationsOn(page)).toEqual([]);
    }
  }
  expect(watched.offences).toEqual([]);
});

test('the policy of the server lets the page do what it does, and nothing inline', async () => {
  const policy = (await page.request.get(demo.url)).headers()['content-security-policy'];
  expect(policy).toContain("default-src 'none'");
  const blocked = await told<boolean>(
    page,
    // With Trusted Types not even the text of a script can be set.
    `(() => { const s = document.createElement('script'); try { s.textContent = 'window.ran = true'; } catch {} s.append('window.ran = true'); document.body.append(s); return window.ran === undefined; })()`,
  );
  expect(blocked).toBe(true);
  watched.offences.splice(0);
});

test('a volume that somebody makes is in the list at once, and tells its story', async () => {
  await toCluster('protected');
  await go('Volumes');
  await page.getByRole('searchbox', { name: 'Search volumes' }).fill('made-just-now');
  await page.getByText('No volume is like that').waitFor();
  await demo.create('protected', '/api/v1/persistentvolumes', aVolume('made-just-now'));
  await page.getByRole('link', { name: 'made-just-now' }).click(PATIENT);
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  await page.getByText('Show the YAML').click();
  await page.getByText('nfs.example.com').first().waitFor();
});

test('a wipe that waits is approved here, and done', async () => {
  await toCluster('protected');
  await page.goto(`${demo.url}#/nodes/node-c1?cluster=protected`);
  const waiting = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: '/dev/disks/fast-3' }) });
  await waiting.getByText('Refused', { exact: true }).waitFor(PATIENT);
  await confirm('Approve the wipe');
  await waiting.getByText('Free', { exact: true }).waitFor(PATIENT);
});

test('what is exported there is restored here, with a plan and a drill', async () => {
  for (const name of ['customers', 'invoices'])
    await demo.create('protected', '/api/v1/persistentvolumes', aVolume(name));
  for (const name of ['customers', 'invoices'])
    await demo.create('protected', '/api/v1/namespaces/default/persistentvolumeclaims', aClaim(name));
  for (const [cluster, mode] of [
    ['protected', 'Protected'],
    ['recovery', 'Recovery'],
  ] as const)
    await demo.create(cluster, collectionPath(PERSISTENT_VOLUME_SYNCS), {
      apiVersion: apiVersionOf(PERSISTENT_VOLUME_SYNCS),
      kind: 'PersistentVolumeSync',
      metadata: { name: 'site' },
      spec: { protectedCluster: 'site', mode, cloudProvider: 'file', retention: 5, pollingInterval: 5 },
    });
  await toCluster('recovery');
  await go('Sync');
  await page.getByRole('img', { name: /^Restores: / }).waitFor(PATIENT);
  await page.getByRole('img', { name: /^Exports: / }).waitFor(PATIENT);
  await page.getByRole('button', { name: 'Work out the plan' }).click();
  await page.getByText('Nothing would change').waitFor(PATIENT);
  await confirm('Start a drill');
  await page.getByText('Passed', { exact: true }).waitFor(PATIENT);
  await go('Volumes');
  await page.getByRole('link', { name: 'customers' }).click();
  const holding = page.getByRole('region', { name: 'Exports that hold it' });
  await holding
    .getByText(/^site\/\d+_storage_objects\.json$/)
    .first()
    .waitFor(PATIENT);
});

test('a console that is started again is heard again, with what is true then', async () => {
  await toCluster('protected');
  await go('Volumes');
  await page.getByRole('searchbox', { name: 'Search volumes' }).fill('made-just-now');
  await page.getByRole('link', { name: 'made-just-now' }).waitFor();
  const { port } = demo;
  await demo[Symbol.asyncDispose]();
  await page.getByText('Disconnected').waitFor();
  demo = await DemoProcess.open(port);
  await page.getByText('Live', { exact: true }).waitFor(PATIENT);
  await page.getByText('No volume is like that').waitFor(PATIENT);
});

const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
const aVolume = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels: SYNCED },
  spec: {
    ...common,
    capacity: { storage: '5Gi' },
    nfs: { server: 'nfs.example.com', path: `/exports/${name}` },
    persistentVolumeReclaimPolicy: 'Retain',
  },
});
const aClaim = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', labels: SYNCED },
  spec: { ...common, volumeName: name, resources: { requests: { storage: '5Gi' } } },
});
