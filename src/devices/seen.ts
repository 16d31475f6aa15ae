/** Gathers what is known about one device and the volume of its name. */
import type { DevicesSettings } from './contract.ts';
import { type Disagreeing, type Seen, whyNotOurs } from './decide.ts';
import { disagreements } from './desired.ts';
import { identityOf, isNamed, keyOf } from './identity.ts';
import type { Stock } from './inventory.ts';
import type { DevicesViews } from './views.ts';

/** Nothing as long as the Node is not there: without its uid no volume can be made. */
export function look(
  views: DevicesViews,
  stock: Stock,
  { node }: DevicesSettings,
  name: string,
  disagreeing: Disagreeing | undefined,
): Seen | undefined {
  const own = views.nodes.get(node);
  if (!own) return undefined;
  const volume = views.volumes.get(name);
  const found = stock.byVolume.get(name) ?? [];
  return {
    node: { name: node, uid: own.uid },
    name,
    config: configIn(stock),
    accepts: stock.configuration.is === 'given' ? stock.configuration.accepts : () => false,
    found,
    volume,
    disagreeing,
    movedTo: volume?.identity && isNamed(volume.identity) ? stock.paths.get(keyOf(volume.identity, '')) : undefined,
    madeOfIt: otherVolumeOf(views, stock, name),
  };
}

function configIn({ configuration }: Stock): Seen['config'] {
  switch (configuration.is) {
    case 'given':
      return configuration.config;
    case 'none':
      return { fault: configuration.why };
    case 'wrong':
      return { fault: configuration.faults.join('; ') };
  }
}

function otherVolumeOf({ volumes }: DevicesViews, stock: Stock, name: string): Seen['madeOfIt'] {
  for (const { device, path } of stock.byVolume.get(name) ?? []) {
    if ('fault' in device) continue;
    const identity = identityOf(device.facts);
    const others = isNamed(identity) ? volumes.by('device', keyOf(identity, path)) : [];
    const other = others.find((volume) => volume.name !== name);
    if (other) return { volume: other.name, path: other.path };
  }
  return undefined;
}

/** The first volume of this node that was made with other settings, found once for each change of the volumes or the configuration. */
export class Disagreements {
  readonly #views: DevicesViews;
  #known: { readonly stock: Stock; readonly first: Disagreeing | undefined } | undefined;

  constructor(views: DevicesViews) {
    this.#views = views;
    views.volumes.subscribe(() => {
      this.#known = undefined;
    });
  }

  first(stock: Stock): Disagreeing | undefined {
    if (this.#known?.stock !== stock) this.#known = { stock, first: this.#find(stock) };
    return this.#known.first;
  }

  #find({ configuration }: Stock): Disagreeing | undefined {
    if (configuration.is !== 'given') return undefined;
    for (const volume of this.#views.volumes.values()) {
      if (whyNotOurs(volume, volume.node)) continue;
      const how = disagreements(volume, configuration.config).join('; ');
      if (how) return { volume: volume.name, how };
    }
    return undefined;
  }
}
