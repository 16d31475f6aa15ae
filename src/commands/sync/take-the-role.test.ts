/** Failover and failback between two simulated clusters: what is looked at before anything is changed, and who may take over at all. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { ApiError } from '../../kit/kube/api-error.ts';
import { ENV, SYNC_ENABLED, SYNC_LABEL, type SyncSpec } from '../../sync/contract.ts';
import { type Keys, keysFrom, NO_KEYS } from '../../sync/export/keys.ts';
import { encryptionText, signingPair } from '../../sync/export/sample-keys.ts';
import { aPair } from '../../sync/recover/builders.ts';
import { SimulatedSite } from '../../sync/simulated-site.ts';
import { SimulatedStore } from '../../sync/store/simulated-store.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { failOver, follow } from './failover.ts';
import { type RoleOptions, takeTheRole } from './take-the-role.ts';

const { signal } = new AbortController();

class World {
  readonly clock = new VirtualClock();
  readonly store = new SimulatedStore(this.clock);
  readonly here = this.site('here');
  readonly there = this.site('there');

  site(name: string): SimulatedSite {
    return new SimulatedSite(this.clock, name, this.store);
  }

  async settle(ms = 5_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) await this.clock.advance(100);
  }

  /** Exported here, and restored there. */
  async carry(here: Partial<SyncSpec> = {}, there: Partial<SyncSpec> = {}): Promise<void> {
    this.has(this.here, 'a');
    this.here.declare('dr', here);
    this.there.declare('dr', { mode: 'Recovery', pollingInterval: 1, ...there });
    this.here.start();
    this.there.start();
    await this.settle();
    expect(this.there.conditions('dr')).toBe('InSync=True InSync');
  }

  has(site: SimulatedSite, name: string): void {
    const { volumes, claims } = aPair(name, `shop/${name}`);
    for (const volume of volumes) site.cluster.put('persistentvolumes', volume);
    for (const claim of claims) site.cluster.put('persistentvolumeclaims', claim);
  }

  work(
    site: SimulatedSite,
    name: string,
    { keys = site.keys, ...options }: Partial<RoleOptions & { keys: Keys }> = {},
  ) {
    const client = site.client();
    return {
      client,
      site: { sync: site.look('dr'), store: this.store.as(name), keys, clock: this.clock },
      options: { yes: true, force: false, allowPlain: false, ...options },
      terminal: aTerminal(),
      signal,
    };
  }

  /** Which cluster writes, by the pointer. */
  get writer(): string {
    const pointer = this.store.history.findLast(({ key }) => key === '.holdfast/alpha/pointer.json');
    return JSON.parse(JSON.parse(pointer?.body?.toString() ?? '{}').payload).clusterUid;
  }
}

describe('before the cluster that writes is deposed', () => {
  const own = signingPair();
  const signing = keysFrom({ [ENV.signingKey]: own.signing });
  const encryption = keysFrom({ [ENV.encryptionKey]: encryptionText() });

  test('it is seen that this one could sign, as its resource says', async () => {
    const world = new World();
    world.here.keys = signing;
    world.there.keys = { ...NO_KEYS, trusted: signing.trusted };
    await world.carry({ signed: true }, { signed: true });
    await expect(takeTheRole(world.work(world.there, 'there', { force: true }), 'failover')).rejects.toThrow(
      /SYNC_SIGNING_KEY is not set.*--secret.*Nothing was changed/,
    );
    expect(world.writer).toBe('uid-of-here');
    expect(world.there.look('dr').spec.mode).toBe('Recovery');
  });

  test('it is seen that this one goes on encrypting, unless a person says that it need not', async () => {
    const world = new World();
    world.here.keys = encryption;
    world.there.keys = encryption;
    await world.carry({ encryption: 'AES-256-GCM' });
    await expect(takeTheRole(world.work(world.there, 'there'), 'failover')).rejects.toThrow(
      /the exports so far are encrypted.*Set spec\.encryption to AES-256-GCM/,
    );
    expect(world.writer).toBe('uid-of-here');
    await takeTheRole(world.work(world.there, 'there', { allowPlain: true }), 'failover');
    expect(world.writer).toBe('uid-of-there');
  });

  test('it is seen that the exports are encrypted also when they cannot be opened', async () => {
    const world = new World();
    world.here.keys = encryption;
    world.there.keys = encryption;
    await world.carry({ encryption: 'AES-256-GCM' });
    const work = world.work(world.there, 'there', { force: true, keys: NO_KEYS });
    await expect(takeTheRole(work, 'failover')).rejects.toThrow(/the exports so far are encrypted/);
    expect(world.writer).toBe('uid-of-here');
  });
});

describe('a failover that was cut off is ended by running it again', () => {
  const refused = () => new ApiError({ request: 'it', status: 403, reason: 'Forbidden', detail: 'a webhook says no' });

  const inScope = (site: SimulatedSite) =>
    ['persistentvolumes', 'persistentvolumeclaims'].flatMap((collection) =>
      site.cluster.all(collection).map(({ metadata }) => metadata.labels?.[SYNC_LABEL]),
    );

  test('also when some of what was restored had been labelled by then', async () => {
    const world = new World();
    world.has(world.here, 'b');
    await world.carry();
    world.there.refuses = (request) =>
      request.startsWith('PATCH /api/v1/namespaces/shop/persistentvolumeclaims/b') ? refused() : undefined;
    await expect(failOver(world.work(world.there, 'there'))).rejects.toThrow(
      /1 objects could not be labelled: .*Run failover again/,
    );
    expect(inScope(world.there)).toEqual([SYNC_ENABLED, SYNC_ENABLED, SYNC_ENABLED, undefined].toSorted());
    world.there.refuses = () => undefined;
    await failOver(world.work(world.there, 'there'));
    expect(world.writer).toBe('uid-of-there');
    expect(new Set(inScope(world.there))).toEqual(new Set([SYNC_ENABLED]));
    expect(world.there.look('dr').spec.mode).toBe('Protected');
  });

  test('also when the mode was set by then, and labels were lost', async () => {
    const world = new World();
    await world.carry();
    await failOver(world.work(world.there, 'there'));
    const [volume] = world.there.cluster.all('persistentvolumes');
    const { [SYNC_LABEL]: _, ...labels } = volume?.metadata.labels ?? {};
    world.there.cluster.put('persistentvolumes', { ...volume, metadata: { ...volume?.metadata, labels } });
    await failOver(world.work(world.there, 'there'));
    expect(new Set(inScope(world.there))).toEqual(new Set([SYNC_ENABLED]));
  });

  test('but not where something of the export is not restored', async () => {
    const world = new World();
    await world.carry();
    world.there.refuses = (request) => (request.startsWith('POST /api/v1/') ? refused() : undefined);
    world.has(world.here, 'c');
    await world.settle();
    await expect(failOver(world.work(world.there, 'there'))).rejects.toThrow(/2 objects are to be written/);
    expect(world.writer).toBe('uid-of-here');
  });

  test('and a cluster that was deposed is told of failback', async () => {
    const world = new World();
    await world.carry();
    await failOver(world.work(world.there, 'there'));
    await world.settle(120_000);
    expect(world.here.conditions('dr')).toContain('AnotherClusterTookOver');
    await expect(failOver(world.work(world.here, 'here'))).rejects.toThrow(
      /dr was deposed. Use holdfast sync failback/,
    );
  });
});

describe('a cluster whose name has the exports of another', () => {
  /** As the message advises: follow, and take over then. */
  async function failBack(world: World, site: SimulatedSite, name: string): Promise<void> {
    await follow(world.work(site, name));
    site.change('dr', { mode: 'Recovery', pollingInterval: 1 });
    await world.settle();
    expect(site.conditions('dr')).toBe('InSync=True InSync');
    await takeTheRole(world.work(site, name), 'failback');
    site.change('dr', { mode: 'Protected' });
    await world.settle();
    expect(site.conditions('dr')).toBe('Exported=True Exported Deposed=False IsTheWriter');
  }

  test('follows and takes over with failback when it was built anew', async () => {
    const world = new World();
    await world.carry();
    world.here.kill();
    const rebuilt = world.site('rebuilt');
    rebuilt.declare('dr', {});
    rebuilt.start();
    await world.settle();
    expect(rebuilt.status('dr').errorMessage).toContain('use holdfast sync failback');
    await failBack(world, rebuilt, 'rebuilt');
    expect(rebuilt.names('persistentvolumes')).toEqual(['a']);
    expect(world.writer).toBe('uid-of-rebuilt');
  });

  test('follows and takes over with failback when its resource was made anew after a failover', async () => {
    const world = new World();
    await world.carry();
    await takeTheRole(world.work(world.there, 'there'), 'failover');
    world.there.change('dr', { mode: 'Protected' });
    await world.settle();
    world.here.kill();
    world.here.remove('dr');
    world.here.declare('dr', {});
    world.here.start();
    await world.settle(70_000);
    expect(world.here.conditions('dr')).toContain('Refused=True ExportsAreAnothers');
    await failBack(world, world.here, 'here');
    expect(world.writer).toBe('uid-of-here');
    const labels = world.here.cluster.all('persistentvolumes').map(({ metadata }) => metadata.labels);
    expect(labels).toMatchObject([{ [SYNC_LABEL]: SYNC_ENABLED }]);
  });

  test('is not let follow where nobody else writes', async () => {
    const world = new World();
    await world.carry();
    await expect(follow(world.work(world.here, 'here'))).rejects.toThrow('is not deposed');
  });
});
