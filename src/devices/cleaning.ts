/**
 * Makes a device clean: holds it, looks at it, lets the guards judge, and wipes it by the same descriptor. The only way by which this
 * job destroys anything.
 */
import { Refuse } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { Patience } from '../kit/patience.ts';
import { courseOf, lengthOf } from '../kit/wipe/course.ts';
import type { DevicesSettings } from './contract.ts';
import { GUARDS_OF_THE_NODE, type Guard, isOutsideTheDeviceDirectory } from './guards.ts';
import { hold } from './held.ts';
import { givenFor, type Intent, type Judged, type JudgingParts, judge } from './judging.ts';
import { forgetOtherPaths } from './known-entry.ts';
import { afterWiping } from './ledger/changes.ts';
import type { Receipt, Sighting, WipeRecord } from './ledger/entry.ts';
import { type Looked, lookAt } from './looking.ts';
import type { ObserveOptions } from './observe.ts';
import type { Observed } from './observed.ts';
import { explain, type Refusal, remedyOf } from './refusals.ts';
import { insertionOf } from './sighting.ts';
import { NotAsWritten, wipeHeld } from './wiping.ts';

export interface CleaningParts extends JudgingParts {
  readonly host: Host;
  readonly settings: DevicesSettings;
  /** With devices that may never answer. */
  readonly patience: Patience;
}

export interface CleaningOrder extends Intent {
  /** Other volumes of this node, whatever made them. */
  readonly others: ObserveOptions['volumes'];
  /** The same, asked for when the device is held: who has made one since could have begun to use it before that. */
  readonly othersNow: () => Promise<ObserveOptions['volumes']>;
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

/**
 * Rejects with `Refused` where this node alone can tell that the device will not be cleaned: what is in use is looked at again and again,
 * and to read all volumes of the cluster each time would be much to ask of its API server. Where it does not, nothing is known yet.
 */
export async function lookFirst(intent: Intent, parts: CleaningParts): Promise<void> {
  const open = () => hold(parts.host, intent.path, 'read');
  await using _held = await allowed(intent, { open, others: async () => [], guards: GUARDS_OF_THE_NODE }, parts);
}

/** Gives back what `whileHeld` does: until that has ended, nobody else can get the device. */
export async function clean<T>(
  order: CleaningOrder,
  parts: CleaningParts,
  signal: AbortSignal,
  whileHeld: (cleaned: Cleaned) => Promise<T>,
): Promise<T> {
  const held = (access: 'read' | 'read-write') => () => hold(parts.host, order.path, access);
  await (await allowed(order, { open: held('read'), others: async () => order.others }, parts))[Symbol.asyncDispose]();
  await using look = await allowed(order, { open: held('read-write'), others: order.othersNow }, parts);
  const { observed, judged } = look;
  const { key, sighting } = judged;
  const { number } = observed.facts;
  if (judged.lifted.length > 0) await useApprovals(sighting, parts);
  await order.beforeWiping();
  for (const refusal of judged.lifted) order.onApprovalUsed(refusal);
  if (!order.recycles) await forgetOtherPaths(key, sighting, parts.ledger);
  const receipt = judged.clean?.receipt ?? (await wiped(order, look, parts, signal));
  if (!order.recycles) await useApprovals(sighting, parts);
  return await whileHeld({ key, number, device: sighting, receipt });
}

async function wiped(
  order: CleaningOrder,
  { device, observed, judged }: JudgedLook,
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

/** How a device is looked at. */
interface Look {
  readonly open: () => ReturnType<typeof hold>;
  readonly others: CleaningOrder['othersNow'];
  /** All of them, if it is not said which. */
  readonly guards?: readonly Guard[];
}

/** Of a device that is open until this is disposed of. */
interface JudgedLook extends Looked {
  readonly judged: Judged;
}

/** Rejects with `Refused` where the device cannot be looked at, and then nothing is open. What the guards say is for the caller. */
async function judgedLook(intent: Intent, { open, others, guards }: Look, parts: CleaningParts): Promise<JudgedLook> {
  const { path, config } = intent;
  const outside = isOutsideTheDeviceDirectory(intent, config);
  if (outside) throw new Refused(path, outside);
  const { host, patience, settings } = parts;
  const looked = await lookAt(path, open, { host, patience, trustInit: settings.trustInit, volumes: others });
  if ('refusal' in looked) throw new Refused(path, looked.refusal);
  await using stack = new AsyncDisposableStack();
  const { device, observed } = stack.use(looked);
  const judged = judge(observed, intent, parts, guards);
  const kept = stack.move();
  return { device, observed, judged, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The same, of a device that the guards let be wiped. Rejects with `Refused` if one of them does not. */
async function allowed(intent: Intent, how: Look, parts: CleaningParts): Promise<JudgedLook> {
  const look = await judgedLook(intent, how, parts);
  const { refusal } = look.judged;
  if (!refusal) return look;
  await look[Symbol.asyncDispose]();
  throw new Refused(intent.path, refusal, look.observed);
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
  const open = async () => ({
    device: await parts.host.devices.open(order.path, { access: 'read' }),
    isHeld: true,
  });
  await using look = await judgedLook(order, { open, others: async () => order.others }, parts);
  const { observed, judged } = look;
  const ofBytes = judged.clean ? 0 : lengthOf(courseOf(order.config.wipeMethod, observed.facts.sizeBytes));
  return { observed, refusal: judged.refusal, ofBytes };
}
