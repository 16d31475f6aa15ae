import { afterAll, beforeAll, describe, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { RawClient } from '../../harness/raw-client.ts';
import { createServiceAccount, userCertificate } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const VOLUMES = '/api/v1/persistentvolumes';
const reader = { verbs: ['get', 'list'], apiGroups: [''], resources: ['persistentvolumes'] };

describe.concurrent('a user', () => {
  it('limits a service account to its cluster-wide rules', async ({ expect }) => {
    await using user = await createServiceAccount(controlPlane, { name: 'reader', clusterRules: [reader] });
    expect((await user.client.list(VOLUMES)).items).toEqual([]);
    expect((await user.client.request('POST', VOLUMES, {})).status).toBe(403);
    expect((await user.client.request('GET', '/api/v1/secrets')).status).toBe(403);
    expect(await user.can({ verb: 'list', resource: 'persistentvolumes' })).toBe(true);
    expect(await user.can({ verb: 'delete', resource: 'persistentvolumes' })).toBe(false);
  });

  it('limits a service account to its namespaces', async ({ expect }) => {
    const rules = [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }];
    await using user = await createServiceAccount(controlPlane, { name: 'writer', namespaceRules: { default: rules } });
    await user.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'ours' } });
    const elsewhere = await user.client.request('POST', '/api/v1/namespaces/kube-system/configmaps', {
      metadata: { name: 'theirs' },
    });
    expect(elsewhere.status).toBe(403);
  });

  it('grants paths that are no resources', async ({ expect }) => {
    const metrics = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
    await using user = await createServiceAccount(controlPlane, { name: 'scraper', clusterRules: [metrics] });
    expect(await user.can({ verb: 'get', path: '/metrics' })).toBe(true);
    expect(await user.can({ verb: 'get', path: '/logs' })).toBe(false);
  });

  it('rotates a token, for the client too', async ({ expect }) => {
    await using user = await createServiceAccount(controlPlane, { name: 'rotated', clusterRules: [reader] });
    const before = user.token;
    const after = await user.rotate({ expirationSeconds: 600 });
    expect(after).not.toBe(before);
    expect(user.token).toBe(after);
    expect(lifetime(after)).toBe(600);
    expect((await user.client.list(VOLUMES)).items).toEqual([]);
  });

  it('lets a token die with the object that it is bound to', async ({ expect }) => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const { metadata } = await controlPlane.admin.post(secrets, { metadata: { name: 'anchor' } });
    const token = { boundTo: { kind: 'Secret', name: 'anchor', uid: metadata.uid } } as const;
    await using user = await createServiceAccount(controlPlane, { name: 'bound', clusterRules: [reader], token });
    expect((await user.client.list(VOLUMES)).items).toEqual([]);
    await controlPlane.admin.delete(`${secrets}/anchor`);
    await eventually(async () => (await user.client.request('GET', VOLUMES)).status === 401);
  });

  it('mints tokens of its own that the API server takes while they last', async ({ expect }) => {
    await using user = await createServiceAccount(controlPlane, { name: 'minted', clusterRules: [reader] });
    expect(await statusWith(user.mint(5))).toBe(200);
    expect(await statusWith(user.mint(-120))).toBe(401);
  });

  it('makes plain users with groups by certificate', async ({ expect }) => {
    const certificate = userCertificate(controlPlane, 'bob', ['storage', 'night shift']);
    await using bob = new RawClient({ url: controlPlane.url, ca: controlPlane.ca, certificate });
    const review = await bob.post<{ status: unknown }>('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    const groups = ['storage', 'night shift', 'system:authenticated'];
    expect(review.status).toMatchObject({ userInfo: { username: 'bob', groups } });
    expect((await bob.request('GET', VOLUMES)).status).toBe(403);
  });
});

async function statusWith(token: string): Promise<number> {
  await using client = new RawClient({ url: controlPlane.url, ca: controlPlane.ca, token });
  return (await client.request('GET', VOLUMES)).status;
}

function lifetime(token: string): number {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return claims.exp - claims.iat;
}
