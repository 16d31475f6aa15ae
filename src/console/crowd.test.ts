/** Many who ask, and one who asks much: nobody keeps the others out, nor the API server busy. */
import { describe, expect, test, vi } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import type { Transport } from '../kit/kube/transport.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../sandbox/kinds/resources.ts';
import { PERSISTENT_VOLUME_SYNCS } from '../sync/contract.ts';
import { NO_KEYS } from '../sync/export/keys.ts';
import { TokenDoor } from './access.ts';
import { ConsoleCluster } from './cluster.ts';
import { EVERYTHING, type Rights } from './rights.ts';
import { SimulatedConsole } from './simulated-console.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Somebody who may read all; gives their token. */
function somebody({ cluster, objects }: SimulatedConsole, name: string): string {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  objects.create(CLUSTER_ROLES, { metadata: { name }, rules } as KubeObject);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  objects.create(CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef, subjects } as KubeObject);
  return cluster.access.tokens.give({ name, groups: ['system:authenticated'] });
}

describe('tokens that nobody has brought before', () => {
  test('are asked about so often and no more, and those who are known are let in all the same', async () => {
    const clock = new VirtualClock();
    await using console = await SimulatedConsole.open({ withTokens: true, clock });
    const token = somebody(console, 'ada');
    const hello = async (of: string) => {
      const { status, header, json } = await console.ask('/api/hello', { headers: bearer(of) });
      return { status, retryAfter: header('retry-after'), user: (json() as { readonly user?: string }).user };
    };
    expect(await hello(token)).toMatchObject({ user: 'ada' });
    const guess = async (round: number) => {
      const statuses = await Array.fromAsync(
        { length: 60 },
        async (_, index) => (await hello(`${round}-${index}`)).status,
      );
      return statuses.filter((status) => status === 503).length;
    };
    expect(await guess(1)).toBe(11);
    expect(await hello('one-more')).toEqual({ status: 503, retryAfter: '2', user: undefined });
    expect(await hello(token)).toMatchObject({ user: 'ada' });
    await clock.advance(31_000);
    expect(await guess(2)).toBe(10);
    expect(await hello(token)).toMatchObject({ user: 'ada' });
  });

  test('push nobody out who is known', async () => {
    const clock = new VirtualClock();
    await using console = await SimulatedConsole.open({ withTokens: true, clock });
    const token = somebody(console, 'ada');
    const ask = (of: string) => console.ask('/api/clusters/here/volumes/x', { headers: bearer(of) });
    expect((await ask(token)).status).toBe(404);
    for (let round = 0; round < 12; round++) {
      for (let index = 0; index < 45; index++) expect((await ask(`${round}-${index}`)).status).toBe(401);
      await clock.advance(10_000);
    }
    for (let index = 0; index < 50; index++) await ask(`last-${index}`);
    expect((await ask('last')).status).toBe(503);
    expect((await ask(token)).status).toBe(404);
  }, 30_000);

  test('are asked about sixteen at a time, if the API server takes its time', async () => {
    const silent: Transport = { request: () => new Promise(() => {}), close: async () => {} };
    const clock = new VirtualClock();
    const client = new KubeClient({ transport: silent, clock, random: () => 0.5 });
    const cluster = aCluster(clock, client);
    const door = new TokenDoor({ clock, clientFor: () => client });
    const answers: unknown[] = [];
    for (let index = 0; index < 20; index++)
      door.callerIn(cluster, `Bearer t${index}`).then(
        (answer) => answers.push(answer),
        () => {},
      );
    door.callerIn(cluster, 'Bearer t0').then(
      (answer) => answers.push(answer),
      () => {},
    );
    await vi.waitFor(() => expect(answers).toMatchObject(Array(4).fill({ status: 503 })));
  });
});

function aCluster(clock: VirtualClock, client: KubeClient): ConsoleCluster {
  const random = () => 0.5;
  return new ConsoleCluster({ name: 'x', title: 'x', client, clock, random, log: new RecordingLog(), instance: 'i' });
}

describe('one user', () => {
  test('has eight streams at most, and the others have theirs', async () => {
    await using console = await SimulatedConsole.open({ withTokens: true });
    const [ada, bob] = [somebody(console, 'ada'), somebody(console, 'bob')];
    const all = await Promise.all(Array.from({ length: 8 }, () => console.follow(undefined, bearer(ada))));
    const refused = await console.ask('/api/clusters/here/live', { headers: bearer(ada) });
    expect([refused.status, refused.header('retry-after')]).toEqual([429, '2']);
    expect(refused.text).toContain('in 8 places already');
    using other = await console.follow(undefined, bearer(bob));
    expect(other.response.statusCode).toBe(200);
    all[0]?.[Symbol.dispose]();
    await vi.waitFor(async () => {
      using again = await console.follow(undefined, bearer(ada));
      expect(again.response.statusCode).toBe(200);
    });
    for (const each of all) each[Symbol.dispose]();
  });

  test('has one plan made at a time, and the others have theirs', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    let opened = 0;
    const open = () => {
      opened += 1;
      return promise;
    };
    await using console = await SimulatedConsole.open({ withTokens: true, store: { open, keys: () => NO_KEYS } });
    console.objects.create(PERSISTENT_VOLUME_SYNCS, {
      metadata: { name: 'site' },
      spec: { protectedCluster: 'site', mode: 'Recovery', cloudProvider: 'file', retention: 1 },
    });
    await vi.waitFor(() => expect(console.console.views.syncs.size).toBe(1));
    const [ada, bob] = [somebody(console, 'ada'), somebody(console, 'bob')];
    const plan = (token: string) => console.ask('/api/clusters/here/syncs/site/plan', { headers: bearer(token) });
    const first = plan(ada);
    await vi.waitFor(() => expect(opened).toBe(1));
    expect((await plan(ada)).status).toBe(429);
    const second = plan(bob);
    await vi.waitFor(() => expect(opened).toBe(2));
    reject(new Error('the store is away'));
    expect([(await first).status, (await second).status, (await plan(ada)).status]).toEqual([200, 200, 200]);
  });
});

describe('what is sent to those who have the same rights', () => {
  const clock = new VirtualClock();
  const transport: Transport = { request: () => new Promise(() => {}), close: async () => {} };
  const client = new KubeClient({ transport, clock, random: () => 0.5 });
  const rights: Rights = { ...EVERYTHING };

  test('is worked out for a few seconds after the last of them has gone, and no longer', async () => {
    const cluster = aCluster(clock, client);
    const leave = cluster.feedFor(rights)?.subscribe({ next: () => {} });
    await clock.advance(60_000);
    const feed = cluster.feedFor(rights);
    leave?.();
    await clock.advance(9_000);
    expect(cluster.feedFor(rights)).toBe(feed);
    await clock.advance(21_000);
    expect(cluster.feeds).toBe(0);
    expect(cluster.feedFor(rights)).not.toBe(feed);
  });

  test('is kept where it is everything', async () => {
    const cluster = aCluster(clock, client);
    const feed = cluster.feedFor(EVERYTHING);
    cluster.feedFor(rights);
    await clock.advance(60_000);
    expect([cluster.feeds, cluster.feedFor(EVERYTHING)]).toEqual([1, feed]);
  });

  test('is so for a few different rights at a time: whoever has still others is not let in while all of these are read', async () => {
    const cluster = aCluster(clock, client);
    const withPodsIn = (namespace: string): Rights => ({ ...EVERYTHING, pods: new Set([namespace]) });
    const leave = Array.from({ length: 32 }, (_, index) =>
      cluster.feedFor(withPodsIn(`team-${index}`))?.subscribe({ next: () => {} }),
    );
    expect(cluster.feedFor(withPodsIn('one-more'))).toBeUndefined();
    expect(cluster.feedFor(withPodsIn('team-3'))).toBeDefined();
    leave[5]?.();
    expect(cluster.feedFor(withPodsIn('one-more'))).toBeDefined();
    expect(cluster.feeds).toBe(32);
  });
});
