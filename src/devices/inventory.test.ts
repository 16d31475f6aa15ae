import { describe, expect, it } from 'vitest';
import { Store } from '../kit/cache/store.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { silentLog } from '../kit/observe/log.ts';
import { CONFIG_ANNOTATION } from './contract.ts';
import { Inventory, type Stock } from './inventory.ts';
import { type DevicesViews, devicesViews, type ViewSource } from './views.ts';

const POLLING_MS = 300_000;
/** Of the watch of a directory. */
const DEBOUNCE_MS = 500;
const VALID = { deviceDir: '/dev/disks', deviceNameFilter: '.*', volumeMode: 'Block' };

/** A node that has an inventory of its disks. */
class Searched {
  readonly clock = new VirtualClock();
  readonly machine = new SimulatedMachine(this.clock);
  readonly looks: Stock[] = [];
  readonly keys: string[][] = [];
  readonly #stores = new Map<string, Store<KubeObject, unknown>>();
  readonly #stop = new AbortController();
  readonly inventory: Inventory;
  readonly ended: Promise<void>;

  constructor(data: Readonly<Record<string, string>> = VALID) {
    this.machine.tree.mkdir('/dev/disks');
    const views = this.#views();
    this.put('nodes', { name: 'n1', annotations: { [CONFIG_ANNOTATION]: 'disks' } });
    this.configure(data);
    const settings = {
      node: 'n1',
      namespace: 'holdfast',
      pollingMs: POLLING_MS,
      stateDir: '/state',
      wipesAtOnce: 1,
      trustInit: false,
      dryRun: false,
    };
    const { clock } = this;
    const onLook = (stock: Stock) => void this.looks.push(stock);
    this.inventory = new Inventory({ host: this.machine.host(), clock, log: silentLog, views, settings, onLook });
    this.inventory.source((key) => void this.keys.at(-1)?.push(key));
    this.ended = this.inventory.run(this.#stop.signal);
  }

  #views(): DevicesViews {
    const source: ViewSource = {
      view: ({ plural }, { project, indexes }) => {
        const store = new Store(project, { synced: true, available: true, staleMs: 0 });
        if (indexes) store.index(indexes);
        this.#stores.set(plural, store as unknown as Store<KubeObject, unknown>);
        return store as never;
      },
    };
    return devicesViews(source, 'n1', 'holdfast');
  }

  put(collection: string, metadata: KubeObject['metadata'], rest: object = {}): void {
    this.#stores.get(collection)?.put({ metadata: { uid: 'uid-1', ...metadata }, ...rest });
  }

  configure(data: Readonly<Record<string, string>>): void {
    this.put('configmaps', { name: 'disks', namespace: 'holdfast' }, { data });
  }

  addDisk(link: string, wwid?: string): void {
    const disk = this.machine.addDisk({ name: `sd-${link}`, sizeBytes: 2 ** 30, ...(wwid && { wwid }) });
    this.machine.tree.symlink(`/dev/${disk.name}`, `/dev/disks/${link}`);
  }

  /** How many looks there are within this time. */
  async looksWithin(ms: number): Promise<number> {
    const before = this.looks.length;
    await this.clock.advance(ms);
    return this.looks.length - before;
  }

  get names(): readonly string[] {
    return [...(this.inventory.stock?.byVolume.keys() ?? [])];
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
  }
}

describe('the search for devices', () => {
  it('knows nothing until it has looked, which it does at once', async () => {
    const node = new Searched();
    expect(node.inventory.stock).toBeUndefined();
    expect(await node.looksWithin(0)).toBe(1);
    expect(node.inventory.stock?.configuration.is).toBe('given');
  });

  it('looks again after the polling interval, and not before', async () => {
    const node = new Searched();
    await node.looksWithin(0);
    expect(await node.looksWithin(POLLING_MS - 1)).toBe(0);
    expect(await node.looksWithin(1)).toBe(1);
  });

  it.each<[string, (node: Searched) => void]>([
    ['its Node', (node) => node.put('nodes', { name: 'n1', annotations: {} })],
    ['its ConfigMap', (node) => node.configure({ ...VALID, deviceNameFilter: '^x' })],
    ['the device directory', (node) => node.addDisk('b')],
  ])('looks again as soon as %s changes', async (_, change) => {
    const node = new Searched();
    await node.looksWithin(0);
    change(node);
    expect(await node.looksWithin(DEBOUNCE_MS)).toBe(1);
    expect(await node.looksWithin(POLLING_MS - DEBOUNCE_MS - 1)).toBe(0);
  });

  it('looks once more when something changes while it looks', async () => {
    const node = new Searched();
    await node.looksWithin(0);
    node.machine.faults.when(({ verb }) => verb === 'file.list', { kind: 'delay', ms: 5_000 });
    node.configure({ ...VALID, deviceNameFilter: '^x' });
    expect(await node.looksWithin(1_000)).toBe(0);
    node.configure({ ...VALID, deviceNameFilter: '^b' });
    node.addDisk('b');
    expect(await node.looksWithin(4_000 + DEBOUNCE_MS)).toBe(2);
    expect(node.names).toEqual(['local-n1-b']);
  });

  it('follows the configuration to another directory, and hears of changes there', async () => {
    const node = new Searched();
    node.machine.tree.mkdir('/dev/others');
    await node.looksWithin(0);
    node.configure({ ...VALID, deviceDir: '/dev/others' });
    await node.looksWithin(0);
    node.addDisk('b');
    expect(await node.looksWithin(DEBOUNCE_MS)).toBe(0);
    node.machine.tree.symlink('/dev/sd-b', '/dev/others/b');
    expect(await node.looksWithin(DEBOUNCE_MS)).toBe(1);
    expect(node.names).toEqual(['local-n1-b']);
  });

  it('ends when it is told to, and watches nothing any more', async () => {
    const node = new Searched();
    await node.looksWithin(0);
    node.stop();
    await node.ended;
    node.addDisk('b');
    node.configure({});
    expect(await node.looksWithin(POLLING_MS)).toBe(0);
    expect(node.clock.pending).toBe(0);
  });
});

describe('what is found', () => {
  it('is kept by the name of the volume that it becomes, and by its own', async () => {
    const node = new Searched();
    node.addDisk('b', 'naa.1');
    node.addDisk('c');
    node.machine.tree.write('/dev/disks/d', 'a file');
    await node.looksWithin(0);
    expect(node.names).toEqual(['local-n1-b', 'local-n1-c', 'local-n1-d']);
    expect([...(node.inventory.stock?.paths ?? [])]).toEqual([['wwid:naa.1', '/dev/disks/b']]);
  });

  it('and comes to the same name is kept together', async () => {
    const node = new Searched();
    node.addDisk('b:1');
    node.addDisk('b;1');
    await node.looksWithin(0);
    expect(node.inventory.stock?.byVolume.get('local-n1-b-1')).toHaveLength(2);
  });

  it('is told with what was found before and with every volume that there is', async () => {
    const node = new Searched();
    node.addDisk('b');
    node.keys.push([]);
    await node.looksWithin(0);
    expect(node.keys.at(-1)).toEqual(['local-n1-b']);
    node.put('persistentvolumes', { name: 'local-n1-z' });
    node.machine.tree.remove('/dev/disks/b');
    node.addDisk('c');
    node.keys.push([]);
    await node.looksWithin(DEBOUNCE_MS);
    expect(node.keys.at(-1)).toEqual(['local-n1-b', 'local-n1-c', 'local-n1-z']);
  });

  it.each<[string, (node: Searched) => void, string]>([
    ['the Node names no ConfigMap', (node) => node.put('nodes', { name: 'n1' }), 'none'],
    ['the ConfigMap is wrong', (node) => node.configure({}), 'wrong'],
    ['the directory is not there', (node) => node.configure({ ...VALID, deviceDir: '/dev/none' }), 'wrong'],
    ['the directory cannot be read', unreadable, 'wrong'],
  ])('is nothing when %s', async (_, change, is) => {
    const node = new Searched();
    node.addDisk('b');
    await node.looksWithin(DEBOUNCE_MS);
    expect(node.names).toEqual(['local-n1-b']);
    change(node);
    await node.looksWithin(POLLING_MS);
    expect(node.inventory.stock).toMatchObject({ configuration: { is }, unseen: [] });
    expect(node.names).toEqual([]);
  });

  function unreadable(node: Searched): void {
    node.machine.faults.when(({ target }) => target === '/dev/disks', { kind: 'fail' }, Number.POSITIVE_INFINITY);
  }
});
