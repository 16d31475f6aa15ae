import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { type ClusterAccessOptions, clusterAccess } from './cluster-access.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-access-'));
  await mkdir(join(directory, 'home', '.kube'), { recursive: true });
  await mkdir(join(directory, 'pod'));
  for (const [file, server] of [
    ['flag', 'flag'],
    ['variable', 'variable'],
    ['home/.kube/config', 'home'],
  ] as const) {
    await write(file, kubeconfig(`https://${server}.example:6443`));
  }
  await Promise.all([write('pod/token', 'secret\n'), write('pod/ca.crt', 'CA 1'), write('pod/namespace', 'shop\n')]);
});
afterAll(() => rm(directory, { recursive: true }));

const path = (name: string): string => join(directory, name);
const write = (name: string, text: string): Promise<void> => writeFile(path(name), text);
const kubeconfig = (server: string): string =>
  JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
  });
const access = (options: Partial<ClusterAccessOptions>) =>
  clusterAccess({ clock: new VirtualClock(), env: {}, serviceAccountDirectory: path('pod'), ...options });
const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const environment = () => ({ KUBECONFIG: path('variable'), ...inPod, HOME: path('home') });

describe('the cluster is', () => {
  test('that of the flag before all others', async () => {
    const { server, from } = await access({ kubeconfig: path('flag'), env: environment() });
    expect([server.host, from]).toEqual(['flag.example:6443', path('flag')]);
  });

  test('that of KUBECONFIG without the flag', async () => {
    expect((await access({ env: environment() })).server.host).toBe('variable.example:6443');
  });

  test('that of the first of several files in KUBECONFIG that has a current context; some may be missing', async () => {
    await write('without-context', JSON.stringify({ clusters: [] }));
    const KUBECONFIG = ['/nowhere', '', path('without-context'), path('variable'), path('flag')].join(':');
    expect((await access({ env: { KUBECONFIG } })).server.host).toBe('variable.example:6443');
  });

  test('the one around the pod without either', async () => {
    const { server, from } = await access({ env: { ...inPod, HOME: path('home') } });
    expect([server.href, from]).toEqual(['https://10.96.0.1/', 'the service account of this pod']);
  });

  test('that of ~/.kube/config outside of a pod', async () => {
    expect((await access({ env: { HOME: path('home') } })).server.host).toBe('home.example:6443');
  });

  test('at the address of --master, whoever we are', async () => {
    const byFile = await access({ kubeconfig: path('flag'), master: 'https://10.0.0.9:6443' });
    expect(byFile.server.href).toBe('https://10.0.0.9:6443/');
    const byPod = await access({ env: inPod, master: '10.0.0.9:6443' });
    expect(byPod.server.href).toBe('https://10.0.0.9:6443/');
    expect(await byPod.authorize(false)).toEqual({ authorization: 'Bearer secret' });
  });

  test('only known by --master when nothing else is there: then we are nobody', async () => {
    const found = await access({ master: 'http://127.0.0.1:8080' });
    expect([found.server.href, await found.authorize(false)]).toEqual(['http://127.0.0.1:8080/', {}]);
  });

  test('reached through the proxy of the environment', async () => {
    const env = { ...environment(), HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'flag.example' };
    expect((await access({ env })).proxy?.href).toBe('http://proxy:3128/');
    expect((await access({ env, kubeconfig: path('flag') })).proxy).toBeUndefined();
  });
});

describe('there is no cluster, and it is said what to give,', () => {
  test('when nothing says where one is', async () => {
    await expect(access({ env: { HOME: path('pod') } })).rejects.toThrow(
      `this is not a pod and ${path('pod/.kube/config')} does not exist. Give --kubeconfig FILE.`,
    );
  });

  test('when there is no home either: the current directory is not looked into', async () => {
    await expect(access({})).rejects.toThrow('there is no home directory. Give --kubeconfig FILE.');
  });

  test.each([
    [{ kubeconfig: '/nowhere' }, '--kubeconfig names /nowhere, but there is no such file'],
    [{ env: { KUBECONFIG: '/nowhere:/neither' } }, 'KUBECONFIG names /nowhere, /neither, but there is no such file'],
    [{ env: inPod, serviceAccountDirectory: '/nowhere' }, 'Mount its token (automountServiceAccountToken)'],
    [{ env: inPod, master: 'ftp://x' }, '--master is "ftp://x", which is no address; give one like https://10.0'],
    [{ master: 'https://' }, '--master is "https://", which is no address'],
  ])('with %o', async (options, message) => {
    await expect(access(options)).rejects.toThrow(message);
  });

  test('when the token of the pod is empty', async () => {
    await mkdir(path('empty'));
    await Promise.all([write('empty/token', ' \n'), write('empty/ca.crt', 'CA')]);
    const pod = access({ env: inPod, serviceAccountDirectory: path('empty') });
    await expect(pod).rejects.toThrow('is empty. Mount its token');
  });
});

describe('in a pod', () => {
  async function aPod(name: string) {
    await mkdir(path(name));
    await Promise.all([
      write(`${name}/token`, 'first\n'),
      write(`${name}/ca.crt`, 'CA 1'),
      write(`${name}/namespace`, 'shop\n'),
    ]);
    const clock = new VirtualClock();
    return { clock, found: await access({ clock, env: inPod, serviceAccountDirectory: path(name) }) };
  }

  test('the namespace is that of the pod', async () => {
    const { found } = await aPod('namespaced');
    expect(found.namespace).toBe('shop');
  });

  test.each([
    ['fd00::1', 'https://[fd00::1]:6443/'],
    ['10.96.0.1', 'https://10.96.0.1:6443/'],
    ['kubernetes.default', 'https://kubernetes.default:6443/'],
  ])('the server is at the host %s', async (host, href) => {
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '6443' };
    expect((await access({ env })).server.href).toBe(href);
  });

  test('a token that was replaced is sent soon after, and at once when the old one is refused', async () => {
    const { clock, found } = await aPod('rotating');
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
    await write('rotating/token', 'second');
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
    await clock.advance(10_000);
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer second' });
    await write('rotating/token', 'third');
    expect(await found.authorize(true)).toEqual({ authorization: 'Bearer third' });
  });

  test('a token that is missing for a moment, or empty, is not missed', async () => {
    const { clock, found } = await aPod('missing');
    await rm(path('missing/token'));
    await clock.advance(10_000);
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
    await write('missing/token', '');
    await clock.advance(10_000);
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
    await expect(found.authorize(true)).rejects.toThrow(`the token file ${path('missing/token')} is empty`);
  });

  test('an authority that was replaced is used for new connections; otherwise nothing changes', async () => {
    const { found } = await aPod('renewed');
    const before = found.tls();
    expect([before, found.tls() === before]).toEqual([{ ca: 'CA 1' }, true]);
    await write('renewed/ca.crt', 'CA 2');
    expect(found.tls()).toEqual({ ca: 'CA 2' });
    await rm(path('renewed/ca.crt'));
    expect(found.tls()).toEqual({ ca: 'CA 2' });
  });
});
