/**
 * Makes a device clean: holds it, looks at it, lets the guards judge, and wipes it by the same descriptor. The only way by which this
 * job destroys anything.
 */
import type { Clock } from '../kit/clock/clock.ts';
import { Refuse } from '../kit/controller/outcome.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import { CommandError } from '../kit/host/command.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { Patience } from '../kit/patience.ts';
import { courseOf, lengthOf } from '../kit/wipe/course.ts';
import { type Approvals, isInForce } from './approvals.ts';
import type { Config, DevicesSettings } from './contract.ts';
import {
  GUARDS,
  GUARDS_OF_THE_NODE,
  isAsWiped,
  isOutsideTheDeviceDirectory,
  liftedOf,
  type Purpose,
  type Recycled,
  whyNotToWipe,
} from './guards.ts';
import { hold } from './held.ts';
import { type Identity, identityOf, isNamed, isOneDevice, isSame, keyOf, mayBeOne } from './identity.ts';
import { afterFinding, afterWiping } from './ledger/changes.ts';
import type { Clean, LedgerEntry, Receipt, Sighting, WipeRecord } from './ledger/entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type LookingParts, lookAt } from './looking.ts';
import type { ObserveOptions } from './observe.ts';
import type { Observed } from './observed.ts';
import { explain, type Refusal, remedyOf } from './refusals.ts';
import { NotAsWritten, wipeHeld } from './wiping.ts';

export interface CleaningParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly settings: DevicesSettings;
  /** Of the running boot. */
  readonly boot: string;
  readonly cluster: string;
  /** As they stand on the Node now. */
  readonly approvals: () => Approvals;
  /** With devices that may never answer. */
  readonly patience: Patience;
}

export interface CleaningOrder {
  readonly path: string;
  readonly config: Config;
  /** Other volumes of this node, whatever made them. */
  readonly others: ObserveOptions['volumes'];
  /** The same, asked for when the device is held: who has made one since could have begun to use it before that. */
  readonly othersNow: () => Promise<ObserveOptions['volumes']>;
  /** The volume that is recycled; without one a new volume is to be made. */
  readonly recycles?: Recycled | undefined;
  /** Told when the device is held and may be wiped, before anything on it is changed. What it throws ends it. */
  readonly beforeWiping: () => Promise<void>;
  /** Told before the first byte is written; not for a device that is clean already. */
  readonly onBegin: () => void;
  readonly onProgress: (doneBytes: number, ofBytes: number) => void;
  readonly onApprovalUsed: (refusal: Refusal) => void;
}

export interface Cleaned {
  readonly key: string;
  /** Of the device that was held, whatever its path leads to by now. */
  readonly number: DeviceNumber;
  readonly device: Sighting;
  readonly receipt: Receipt;
}

/** A guard forbids it. */
export class Refused extends Refuse {
  readonly refusal: Refusal;
  readonly observed: Observed | undefined;

  constructor(path: string, refusal: Refusal, observed?: Observed) {
    super({ fact: refusal.fact, message: `${path} ${explain(refusal)}`, remedy: remedyOf(refusal) });
    this.refusal = refusal;
    this.observed = observed;
  }
}

/** What the device itself did to us, or the program that we gave it to. */
export const isOfTheDevice = (error: unknown): error is Error =>
  error instanceof DeviceError || error instanceof CommandError || error instanceof NotAsWritten;

/** What an order says of the device, without those who have to be asked. */
type Intent = Pick<CleaningOrder, 'path' | 'config' | 'recycles'>;

/**
 * Rejects with `Refused` where this node alone can tell that the device will not be cleaned: what is in use is looked at again and again,
 * and to read all volumes of the cluster each time would be much to ask of its API server. Where it does not, nothing is known yet.
 */
export async function lookFirst(intent: Intent, parts: CleaningParts): Promise<void> {
  const outside = isOutsideTheDeviceDirectory(intent, intent.config);
  if (outside) throw new Refused(intent.path, outside);
  const { host } = parts;
  const nobody = looking(parts, async () => []);
  const looked = await lookAt(intent.path, () => hold(host, intent.path, 'read'), nobody);
  if ('refusal' in looked) throw new Refused(intent.path, looked.refusal);
  await using _open = looked;
  const { refusal } = judge(looked.observed, intent, parts, GUARDS_OF_THE_NODE);
  if (refusal) throw new Refused(intent.path, refusal, looked.observed);
}

/** Gives back what `whileHeld` does: until that has ended, nobody else can get the device. */
export async function clean<T>(
  order: CleaningOrder,
  parts: CleaningParts,
  signal: AbortSignal,
  whileHeld: (cleaned: Cleaned) => Promise<T>,
): Promise<T> {
  const { path, config } = order;
  const outside = isOutsideTheDeviceDirectory(order, config);
  if (outside) throw new Refused(path, outside);
  await (await held(order, 'read', parts, async () => order.others))[Symbol.asyncDispose]();
  await using allowed = await held(order, 'read-write', parts, order.othersNow);
  const { observed, judged } = allowed;
  const { key, sighting } = judged;
  const { number } = observed.facts;
  if (judged.lifted.length > 0) await useApprovals(sighting, parts);
  await order.beforeWiping();
  for (const refusal of judged.lifted) order.onApprovalUsed(refusal);
  if (!order.recycles) await forgetOtherPaths(key, sighting, parts);
  const receipt = judged.clean?.receipt ?? (await wiped(order, allowed, parts, signal));
  if (!order.recycles) await useApprovals(sighting, parts);
  return await whileHeld({ key, number, device: sighting, receipt });
}

async function wiped(
  order: CleaningOrder,
  { device, observed, judged }: Allowed,
  parts: CleaningParts,
  signal: AbortSignal,
): Promise<Receipt> {
  const { key, sighting, entry } = judged;
  await parts.ledger.ensureWritten();
  order.onBegin();
  const receipt = await wipeHeld(
    device,
    observed,
    order.config,
    judged.isAsRecorded ? entry?.wipe : undefined,
    {
      commands: parts.host,
      clock: parts.clock,
      bandwidth: parts.settings.wipeBandwidth,
      record: (wipe) => remember(key, sighting, wipe, order, parts),
      progress: order.onProgress,
    },
    signal,
  );
  await parts.ledger.cleaned(key, sighting, { receipt, ...insertionOf(sighting) });
  return receipt;
}

/** Whatever they were given for: the data of who gets the device next is not what anybody was asked about. */
async function useApprovals(device: Sighting, { approvals, ledger }: CleaningParts): Promise<void> {
  await Promise.all(givenFor(device, approvals()).map(({ id }) => ledger.use(id)));
}

/** A person sees the device as it is now, under whichever key the ledger knows it. */
const givenFor = ({ identity, path }: Sighting, approvals: Approvals) => approvals[keyOf(identity, path)] ?? [];

interface Allowed extends AsyncDisposable {
  readonly device: OpenDevice;
  readonly observed: Observed;
  readonly judged: Judged;
}

/** The device, held, looked at and judged. Rejects with `Refused`, and then nothing is held. */
async function held(
  order: CleaningOrder,
  access: 'read' | 'read-write',
  parts: CleaningParts,
  others: CleaningOrder['othersNow'],
): Promise<Allowed> {
  const { path } = order;
  const looked = await lookAt(path, () => hold(parts.host, path, access), looking(parts, others));
  if ('refusal' in looked) throw new Refused(path, looked.refusal);
  await using stack = new AsyncDisposableStack();
  const { device, observed } = stack.use(looked);
  const judged = judge(observed, order, parts);
  if (judged.refusal) throw new Refused(path, judged.refusal, observed);
  const kept = stack.move();
  return { device, observed, judged, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Whoever had it is remembered until their volume is gone; a device that becomes a new volume is nobody's any more. */
const remember = (
  key: string,
  sighting: Sighting,
  wipe: WipeRecord,
  { recycles }: CleaningOrder,
  { ledger }: CleaningParts,
) => (recycles ? ledger.began(key, sighting, wipe) : ledger.set(key, () => afterWiping(undefined, sighting, wipe)));

export interface Plan {
  readonly observed: Observed;
  readonly refusal?: Refusal | undefined;
  readonly ofBytes: number;
}

/** What `clean` would do. The device is opened for reading only, and nobody is kept from using it meanwhile. */
export async function planCleaning(order: Intent & Pick<CleaningOrder, 'others'>, parts: CleaningParts): Promise<Plan> {
  const outside = isOutsideTheDeviceDirectory(order, order.config);
  if (outside) throw new Refused(order.path, outside);
  const open = async () => ({
    device: await parts.host.devices.open(order.path, { access: 'read' }),
    isHeld: true,
  });
  const looked = await lookAt(
    order.path,
    open,
    looking(parts, async () => order.others),
  );
  if ('refusal' in looked) throw new Refused(order.path, looked.refusal);
  await using _open = looked;
  const { observed } = looked;
  const { refusal, clean: known } = judge(observed, order, parts);
  const ofBytes = known ? 0 : lengthOf(courseOf(order.config.wipeMethod, observed.facts.sizeBytes));
  return { observed, refusal, ofBytes };
}

const looking = ({ host, patience, settings }: CleaningParts, volumes: CleaningOrder['othersNow']): LookingParts => ({
  host,
  patience,
  trustInit: settings.trustInit,
  volumes,
});

interface Judged {
  /** What the ledger knows it under. */
  readonly key: string;
  readonly sighting: Sighting;
  readonly entry: LedgerEntry | undefined;
  /** The entry is about this very device, and it has neither grown nor moved on its disk since. */
  readonly isAsRecorded: boolean;
  readonly refusal?: Refusal | undefined;
  /** Refusals that a person has lifted. */
  readonly lifted: readonly Refusal[];
  /** It need not be wiped: it was, and nobody has had it since. */
  readonly clean?: Clean | undefined;
}

function judge(observed: Observed, { path, config, recycles }: Intent, parts: CleaningParts, guards = GUARDS): Judged {
  const identity = identityOf(observed.facts);
  const key = parts.ledger.keyOf(identity, path);
  const sighting = sightingOf(identity, path, observed, parts.boot);
  const entry = entryOf(key, sighting, recycles, parts.ledger);
  const isEntryCertain = entry !== undefined && isCertain(entry, sighting);
  const purpose: Purpose = {
    deviceDir: config.deviceDir,
    method: config.wipeMethod,
    cluster: parts.cluster,
    entry,
    isEntryCertain,
    isInsertedAnew: entry !== undefined && !isNamed(identity) && isOtherInsertion(entry, sighting),
    recycles,
    wipeExisting: config.wipeExisting,
    approved: approvedOf(sighting, parts),
  };
  const isAsRecorded = isEntryCertain && isSame(entry.identity, identity);
  const refusal = whyNotToWipe(observed, purpose, guards);
  const lifted = liftedOf(observed, purpose);
  const known = isAsRecorded && lifted.length === 0 ? cleanOf(entry, sighting, observed, config) : undefined;
  return { key, sighting, entry, isAsRecorded, refusal, lifted, clean: known };
}

/**
 * What is known of it; or else of one that was at its path and that it may be, if all that differs is what is told of its name. Then
 * that somebody had that one counts, and nothing that was done to it. That somebody has that one counts before all that is known of it
 * under the name that it tells now, which may be from before.
 */
function entryOf(
  key: string,
  device: Sighting,
  recycles: Recycled | undefined,
  ledger: Ledger,
): LedgerEntry | undefined {
  const known = isNamed(device.identity) ? ledger.get(key) : unnamedEntryOf(key, device, recycles, ledger);
  const doubts = doubtsAbout(device, ledger);
  return (recycles ? undefined : doubts.find(isBound)) ?? known ?? mostTelling(doubts);
}

/**
 * Of a device without a name, another size is another device. It may have been found at another path since it was put in: then that
 * somebody had it there counts before all else.
 */
function unnamedEntryOf(
  key: string,
  device: Sighting,
  recycles: Recycled | undefined,
  ledger: Ledger,
): LedgerEntry | undefined {
  const entry = ledger.get(key);
  const own = entry && isSame(entry.identity, device.identity) ? entry : undefined;
  if (recycles) return own;
  const elsewhere = atOtherPaths(key, device, ledger).map(([, other]) => other);
  return elsewhere.find(isBound) ?? mostTelling(own ? [own, ...elsewhere] : elsewhere);
}

const doubtsAbout = (device: Sighting, ledger: Ledger): readonly LedgerEntry[] =>
  underOtherNames('', device, ledger).map(([, entry]) => entry);

const mostTelling = (entries: readonly LedgerEntry[]): LedgerEntry | undefined =>
  entries.find(isBound) ?? entries.find(tellsMore) ?? entries[0];

const isBound = ({ volume }: LedgerEntry): boolean => volume?.phase === 'Bound';

/** Than that the device was there. */
const tellsMore = ({ volume, wipe, clean: known }: LedgerEntry): boolean =>
  volume !== undefined || wipe !== undefined || known !== undefined;

const atOtherPaths = (key: string, device: Sighting, ledger: Ledger) =>
  isNamed(device.identity)
    ? []
    : [...ledger.entries()].filter(([other, entry]) => other !== key && isSameUnnamed(entry, device));

const underOtherNames = (key: string, { identity, path }: Sighting, ledger: Ledger) =>
  [...ledger.entries()].filter(
    ([other, entry]) => other !== key && entry.path === path && mayBeOne(entry.identity, identity),
  );

/** The insertion is that of the disk: its partitions have it in common. */
const isSameUnnamed = (entry: Sighting, now: Sighting): boolean =>
  isSameInsertion(entry, now) && isSame(entry.identity, now.identity);

/** The device is about to become a volume under this key: what it was under others does not count any more. */
async function forgetOtherPaths(key: string, device: Sighting, { ledger }: CleaningParts): Promise<void> {
  const others = [...atOtherPaths(key, device, ledger), ...underOtherNames(key, device, ledger)];
  await Promise.all(others.map(([other, entry]) => ledger.set(other, () => afterFinding(undefined, entry))));
}

/**
 * It has the same name, or it has been in this machine, which has not been off, since then. A partition that begins elsewhere on its disk
 * is another one, whatever its number. Where only a part of the name is told now, it has to be as large and in the same place as well: a
 * serial number alone is what some makers give to all of their disks.
 */
const isCertain = (entry: Sighting, now: Sighting): boolean =>
  isOneDevice(entry.identity, now.identity) &&
  (isNamed(now.identity) ? isSameName(entry, now) : isSameInsertion(entry, now));

const isSameName = (entry: Sighting, now: Sighting): boolean =>
  keyOf(entry.identity, '') === keyOf(now.identity, '') ||
  (isSame(entry.identity, now.identity) && entry.path === now.path);

const isSameInsertion = (one: Insertion, other: Insertion): boolean =>
  one.boot !== '' &&
  one.boot === other.boot &&
  one.diskSequence !== undefined &&
  one.diskSequence === other.diskSequence;

const isOtherInsertion = (one: Insertion, other: Insertion): boolean =>
  one.boot !== '' &&
  one.boot === other.boot &&
  one.diskSequence !== undefined &&
  other.diskSequence !== undefined &&
  one.diskSequence !== other.diskSequence;

type Insertion = Pick<Sighting, 'boot' | 'diskSequence'>;

const insertionOf = ({ boot, diskSequence }: Sighting): Insertion => ({
  boot,
  ...(diskSequence !== undefined && { diskSequence }),
});

/** What was wiped in another way than is asked for now is wiped again; so is what does not look as if it had been. */
function cleanOf({ clean: known }: LedgerEntry, now: Sighting, observed: Observed, config: Config): Clean | undefined {
  if (!known || !isSameInsertion(known, now) || known.receipt.method !== config.wipeMethod) return undefined;
  if (!isAsWiped(observed, known.receipt.method)) return undefined;
  return config.wipeVerify === 'all' && known.receipt.verified !== 'all' ? undefined : known;
}

/** Of those from before the ledger was begun nobody knows whether they were used. */
function approvedOf(device: Sighting, { approvals, ledger, clock }: CleaningParts): ReadonlySet<string> {
  const counting = givenFor(device, approvals()).filter(
    (approval) =>
      !ledger.hasUsed(approval.id) &&
      isSame(approval.identity, device.identity) &&
      isInForce(approval, clock.now()) &&
      Date.parse(approval.at) >= ledger.since.getTime(),
  );
  return new Set(counting.map(({ fact }) => fact));
}

export const sightingOf = (
  identity: Identity,
  path: string,
  { facts }: Pick<Observed, 'facts'>,
  boot: string,
): Sighting => ({
  identity,
  path,
  boot,
  ...(facts.diskSequence !== undefined && { diskSequence: facts.diskSequence }),
});
