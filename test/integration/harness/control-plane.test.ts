import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPlaneBinaries } from '../../harness/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { RawClient } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ metadata: { name } });

let shared: ControlPlane;
beforeAll(async () => {
  shared = await startControlPlane();
});
afterAll(() => shared?.[Symbol.asyncDispose]());

describe('a control plane', () => {
  it('serves the admin by token, by certificate and by its kubeconfig', async () => {
    const { url, ca, adminToken, credentials } = shared;
    await using byToken = new RawClient({ url, ca, token: adminToken });
    await using byCertificate = new RawClient({ url, ca, certificate: credentials.admin, http2: true });
    expect((await byToken.get('/api/v1/namespaces/default')).kind).toBe('Namespace');
    expect((await byCertificate.get('/api/v1/namespaces/default')).kind).toBe('Namespace');
    const kubectl = join(controlPlaneBinaries(), 'kubectl');
    const { stdout } = await promisify(execFile)(kubectl, ['get', 'ns', 'default', '-o', 'name'], {
      env: { KUBECONFIG: shared.kubeconfig, HOME: shared.directory },
    });
    expect(stdout).toBe('namespace/default\n');
  });

  it('comes back on the same address, with its data, after its parts were killed', async () => {
    const { admin, apiServer, etcd } = shared;
    await admin.post(CONFIG_MAPS, configMap('kept'));
    await Promise.all([apiServer.kill(), etcd.kill()]);
    await expect(admin.get(CONFIG_MAPS)).rejects.toThrow('ECONNREFUSED');
    await Promise.all([apiServer.start(), etcd.start()]);
    expect((await admin.get(`${CONFIG_MAPS}/kept`)).metadata.name).toBe('kept');
  });

  it('goes back to a snapshot, resource versions included', async () => {
    const { admin } = shared;
    await admin.post(CONFIG_MAPS, configMap('before'));
    const before = await admin.list(CONFIG_MAPS);
    const snapshot = await shared.snapshot();
    for (let i = 1; i < 20; i++) await admin.post(CONFIG_MAPS, configMap(`after-${i}`));
    const last = await admin.post(CONFIG_MAPS, configMap('last'));

    await shared.restore(snapshot);
    const { items, metadata } = await admin.list(CONFIG_MAPS);
    expect(items).toEqual(before.items);
    expect(Number(metadata.resourceVersion)).toBeLessThan(Number(last.metadata.resourceVersion));
    await admin.post(CONFIG_MAPS, configMap('again'));

    await using copy = await startControlPlane({ dataFrom: snapshot });
    expect((await copy.admin.list(CONFIG_MAPS)).items).toEqual(before.items);
  });

  it('answers nothing while it is paused', async () => {
    const { admin, apiServer } = shared;
    await apiServer.pause();
    const answer = admin.request('GET', '/readyz');
    const first = await Promise.race([answer, eventually(() => false, { timeout: 300 }).catch(() => 'silence')]);
    expect(first).toBe('silence');
    await apiServer.resume();
    expect((await answer).status).toBe(200);
  });

  it('remembers nothing from before its start in its watch cache', async () => {
    const { admin, apiServer } = shared;
    const old = await admin.post(CONFIG_MAPS, configMap('old'));
    await admin.post(CONFIG_MAPS, configMap('newer'));
    const watch = `${CONFIG_MAPS}?watch=true&resourceVersion=${old.metadata.resourceVersion}`;
    await shared.compact();
    expect((await first(await admin.watch(watch)))?.object.metadata.name).toBe('newer');
    await apiServer.kill();
    await apiServer.start();
    const event = await first(await admin.watch(watch));
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('tells a watch and a paged list from before a compaction that their history is gone', async () => {
    await using controlPlane = await startControlPlane({ apiServerFlags: ['--watch-cache=false'] });
    const { admin } = controlPlane;
    const old = await admin.post(CONFIG_MAPS, configMap('a'));
    await admin.post(CONFIG_MAPS, configMap('b'));
    const watch = `${CONFIG_MAPS}?watch=true&resourceVersion=${old.metadata.resourceVersion}`;
    const page = await admin.list(`${CONFIG_MAPS}?limit=1`);
    const next = `${CONFIG_MAPS}?limit=1&continue=${page.metadata.continue}`;
    expect((await first(await admin.watch(watch)))?.object.metadata.name).toBe('b');
    expect((await admin.request('GET', next)).status).toBe(200);

    await admin.post(CONFIG_MAPS, configMap('c'));
    await controlPlane.compact();
    const event = await first(await admin.watch(watch));
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect((await admin.request('GET', next)).status).toBe(410);
  });

  it('records who did what, and what they sent where rules ask for it', async () => {
    const resources = [{ group: '', resources: ['configmaps'] }];
    await using controlPlane = await startControlPlane({ audit: [{ level: 'RequestResponse', resources }] });
    await controlPlane.admin.post(CONFIG_MAPS, { ...configMap('seen'), data: { key: 'value' } });
    await controlPlane.admin.get('/api/v1/namespaces/default');
    const record = await eventually(
      async () => (await controlPlane.auditLog()).find(({ verb }) => verb === 'create') ?? false,
    );
    expect(record).toMatchObject({
      user: { username: 'admin' },
      objectRef: { resource: 'configmaps', name: 'seen' },
      requestObject: { data: { key: 'value' } },
      responseStatus: { code: 201 },
    });
    expect((await controlPlane.auditLog()).every(({ objectRef }) => objectRef?.resource === 'configmaps')).toBe(true);
  });

  it('takes feature gates', async () => {
    await using controlPlane = await startControlPlane({ featureGates: { WatchList: false } });
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const refused = await controlPlane.admin.request('GET', `${CONFIG_MAPS}?${query}`);
    expect(refused.status).toBe(422);
  });

  it('binds claims and schedules pods when the controllers run', async () => {
    await using controlPlane = await startControlPlane({ controllers: true });
    const { admin } = controlPlane;
    await admin.post('/api/v1/persistentvolumes', {
      ...configMap('volume'),
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'none',
        hostPath: { path: '/x' },
      },
    });
    await admin.post('/api/v1/namespaces/default/persistentvolumeclaims', {
      ...configMap('claim'),
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
    });
    await eventually(async () => {
      expect(await admin.get('/api/v1/persistentvolumes/volume')).toMatchObject({ status: { phase: 'Bound' } });
    });
    await admin.post('/api/v1/nodes', {
      ...configMap('node'),
      status: { allocatable: { cpu: '1', memory: '1Gi', pods: '9' } },
    });
    await admin.patch('/api/v1/nodes/node', { spec: { taints: null } });
    await admin.post('/api/v1/namespaces/default/pods', {
      ...configMap('pod'),
      spec: { containers: [{ name: 'c', image: 'none' }], tolerations: [{ operator: 'Exists' }] },
    });
    await eventually(async () => {
      expect(await admin.get('/api/v1/namespaces/default/pods/pod')).toMatchObject({ spec: { nodeName: 'node' } });
    });
    await controlPlane.controllerManager.kill();
    await controlPlane.controllerManager.start();
    await controlPlane.scheduler.kill();
  });

  it('takes another port when the first is taken', async () => {
    const other = createServer();
    const taken = await eventually(async () => {
      const port = 20_000 + Math.floor(Math.random() * 12_000);
      await once(other.listen(port, '127.0.0.1'), 'listening');
      return port;
    });
    const choices = [(taken - 20_000 + 0.5) / 12_000];
    await using controlPlane = await startControlPlane({ random: () => choices.shift() ?? Math.random() });
    expect(choices).toEqual([]);
    expect(new URL(controlPlane.url).port).not.toBe(String(taken));
    expect((await controlPlane.admin.get('/api/v1/namespaces/default')).kind).toBe('Namespace');
    other.close();
  });

  it('shows the log of a component that does not start', async () => {
    const failed = startControlPlane({ apiServerFlags: ['--no-such-flag'] });
    await expect(failed).rejects.toThrow(/kube-apiserver ended \(exit code 1\)[\s\S]*unknown flag: --no-such-flag/);
  });
});

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
