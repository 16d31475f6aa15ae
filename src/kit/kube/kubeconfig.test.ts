import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutated } from '../../../test/arbitraries/mutation.ts';
import { createAuthority } from '../certificates.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { kubeconfigAccess } from './kubeconfig.ts';
import { currentContext } from './kubeconfig-files.ts';
import { NoCluster } from './no-cluster.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-kubeconfig-'));
});
afterAll(() => rm(directory, { recursive: true }));

const path = (name: string): string => join(directory, name);
let serial = 0;

/** A kubeconfig file with one cluster and one user. */
async function file(cluster: object, user: object = {}, more: object = {}): Promise<string> {
  const name = path(`config-${++serial}`);
  const config = {
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server: 'https://api.example:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    ...more,
  };
  await writeFile(name, JSON.stringify(config));
  return name;
}

const access = async (cluster: object, user?: object, more?: object) =>
  kubeconfigAccess([await file(cluster, user, more)], new VirtualClock());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const textOf = (part: string | Buffer | undefined): string | undefined => part?.toString();

describe('a kubeconfig', () => {
  test('leads to the server, namespace and proxy of its current context', async () => {
    const contexts = [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'shop' } }];
    const found = await access(
      { server: 'https://api.example/k8s/', 'proxy-url': 'socks5://proxy:1080' },
      {},
      { contexts },
    );
    expect(found).toMatchObject({ namespace: 'shop', from: expect.stringContaining('config-') });
    expect([found.server.href, found.proxy?.href]).toEqual(['https://api.example/k8s/', 'socks5://proxy:1080']);
  });

  test('may have certificates within', async () => {
    const { certificate, key } = createAuthority('x').issueClient({ commonName: 'me' });
    const found = await access(
      { 'certificate-authority-data': base64('CA') },
      { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
    );
    const { ca, cert, key: usedKey } = found.tls();
    expect([textOf(ca), textOf(cert), textOf(usedKey)]).toEqual(['CA', certificate, key]);
    expect(await found.authorize(false)).toEqual({});
  });

  test('may name files beside it, and a certificate that is replaced there is used from then on', async () => {
    await Promise.all(['ca', 'cert', 'key'].map((name) => writeFile(path(name), `${name} 1`)));
    const clock = new VirtualClock();
    const config = await file(
      { 'certificate-authority': 'ca' },
      { 'client-certificate': 'cert', 'client-key': path('key') },
    );
    const found = await kubeconfigAccess([config], clock);
    const before = found.tls();
    expect([before.ca, before.cert, before.key].map(textOf)).toEqual(['ca 1', 'cert 1', 'key 1']);
    await clock.advance(10_000);
    await found.authorize(false);
    expect(found.tls()).toBe(before);
    await writeFile(path('cert'), 'cert 2');
    await clock.advance(10_000);
    await found.authorize(false);
    expect(textOf(found.tls().cert)).toBe('cert 2');
  });

  test('may say what name the server has, and that its certificate is not to be checked', async () => {
    const found = await access({ 'tls-server-name': 'kubernetes', 'insecure-skip-tls-verify': true });
    expect(found.tls()).toEqual({ servername: 'kubernetes', rejectUnauthorized: false });
  });

  test('may do without a user: the authority of its cluster counts all the same', async () => {
    const contexts = [{ name: 'c', context: { cluster: 'k' } }];
    const found = await access({ 'certificate-authority-data': base64('CA') }, {}, { contexts, users: null });
    expect(textOf(found.tls().ca)).toBe('CA');
  });

  test('may lead to a server without TLS, as kubectl proxy is one', async () => {
    const found = await access({ server: 'http://127.0.0.1:8001' });
    expect(found.server.href).toBe('http://127.0.0.1:8001/');
  });

  test.each([
    [{ token: 'secret' }, { authorization: 'Bearer secret' }],
    [{ username: 'me', password: 'pass' }, { authorization: `Basic ${base64('me:pass')}` }],
    [
      { token: 'secret', as: 'somebody' },
      { authorization: 'Bearer secret', 'impersonate-user': 'somebody' },
    ],
  ])('says who we are by %o', async (user, headers) => {
    expect(await (await access({}, user)).authorize(false)).toEqual(headers);
  });

  test('may name a token file, which counts before a token and is read again when it is replaced', async () => {
    await writeFile(path('token'), 'first\n');
    const clock = new VirtualClock();
    const found = await kubeconfigAccess([await file({}, { tokenFile: 'token', token: 'old' })], clock);
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
    await writeFile(path('token'), 'second\n');
    await clock.advance(10_000);
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer second' });
    await writeFile(path('token'), 'third\n');
    expect(await found.authorize(true)).toEqual({ authorization: 'Bearer third' });
  });

  test('that was rewritten is read again when the server refuses what it said', async () => {
    const config = await file({}, { token: 'old' });
    const found = await kubeconfigAccess([config], new VirtualClock());
    await writeFile(config, (await readFile(config, 'utf8')).replace('old', 'new'));
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer old' });
    expect(await found.authorize(true)).toEqual({ authorization: 'Bearer new' });
  });
});

describe('several kubeconfigs', () => {
  test('are merged: the first current context counts, and of entries with one name the first', async () => {
    await mkdir(path('other'));
    await writeFile(path('other/ca'), 'CA of the other directory');
    const first = await file({ server: 'https://first' }, { token: 'first' }, { contexts: [], 'current-context': '' });
    const second = join(path('other'), 'config');
    const contexts = [{ name: 'd', context: { cluster: 'k2', user: 'u' } }];
    const clusters = [
      { name: 'k', cluster: { server: 'https://second' } },
      { name: 'k2', cluster: { server: 'https://third', 'certificate-authority': 'ca' } },
    ];
    const users = [{ name: 'u', user: { token: 'second' } }];
    await writeFile(second, JSON.stringify({ 'current-context': 'd', clusters, users, contexts }));
    const found = await kubeconfigAccess([first, second], new VirtualClock());
    expect(found.server.host).toBe('third');
    expect(textOf(found.tls().ca)).toBe('CA of the other directory');
    expect(await found.authorize(false)).toEqual({ authorization: 'Bearer first' });
  });

  test('lead where another context does, if that is named', async () => {
    const clusters = ['a', 'b'].map((name) => ({ name, cluster: { server: `https://${name}.example` } }));
    const contexts = ['a', 'b'].map((name) => ({ name, context: { cluster: name } }));
    const config = path('two-contexts');
    await writeFile(config, JSON.stringify({ 'current-context': 'a', clusters, contexts }));
    expect((await kubeconfigAccess([config], new VirtualClock())).server.host).toBe('a.example');
    expect((await kubeconfigAccess([config], new VirtualClock(), 'b')).server.host).toBe('b.example');
    await expect(kubeconfigAccess([config], new VirtualClock(), 'c')).rejects.toThrow(
      'has no context "c", which is named by --context',
    );
  });

  test('may be empty, all but one', async () => {
    await writeFile(path('empty'), '');
    const found = await kubeconfigAccess([path('empty'), await file({})], new VirtualClock());
    expect(found.server.host).toBe('api.example:6443');
  });
});

describe('a kubeconfig that cannot be used says why:', () => {
  const context = (more: object) => ({ contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...more } }] });
  test.each<[string, object, object, string]>([
    ['no current context', {}, { 'current-context': '' }, 'has no current context; choose one with: kubectl config'],
    ['no such context', {}, { contexts: [] }, 'has no context "c", which is its current one; choose another context'],
    ['no such cluster', {}, { clusters: [] }, 'has no server for cluster "k" of context "c"'],
    ['no such user', {}, context({ user: 'v' }), 'has no user "v", whom context "c" names'],
    ['no server', { server: '' }, {}, 'has no server for cluster "k"'],
    ['no address', { server: 'ftp://x' }, {}, 'the server of cluster "k" in'],
    ['an unknown proxy', { 'proxy-url': 'ftp://x' }, {}, 'the proxy-url of cluster "k" in'],
    ['another shape', { server: 7 }, {}, 'is not a kubeconfig: '],
  ])('%s', async (_, cluster, more, message) => {
    await expect(access(cluster, {}, more)).rejects.toThrow(message);
    await expect(access(cluster, {}, more)).rejects.toMatchObject({ name: 'NoCluster' });
  });

  test('no YAML', async () => {
    await writeFile(path('broken'), 'a: [1');
    await expect(kubeconfigAccess([path('broken')], new VirtualClock())).rejects.toThrow('is not a kubeconfig: ');
  });

  test('a file that is not there', async () => {
    const missing = access({ 'certificate-authority': 'nowhere' });
    await expect(missing).rejects.toThrow(path('nowhere'));
  });
});

describe('an exec plugin', () => {
  /** Counts its runs and gives a token with that number. */
  async function plugin(name: string, status: object = {}, env: object[] = []) {
    const answer = JSON.stringify({ kind: 'ExecCredential', status: { token: 'run-COUNT', ...status } });
    const script = [
      '#!/bin/sh',
      `echo run >> ${path(name)}.runs`,
      `echo "$KUBERNETES_EXEC_INFO" > ${path(name)}.info`,
      `printf '%s' '${answer}' | sed "s/COUNT/$(wc -l < ${path(name)}.runs | tr -d ' ')$GREETING/"`,
    ];
    await writeFile(path(name), script.join('\n'));
    await chmod(path(name), 0o755);
    const clock = new VirtualClock();
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: `./${name}`, env, provideClusterInfo: true };
    const found = await kubeconfigAccess([await file({}, { exec })], clock);
    const runs = async () => (await readFile(`${path(name)}.runs`, 'utf8')).length / 'run\n'.length;
    return { clock, found, runs };
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('is run once as long as its answer has not expired, beside the file that names it', async () => {
    const { clock, found, runs } = await plugin('lasting', { expirationTimestamp: '2100-01-01T00:00:00Z' });
    for (let i = 0; i < 5; i++) {
      expect(await found.authorize(false)).toEqual(bearer('run-1'));
      await clock.advance(60_000);
    }
    expect(await runs()).toBe(1);
  });

  test('is run again when its answer has expired', async () => {
    const { clock, found } = await plugin('expiring', { expirationTimestamp: '2000-01-01T00:00:00Z' });
    expect(await found.authorize(false)).toEqual(bearer('run-1'));
    await clock.advance(10_000);
    expect(await found.authorize(false)).toEqual(bearer('run-2'));
  });

  test('is run again when the server refuses its answer, once for all who were refused', async () => {
    const { found, runs } = await plugin('refused');
    const answers = await Promise.all([found.authorize(true), found.authorize(true), found.authorize(true)]);
    expect(answers).toEqual([bearer('run-2'), bearer('run-2'), bearer('run-2')]);
    expect(await runs()).toBe(2);
  });

  test('may give a certificate, and gets the variables of the file and what kubectl would tell it', async () => {
    const { certificate, key } = createAuthority('x').issueClient({ commonName: 'me' });
    const status = { clientCertificateData: certificate, clientKeyData: key };
    const { found } = await plugin('certified', status, [{ name: 'GREETING', value: '-hello' }]);
    expect(await found.authorize(false)).toEqual(bearer('run-1-hello'));
    expect([textOf(found.tls().cert), textOf(found.tls().key)]).toEqual([certificate, key]);
    expect(JSON.parse(await readFile(path('certified.info'), 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://api.example:6443' } },
    });
  });

  test('that fails is named, with what it said and how to get it', async () => {
    await writeFile(path('failing'), '#!/bin/sh\necho please log in >&2\nexit 3\n');
    await chmod(path('failing'), 0o755);
    await expect(access({}, { exec: { command: path('failing') } })).rejects.toThrow(
      `the exec plugin ${path('failing')} of user "u" failed: please log in.`,
    );
    const missing = { exec: { command: 'holdfast-no-such-plugin', installHint: 'Install it from the shop.' } };
    await expect(access({}, missing)).rejects.toThrow(/holdfast-no-such-plugin.*ENOENT.*Install it from the shop\./);
  });
});

test('a file that is no kubeconfig, or leads nowhere, is refused in our own words', async () => {
  const good = JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server: 'https://api.example:6443' } }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  });
  const texts = fc.oneof(fc.string(), fc.json(), mutated(fc.constant(good), '{}[]",:&*!|>-cku \n'));
  const name = path('strange');
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      await writeFile(name, text);
      const found = await currentContext([name]).catch((error: unknown) => error);
      if (found instanceof Error) expect(found).toBeInstanceOf(NoCluster);
      else expect(found).toMatchObject({ cluster: { server: expect.stringMatching(/./) } });
    }),
  );
});
