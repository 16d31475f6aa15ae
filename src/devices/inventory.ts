/** What there is on this node: its configuration and the devices that this asks for. Looked at again whenever something may have changed. */
import { Bell } from '../kit/clock/bell.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Source } from '../kit/controller/sources.ts';
import type { Watch } from '../kit/host/files.ts';
import type { Host } from '../kit/host/host.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import type { Log } from '../kit/observe/log.ts';
import { type Configuration, configurationOf } from './configuration.ts';
import type { DevicesSettings } from './contract.ts';
import { discover, type Found } from './discovery.ts';
import { identityOf, isNamed, keyOf } from './identity.ts';
import type { DevicesViews } from './views.ts';

export interface Stock {
  readonly configuration: Configuration;
  /** By the name of the volume that they become: one each, if all is well. */
  readonly byVolume: ReadonlyMap<string, readonly Found[]>;
  /** Where a device that has a name is found. */
  readonly paths: ReadonlyMap<string, string>;
  /** What of the directory could not be looked at. */
  readonly unseen: readonly string[];
}

export interface InventoryParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  readonly views: DevicesViews;
  readonly settings: DevicesSettings;
  /** Told after each look. */
  readonly onLook: (stock: Stock) => void;
}

export class Inventory implements Runnable {
  readonly name = 'the search for devices';
  readonly #parts: InventoryParts;
  readonly #bell = new Bell();
  readonly #listeners = new Set<(keys: Iterable<string>) => void>();
  #stock: Stock | undefined;
  #watched: { readonly directory: string; readonly watch: Watch } | undefined;

  constructor(parts: InventoryParts) {
    this.#parts = parts;
  }

  /** Nothing until it has been looked at for the first time. */
  get stock(): Stock | undefined {
    return this.#stock;
  }

  /** After each look, every volume that there is or could be. */
  readonly source: Source = (add) => {
    const listener = (keys: Iterable<string>) => {
      for (const key of keys) add(key);
    };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async run(signal: AbortSignal): Promise<void> {
    const { views, clock, settings } = this.#parts;
    const stops = [views.nodes, views.configMaps].map((view) => view.subscribe(() => this.#bell.ring()));
    try {
      for (;;) {
        await this.#look();
        await this.#bell.wait(clock, settings.pollingMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const stop of stops) stop();
      this.#watched?.watch.close();
    }
  }

  async #look(): Promise<void> {
    const before = this.#stock?.byVolume.keys() ?? [];
    const stock = await this.#take();
    this.#stock = stock;
    this.#parts.onLook(stock);
    const keys = new Set([...before, ...stock.byVolume.keys(), ...this.#parts.views.volumes.keys()]);
    for (const listener of this.#listeners) listener(keys);
  }

  async #take(): Promise<Stock> {
    const { views, settings, host, clock } = this.#parts;
    const configuration = configurationOf(views, settings);
    if (configuration.is !== 'given') return empty(configuration);
    const { deviceDir } = configuration.config;
    try {
      await this.#watch(deviceDir);
      const found = await discover(host, settings.node, configuration, clock);
      if ('fault' in found) return empty({ is: 'wrong', configMap: configuration.configMap, faults: [found.fault] });
      return { configuration, unseen: found.unseen, ...sorted(found.devices) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const faults = [`deviceDir ${deviceDir} cannot be looked at: ${why}`];
      return empty({ is: 'wrong', configMap: configuration.configMap, faults });
    }
  }

  /** Before the look: what comes during it is not missed. */
  async #watch(directory: string): Promise<void> {
    if (this.#watched?.directory === directory) return;
    this.#watched?.watch.close();
    this.#watched = undefined;
    const watch = await this.#parts.host.files.watch(directory, () => this.#bell.ring());
    this.#watched = { directory, watch };
  }
}

const empty = (configuration: Configuration): Stock => ({
  configuration,
  byVolume: new Map(),
  paths: new Map(),
  unseen: [],
});

function sorted(devices: readonly Found[]): Pick<Stock, 'byVolume' | 'paths'> {
  const paths = new Map<string, string>();
  for (const { path, device } of devices) {
    if ('fault' in device) continue;
    const identity = identityOf(device.facts);
    if (isNamed(identity)) paths.set(keyOf(identity, path), path);
  }
  return { byVolume: Map.groupBy(devices, ({ volume }) => volume), paths };
}
