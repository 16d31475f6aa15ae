/**
 * Decides what to do about one device and the volume of its name. Pure: everything it may know is in `Seen`. Whether a device may be
 * wiped is not decided here but by the guards, at the device itself.
 */
import { basename } from 'node:path';
import { dnsSubdomainFault } from '../kit/names.ts';
import type { Config } from './contract.ts';
import { disagreements, mendingOf, type OwnNode, type Wanted } from './desired.ts';
import type { Found } from './discovery.ts';
import { describe, identityOf, isResized, isSame } from './identity.ts';
import { volumeNameOf } from './names.ts';
import type { Reason } from './reasons.ts';
import type { Volume } from './volume.ts';

export interface Seen {
  readonly node: OwnNode;
  readonly name: string;
  /** Or why there is none. */
  readonly config: Config | { readonly fault: string };
  /** Those that become a volume of this name: one, if all is well. */
  readonly found: readonly Found[];
  readonly volume?: Volume | undefined;
  /** A volume of this node that was made with other settings: until a person has resolved that, no volume is made. */
  readonly disagreeing?: { readonly volume: string; readonly how: string } | undefined;
  /** Where the device of the volume is found now, if it is not at its path. */
  readonly movedTo?: string | undefined;
}

export type Decision =
  | { readonly do: 'nothing'; readonly because: Reason }
  /** Something is wrong with it that a person should see on the volume. */
  | { readonly do: 'tell'; readonly because: Reason }
  | { readonly do: 'mend'; readonly patch: NonNullable<ReturnType<typeof mendingOf>> }
  | { readonly do: 'recycle'; readonly config: Config }
  | { readonly do: 'make'; readonly wanted: Wanted };

export const decide = (seen: Seen): Decision => (seen.volume ? aboutVolume(seen.volume, seen) : aboutDevice(seen));

function aboutVolume(volume: Volume, seen: Seen): Decision {
  const fault = whyNotOurs(volume, seen.node.name);
  if (fault) return tell({ fact: 'volumeIsNotOurs', why: fault });
  if (volume.isDeleting && !volume.hasWipeFinalizer) return nothing({ fact: 'isBeingDeleted' });
  if ('fault' in seen.config) return noConfiguration(volume, seen.config.fault);
  if (volume.isDeleting || volume.phase === 'Released') return { do: 'recycle', config: seen.config };
  return aboutItsDevice(volume, seen, seen.config);
}

/** A label says that it is ours, which anybody can write. Ours are named after their device and can be used on this node only. */
function whyNotOurs({ name, node, path, affinity }: Volume, self: string): string | undefined {
  if (node !== self) return `its label names the node ${node}`;
  if (affinity !== self) return 'its node affinity does not name this node alone';
  if (volumeNameOf(self, basename(path)) !== name) return `a device at ${path} would not have this name`;
  return undefined;
}

const noConfiguration = ({ phase }: Volume, why: string): Decision => {
  const because: Reason = { fact: 'thereIsNoConfiguration', why };
  return phase === 'Released' ? tell(because) : nothing(because);
};

/** It is not deleted when its device is gone or another one is there: it is told. */
function aboutItsDevice(volume: Volume, { found, node, movedTo }: Seen, config: Config): Decision {
  const { path, name } = volume;
  const device = found.find((one) => one.path === path)?.device;
  if (!device) return tell({ fact: 'deviceIsMissing', path, ...(movedTo !== undefined && { nowAt: movedTo }) });
  if ('fault' in device) return tell({ fact: 'isUnusable', why: device.fault });
  const identity = identityOf(device.facts);
  const recorded = volume.identity;
  if (recorded && !isSame(recorded, identity) && !isResized(recorded, identity))
    return tell({ fact: 'deviceIsAnother', path, recorded: describe(recorded), found: describe(identity) });
  if (disagreements(volume, config).length > 0)
    return nothing({ fact: 'settingsDisagree', volume: name, how: disagreements(volume, config).join('; ') });
  const patch = mendingOf(volume, { name, path, node, identity, config });
  return patch ? { do: 'mend', patch } : nothing({ fact: 'allIsWell' });
}

function aboutDevice({ name, node, config, found: [found, ...twins], disagreeing }: Seen): Decision {
  if (!found) return nothing({ fact: 'allIsWell' });
  if ('fault' in config) return nothing({ fact: 'thereIsNoConfiguration', why: config.fault });
  if (twins.length > 0) return tell({ fact: 'nameIsShared', paths: [found, ...twins].map(({ path }) => path) });
  const { device, path } = found;
  if ('fault' in device) return tell({ fact: 'isUnusable', why: device.fault });
  const fault = dnsSubdomainFault(name);
  if (fault) return tell({ fact: 'nameIsImpossible', why: fault });
  if (disagreeing) return nothing({ fact: 'settingsDisagree', ...disagreeing });
  return { do: 'make', wanted: { name, path, node, identity: identityOf(device.facts), config } };
}

const nothing = (because: Reason): Decision => ({ do: 'nothing', because });
const tell = (because: Reason): Decision => ({ do: 'tell', because });
