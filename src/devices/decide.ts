/**
 * Decides what to do about one device and the volume of its name. Pure: everything it may know is in `Seen`. Whether a device may be
 * wiped is not decided here but by the guards, at the device itself.
 */
import { dnsSubdomainFault } from '../kit/names.ts';
import type { Config } from './contract.ts';
import { disagreements, mendingOf, mendingWithoutDevice, type OwnNode, type Wanted } from './desired.ts';
import type { Found } from './discovery.ts';
import type { NameFilter } from './filter.ts';
import { isOutsideTheDeviceDirectory } from './guards.ts';
import { describe, type Identity, identityOf, isResized, isSame } from './identity.ts';
import { nameAt, volumeNameOf } from './names.ts';
import type { Reason } from './reasons.ts';
import type { Volume } from './volume.ts';

export interface Seen {
  readonly node: OwnNode;
  readonly name: string;
  /** Or why there is none. */
  readonly config: Config | { readonly fault: string };
  /** The filter of the configuration. */
  readonly accepts: NameFilter;
  /** Those that become a volume of this name: one, if all is well. */
  readonly found: readonly Found[];
  readonly volume?: Volume | undefined;
  /** A volume of this node that was made with other settings: until a person has resolved that, no volume is made. */
  readonly disagreeing?: Disagreeing | undefined;
  /** Where the device of the volume is found now, if it is not at its path. */
  readonly movedTo?: string | undefined;
  /** Another volume of this node that was made of this device, under another name. */
  readonly madeOfIt?: { readonly volume: string; readonly path: string } | undefined;
}

export interface Disagreeing {
  readonly volume: string;
  readonly how: string;
}

export type Decision =
  | { readonly do: 'nothing'; readonly because: Reason }
  /** Something is wrong that a person should hear of. */
  | { readonly do: 'tell'; readonly because: Reason }
  | { readonly do: 'mend'; readonly patch: NonNullable<ReturnType<typeof mendingOf>>; readonly because?: Reason }
  | { readonly do: 'recycle'; readonly config: Config }
  /** It is being deleted, and was not released: what is on its device is not ours to wipe. */
  | { readonly do: 'letGo' }
  | { readonly do: 'make'; readonly wanted: Wanted };

export const decide = (seen: Seen): Decision => (seen.volume ? aboutVolume(seen.volume, seen) : aboutDevice(seen));

function aboutVolume(volume: Volume, seen: Seen): Decision {
  const fault = whyNotOurs(volume, seen.node.name);
  if (fault) return tell({ fact: 'volumeIsNotOurs', why: fault });
  const isReleased = volume.phase === 'Released';
  if (volume.isDeleting && !isReleased && volume.hasWipeFinalizer) return { do: 'letGo' };
  if (volume.isDeleting && !volume.hasWipeFinalizer) return nothing({ fact: 'isBeingDeleted' });
  if ('fault' in seen.config) return withoutConfiguration(isReleased, seen.config.fault);
  const decision = (isReleased ? aboutReleased : aboutItsDevice)(volume, seen, seen.config);
  const patch = mendingWithoutDevice(volume, seen.node);
  if (!patch || decision.do === 'mend' || volume.isDeleting) return decision;
  return { do: 'mend', patch, ...(decision.do === 'tell' && { because: decision.because }) };
}

/** A label says that it is ours, which anybody can write. Ours are named after their device and can be used on this node only. */
export function whyNotOurs({ name, node, path, affinity }: Volume, self: string): string | undefined {
  if (node !== self) return `its label names the node ${node}`;
  if (affinity !== self) return 'its node affinity does not name this node alone';
  if (volumeNameOf(self, nameAt(path)) !== name) return `a device at ${path || 'no path'} would not have this name`;
  return undefined;
}

/** Outside of the directory is for the guards to tell. What the filter leaves out is not to be touched, whatever a volume says. */
function aboutReleased({ path, isDeleting }: Volume, { found, accepts, movedTo }: Seen, config: Config): Decision {
  const isThere = found.some((one) => one.path === path);
  if (isThere || isDeleting || isOutsideTheDeviceDirectory({ path }, config)) return { do: 'recycle', config };
  if (!accepts(nameAt(path))) return tell({ fact: 'isLeftOutByTheFilter', path });
  return tell(missing(path, movedTo));
}

/** Where the devices of this node are is not known, so nothing is wiped. */
function withoutConfiguration(isReleased: boolean, why: string): Decision {
  const because: Reason = { fact: 'thereIsNoConfiguration', why };
  return isReleased ? tell(because) : nothing(because);
}

/** It is not deleted when its device is gone or another one is there: it is told. */
function aboutItsDevice(volume: Volume, seen: Seen, config: Config): Decision {
  const { path, name } = volume;
  const device = seen.found.find((one) => one.path === path)?.device;
  if (!device) return tell(missing(path, seen.movedTo));
  if ('fault' in device) return tell({ fact: 'isUnusable', why: device.fault });
  const identity = identityOf(device.facts);
  const trouble = whatBecameOf(volume.identity, identity, path);
  if (trouble?.fact === 'deviceIsAnother') return tell(trouble);
  const how = disagreements(volume, config).join('; ');
  if (how) return nothing({ fact: 'settingsDisagree', volume: name, how });
  const patch = mendingOf(volume, { name, path, node: seen.node, identity, config });
  if (patch) return { do: 'mend', patch, ...(trouble && { because: trouble }) };
  return trouble ? tell(trouble) : nothing({ fact: 'allIsWell' });
}

/** Volumes of the original carry no record: then the path is believed, as it always was. */
function whatBecameOf(recorded: Identity | undefined, found: Identity, path: string): Reason | undefined {
  if (!recorded || isSame(recorded, found)) return undefined;
  if (!isResized(recorded, found))
    return { fact: 'deviceIsAnother', path, recorded: inWords(recorded), found: inWords(found) };
  if (recorded.sizeBytes < found.sizeBytes) return undefined;
  return { fact: 'deviceHasShrunk', recordedBytes: recorded.sizeBytes, foundBytes: found.sizeBytes };
}

const inWords = (identity: Identity): string => `${describe(identity)}, ${identity.sizeBytes} bytes`;

function aboutDevice({ name, node, config, found: [found, ...twins], disagreeing, madeOfIt }: Seen): Decision {
  if (!found) return nothing({ fact: 'allIsWell' });
  if ('fault' in config) return nothing({ fact: 'thereIsNoConfiguration', why: config.fault });
  if (twins.length > 0) return tell({ fact: 'nameIsShared', paths: [found, ...twins].map(({ path }) => path) });
  const { device, path } = found;
  if ('fault' in device) return tell({ fact: 'isUnusable', why: device.fault });
  const fault = dnsSubdomainFault(name);
  if (fault) return tell({ fact: 'nameIsImpossible', why: fault });
  if (madeOfIt) return tell({ fact: 'deviceHasAVolume', ...madeOfIt });
  if (disagreeing) return tell({ fact: 'settingsDisagree', ...disagreeing });
  return { do: 'make', wanted: { name, path, node, identity: identityOf(device.facts), config } };
}

const missing = (path: string, nowAt: string | undefined): Reason => ({
  fact: 'deviceIsMissing',
  path,
  ...(nowAt !== undefined && { nowAt }),
});
const nothing = (because: Reason): Decision => ({ do: 'nothing', because });
const tell = (because: Reason): Decision => ({ do: 'tell', because });
