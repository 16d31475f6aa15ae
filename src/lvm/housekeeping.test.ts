import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { group, lv, mount, owner } from './builders.ts';
import { DEFAULT_THIN_LIMITS, type LvmSettings } from './contract.ts';
import type { Leaving } from './decide-removal.ts';
import type { LogicalVolume } from './facts.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Machine } from './machine.ts';
import { lvmMetrics } from './metrics.ts';
import type { Look } from './sight.ts';
import { Standings } from './standings.ts';
import type { Step } from './steps.ts';
import { tagsOf } from './tags.ts';
import type { LvmViews } from './views.ts';
import type { Volume } from './volume.ts';

const { signal } = new AbortController();
const TTL_MS = 3_600_000;
const LONG_AGO = 0;
const SETTINGS: LvmSettings = {
  node: 'node7',
  namespace: 'holdfast',
  mountBase: '/mnt/pv',
  storageClasses: [],
  secretNamespaces: [],
  autoRelease: false,
  thinLimits: DEFAULT_THIN_LIMITS,
  resyncMs: 600_000,
  trashTtlMs: TTL_MS,
  sanityChecks: true,
};

const trashed = (name: string, changes: Partial<LogicalVolume> = {}, marks = {}) =>
  lv({
    name,
    uuid: `uuid-${name}`,
    tags: tagsOf(owner({ uid: `uid-${name}`, trashedAt: LONG_AGO, ...marks })),
    ...changes,
  });

/** A node with these logical volumes, from which steps take away what they are told to. */
class Node implements Pick<Machine, 'join' | 'look' | 'namesIn' | 'takeAway' | 'thaw'> {
  lvs: LogicalVolume[];
  mounts: Look['mounts'] = [];
  names: readonly string[] = [];
  readonly steps: string[] = [];
  failure: Error | undefined;

  constructor(...lvs: LogicalVolume[]) {
    this.lvs = lvs;
  }

  join = () => ({ [Symbol.dispose]: () => {} });
  look = async (): Promise<Look> => ({
    lvm: { groups: new Map([['storage_bulk', group({}, ...this.lvs)]]) },
    mounts: this.mounts,
    mappings: [],
  });
  namesIn = async () => this.names;
  thaw = async () => {};

  async takeAway(step: Step, { shred, uid }: Leaving, sight: { lv?: LogicalVolume | undefined }): Promise<void> {
    if (this.failure) throw this.failure;
    const name = sight.lv?.name ?? '';
    this.steps.push(`${step.kind} ${name}${step.kind === 'shred' ? ` by ${shred}` : ''}`);
    const change = (changes: Partial<LogicalVolume>) => {
      this.lvs = this.lvs.map((each) => (each.name === name ? { ...each, ...changes } : each));
    };
    if (step.kind === 'activate') change({ isActive: true });
    if (step.kind === 'shred') change({ tags: tagsOf(owner({ uid, trashedAt: LONG_AGO, isShredded: true })) });
    if (step.kind === 'remove') this.lvs = this.lvs.filter((each) => each.name !== name);
  }
}

function keeping(
  node: Node,
  volumes: readonly Partial<Volume>[] = [],
  settings: Partial<LvmSettings> = {},
  live: () => Promise<readonly Partial<Volume>[]> = async () => volumes,
  clusterNow?: () => Date,
) {
  const registry = new Registry();
  const told: Occurrence[] = [];
  const log = new RecordingLog();
  const clock = new VirtualClock(new Date(TTL_MS));
  const views = {
    volumes: { values: () => volumes },
    nodes: { get: () => ({ name: 'node7', uid: 'node-uid', hostname: 'node7' }) },
  };
  const housekeeping = new Housekeeping({
    views: views as unknown as LvmViews,
    live: async () => (await live()) as readonly Volume[],
    settings: { ...SETTINGS, ...settings },
    machine: node as unknown as Machine,
    cluster: 'cluster-1',
    metrics: lvmMetrics(registry, new Standings()),
    recorder: { record: (occurrence) => told.push(occurrence) },
    log,
    clock,
    clusterNow,
  });
  const orphans = async () => {
    const { values = [] } = (await registry.getSingleMetric('holdfast_lvm_orphans')?.get()) ?? {};
    return Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
  };
  return { housekeeping, told, log, clock, orphans };
}

describe('the trash', () => {
  it('is emptied of what was in it for long enough, and of nothing else', async () => {
    const young = trashed('trash+b', {}, { trashedAt: 1 });
    const node = new Node(trashed('trash+a'), young, lv());
    const { housekeeping, told } = keeping(node);
    await housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual(['remove trash+a']);
    expect(told).toMatchObject([
      { reason: 'VolumeTrashEmptied', note: expect.stringContaining('storage_bulk/trash+a') },
    ]);
  });

  it('is not emptied by a node whose clock is ahead of that of the cluster', async () => {
    const node = new Node(trashed('trash+a'));
    await keeping(
      node,
      [],
      {},
      async () => [],
      () => new Date(TTL_MS - 1),
    ).housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual([]);
  });

  it('is shredded before, if that was asked for when it was put there', async () => {
    const node = new Node(trashed('trash+a', { isActive: false }, { options: { fsType: 'ext4', shred: 'random' } }));
    await keeping(node).housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual(['activate trash+a', 'shred trash+a by random', 'remove trash+a']);
  });

  it('keeps what a volume wants back, and what a volume is still about to leave there', async () => {
    const node = new Node(trashed('trash+a'), trashed('trash+b'));
    const volumes = [
      { uid: 'new', adopts: 'uuid-trash+a' },
      { uid: 'uid-trash+b', deletedAt: '1970-01-01T00:00:00Z' },
    ];
    await keeping(node, volumes).housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual([]);
  });

  it('keeps what somebody wants back of whom only the API server knows, and all of it when that does not answer', async () => {
    const node = new Node(trashed('trash+a'));
    await keeping(node, [], {}, async () => [{ uid: 'new', adopts: 'uuid-trash+a' }]).housekeeping.emptyTrash(signal);
    const silent = keeping(node, [], {}, () => Promise.reject(new Error('no connection')));
    await expect(silent.housekeeping.emptyTrash(signal)).rejects.toThrow('no connection');
    expect(node.steps).toEqual([]);
  });

  it('keeps what is not ours to empty: of another cluster, and what somebody has mounted', async () => {
    const node = new Node(trashed('trash+a', {}, { cluster: 'another' }), trashed('trash+b', { device: '253:9' }));
    node.mounts = [mount({ device: '253:9', mountPoint: '/rescue' })];
    const { housekeeping, log } = keeping(node);
    await housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual([]);
    expect(log.at('warn')).toMatchObject([
      { fields: { lv: 'storage_bulk/trash+b', why: expect.stringContaining('/rescue') } },
    ]);
  });

  it('goes on with the next when one cannot be removed', async () => {
    const node = new Node(
      trashed('trash+a', { health: 'partial', isActive: true }, { options: { shred: 'zero' } }),
      trashed('trash+b'),
    );
    await keeping(node).housekeeping.emptyTrash(signal);
    expect(node.steps).toEqual(['remove trash+b']);
  });

  it('is left alone when it cannot be seen', async () => {
    const node = new Node(trashed('trash+a'));
    node.look = () => Promise.reject(new Error('lvm does not answer'));
    await expect(keeping(node).housekeeping.emptyTrash(signal)).rejects.toThrow('does not answer');
  });
});

describe('what belongs to no volume', () => {
  const lost = () => lv({ name: 'lost', tags: tagsOf(owner({ pv: 'lost' })) });

  it('is counted always, and told only when that is asked for', async () => {
    const node = new Node(lost());
    node.names = ['left', 'data'];
    const silent = keeping(node, [{ uid: 'other', path: '/mnt/pv/data' }], { sanityChecks: false });
    await silent.housekeeping.tellOrphans();
    expect(await silent.orphans()).toEqual({ 'logical-volume': 1, 'thin-pool': 0, 'mount-point': 1 });
    expect(silent.log.lines).toEqual([]);
    expect(silent.told).toEqual([]);
  });

  it('is in the log each time, and in an Event of the Node once', async () => {
    const node = new Node(lost());
    const { housekeeping, told, log } = keeping(node);
    await housekeeping.tellOrphans();
    await housekeeping.tellOrphans();
    expect(log.at('warn')).toHaveLength(2);
    expect(told).toMatchObject([
      {
        reason: 'VolumeOrphans',
        regarding: { kind: 'Node', name: 'node7' },
        note: expect.stringContaining('storage_bulk/lost'),
      },
    ]);
    node.names = ['left'];
    await housekeeping.tellOrphans();
    expect(told).toHaveLength(2);
  });

  it('is counted down again', async () => {
    const node = new Node(lost());
    const { housekeeping, orphans } = keeping(node);
    await housekeeping.tellOrphans();
    node.lvs = [];
    await housekeeping.tellOrphans();
    expect(await orphans()).toEqual({ 'logical-volume': 0, 'thin-pool': 0, 'mount-point': 0 });
  });
});

describe('housekeeping', () => {
  it('is done at the start and then at each resync, also after it has failed', async () => {
    const node = new Node();
    let looks = 0;
    const look = node.look;
    node.look = () => {
      looks += 1;
      return looks < 3 ? Promise.reject(new Error('not now')) : look();
    };
    const { housekeeping, clock, log } = keeping(node);
    const stop = new AbortController();
    const running = housekeeping.run(stop.signal);
    await clock.advance(0);
    expect(looks).toBe(2);
    await clock.advance(SETTINGS.resyncMs);
    expect(looks).toBe(4);
    expect(log.at('warn')).toHaveLength(2);
    stop.abort();
    await running;
  });
});
