import { describe, expect, test } from 'vitest';
import { Caches } from '../cache/caches.ts';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import { answer, FakeTransport, refusal } from '../kube/fake-transport.ts';
import { Elector } from '../lead/elector.ts';
import type { Lease } from '../lead/lease.ts';
import { NotLeading } from '../lead/lease-gate.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import type { Runnable } from './stage.ts';

describe('a manager', () => {
  test('starts services before controllers, and stops controllers before services', async () => {
    const { manager, journal, part } = aProcess();
    const run = start(manager({ services: [part('health')], controllers: [part('topology'), part('pool')] }));
    await settled();
    expect(journal).toEqual(['health starts', 'topology starts', 'pool starts']);
    run.stop.abort();
    await run.ended;
    expect(journal.slice(3)).toEqual(['topology ends', 'pool ends', 'health ends']);
  });

  test('keeps the services up until the last controller has finished its work', async () => {
    const { manager, journal, part } = aProcess();
    const work = Promise.withResolvers<void>();
    const slow = part('slow', () => work.promise);
    const run = start(manager({ services: [part('health')], controllers: [slow] }));
    await settled();
    run.stop.abort();
    await settled();
    expect(journal).not.toContain('health ends');
    work.resolve();
    await run.ended;
    expect(journal.slice(-2)).toEqual(['slow ends', 'health ends']);
  });

  test('starts no controller before the caches are complete, and says what is missing', async () => {
    const { manager, transport, caches, journal, part } = aProcess();
    transport.on('GET', '/api/v1/nodes', 'hang');
    const plural = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
    caches.view(plural, { project: (node) => node });
    const it = manager({ controllers: [part('topology')] });
    expect(it.notReady()).toEqual(['the process is starting']);
    const run = start(it);
    await settled();
    expect(it.notReady()).toEqual([expect.stringContaining('nodes')]);
    run.stop.abort();
    await run.ended;
    expect(journal).toEqual([]);
  });

  test('is ready while it runs, and not while it stops', async () => {
    const { manager, part } = aProcess();
    const work = Promise.withResolvers<void>();
    const it = manager({ controllers: [part('slow', () => work.promise)] });
    const run = start(it);
    await settled();
    expect(it.notReady()).toEqual([]);
    expect(it.unhealthy()).toEqual([]);
    run.stop.abort();
    await settled();
    expect(it.notReady()).toEqual(['the process is stopping']);
    work.resolve();
    await run.ended;
  });

  test('rejects when a controller fails, after all the others were stopped', async () => {
    const { manager, journal, part } = aProcess();
    const crash = Promise.withResolvers<void>();
    const fragile: Runnable = { name: 'pool', run: () => crash.promise };
    const run = start(manager({ services: [part('health')], controllers: [part('topology'), fragile] }));
    await settled();
    crash.reject(new Error('out of luck'));
    await expect(run.ended).rejects.toThrow('pool failed: out of luck');
    expect(journal.slice(-2)).toEqual(['topology ends', 'health ends']);
  });

  test('rejects when a part ends by itself', async () => {
    const { manager } = aProcess();
    const run = start(manager({ controllers: [{ name: 'pool', run: async () => undefined }] }));
    await expect(run.ended).rejects.toThrow('pool ended by itself');
  });

  test('rejects when a service cannot start', async () => {
    const { manager, part } = aProcess();
    const taken: Runnable = { name: 'health', run: () => Promise.reject(new Error('address already in use')) };
    const run = start(manager({ services: [taken], controllers: [part('topology')] }));
    await expect(run.ended).rejects.toThrow('health failed: address already in use');
  });

  test('rejects with the first failure when a second part fails in the drain', async () => {
    const { manager, part } = aProcess();
    const crash = Promise.withResolvers<void>();
    const second = part('second', () => Promise.reject(new Error('and I too')));
    const run = start(manager({ controllers: [{ name: 'first', run: () => crash.promise }, second] }));
    await settled();
    crash.reject(new Error('I am gone'));
    await expect(run.ended).rejects.toThrow('first failed: I am gone');
  });

  test('rejects when a part fails in the drain, although the stop was asked for', async () => {
    const { manager, part } = aProcess();
    const run = start(manager({ controllers: [part('pool', () => Promise.reject(new Error('could not finish')))] }));
    await settled();
    run.stop.abort();
    await expect(run.ended).rejects.toThrow('pool failed: could not finish');
  });

  test('gives up at the drain deadline, names who did not end, and has told everybody to stop', async () => {
    const { manager, clock, journal, part } = aProcess();
    const deaf = part('deaf', () => new Promise(() => {}));
    const run = start(manager({ services: [part('health')], controllers: [part('topology'), deaf], drainMs: 5_000 }));
    await settled();
    run.stop.abort();
    await clock.advance(4_999);
    expect(run.state()).toBe('running');
    await clock.advance(1);
    await expect(run.ended).rejects.toThrow('deaf had not ended 5 s after the stop');
    expect(journal.slice(-2)).toEqual(['topology ends', 'health ends']);
    expect(clock.pending).toBe(0);
  });

  test('does not wait for ever for the others when one controller fails', async () => {
    const { manager, clock, part } = aProcess();
    const crash = Promise.withResolvers<void>();
    const deaf = part('deaf', () => new Promise(() => {}));
    const run = start(manager({ controllers: [deaf, { name: 'pool', run: () => crash.promise }] }));
    await settled();
    crash.reject(new Error('out of luck'));
    await clock.advance(25_000);
    await expect(run.ended).rejects.toThrow('pool failed: out of luck');
  });

  test('ends well when it is told to stop before it has started', async () => {
    const { manager, part } = aProcess();
    await manager({ controllers: [part('topology')] }).run(AbortSignal.abort());
  });
});

describe('a manager with an election', () => {
  test('starts controllers only while it leads, and gives the lease back after they have ended', async () => {
    const { manager, transport, elector, journal, part } = aProcess();
    transport.on('GET', LEASE, refusal(404, 'NotFound', 'no such lease'));
    transport.on('POST', LEASES, held);
    transport.on('PUT', LEASE, ({ body }) => {
      if ((body as Lease).spec?.holderIdentity === '') journal.push('lease released');
      return answer(200, body);
    });
    const run = start(manager({ elector, controllers: [part('topology')] }));
    await settled();
    expect(journal).toEqual(['topology starts']);
    run.stop.abort();
    await run.ended;
    expect(journal).toEqual(['topology starts', 'topology ends', 'lease released']);
  });

  test('starts no controller while somebody else leads, and is ready all the same', async () => {
    const { manager, transport, elector, clock, journal, part } = aProcess();
    const other = { metadata: { ...META, uid: 'u', resourceVersion: '7' }, spec: { holderIdentity: 'other' } };
    transport.on('GET', LEASE, answer(200, other));
    const it = manager({ elector, controllers: [part('topology')] });
    const run = start(it);
    await clock.advance(10_000);
    expect(journal).toEqual([]);
    expect(it.notReady()).toEqual([]);
    run.stop.abort();
    await run.ended;
  });

  test('lets the last words be written after the controllers have ended and before the lease is given back', async () => {
    const { manager, transport, elector, journal, part } = aProcess();
    transport.on('GET', LEASE, refusal(404, 'NotFound', 'no such lease'));
    transport.on('POST', LEASES, held);
    transport.on('PUT', LEASE, ({ body }) => {
      if ((body as Lease).spec?.holderIdentity === '') journal.push('lease released');
      return answer(200, body);
    });
    const afterWork = async () => {
      journal.push(`last words, ${elector.gate.open ? 'leading' : 'not leading'}`);
    };
    const run = start(manager({ elector, afterWork, controllers: [part('topology')] }));
    await settled();
    run.stop.abort();
    await run.ended;
    expect(journal).toEqual(['topology starts', 'topology ends', 'last words, leading', 'lease released']);
  });

  test('rejects when the lease is lost, after the controllers have ended', async () => {
    const { manager, transport, elector, clock, journal, part } = aProcess();
    transport.on('GET', LEASE, refusal(404, 'NotFound', 'no such lease'));
    transport.on('POST', LEASES, held);
    transport.on('PUT', LEASE, 'hang');
    const run = start(manager({ elector, controllers: [part('topology')] }));
    await clock.advance(10_000);
    await expect(run.ended).rejects.toThrow('the lease was lost: another process may lead now');
    expect(journal).toEqual(['topology starts', 'topology ends']);
  });

  test('tells the controllers that it was the lease, so that they give up what they have begun', async () => {
    const { manager, transport, elector, clock } = aProcess();
    transport.on('GET', LEASE, refusal(404, 'NotFound', 'no such lease'));
    transport.on('POST', LEASES, held);
    transport.on('PUT', LEASE, refusal(500, 'InternalError', 'etcd is away'));
    const reasons: unknown[] = [];
    const witness: Runnable = {
      name: 'witness',
      run: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            resolve();
          });
        }),
    };
    const run = start(manager({ elector, controllers: [witness] }));
    await clock.advance(20_000);
    await expect(run.ended).rejects.toThrow('the lease was lost');
    expect(reasons).toEqual([expect.any(NotLeading)]);
  });

  test('is unhealthy when nothing has been done about the lease for long', async () => {
    const { manager, transport, elector, clock, part } = aProcess();
    transport.on('GET', LEASE, refusal(404, 'NotFound', 'no such lease'));
    transport.on('POST', LEASES, held);
    const it = manager({ elector, controllers: [part('topology')] });
    const run = start(it);
    await settled();
    expect(it.unhealthy()).toEqual([]);
    clock.leap(31_000);
    expect(it.unhealthy()).toEqual(['nothing was done about the lease ns/holdfast for 31 s']);
    run.stop.abort();
    await run.ended.catch(() => undefined);
  });
});

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
const LEASE = `${LEASES}/holdfast`;
const META = { namespace: 'ns', name: 'holdfast' };
const held = ({ body }: { readonly body: unknown }) =>
  answer(201, { ...(body as Lease), metadata: { ...META, uid: 'u', resourceVersion: '1' } });

function aProcess() {
  const clock = new VirtualClock();
  const random = () => 0;
  const log = new RecordingLog();
  const transport = new FakeTransport();
  const client = new KubeClient({ transport, clock, random });
  const caches = new Caches({ client, clock, random, log });
  const elector = new Elector({ client, clock, random, log, ...META, identity: 'me' });
  const journal: string[] = [];
  /** Works until it is told to stop, and then as long as `finish` takes. */
  const part = (name: string, finish: () => Promise<void> = async () => undefined): Runnable => ({
    name,
    async run(signal) {
      journal.push(`${name} starts`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await finish();
      journal.push(`${name} ends`);
    },
  });
  const manager = (options: Omit<ManagerOptions, 'clock' | 'log' | 'caches'>) =>
    new Manager({ clock, log, caches, ...options });
  return { clock, transport, caches, elector, journal, part, manager };
}

function start(manager: Manager) {
  const stop = new AbortController();
  let state = 'running';
  const ended = manager.run(stop.signal).finally(() => {
    state = 'ended';
  });
  ended.catch(() => undefined);
  return { stop, ended, state: () => state };
}
