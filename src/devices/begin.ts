/** Begins the work on the devices of a node, for an agent and for whoever only looks: with what was remembered, and where this is. */
import { clusterUid } from '../api/namespaces.ts';
import { type ApiError, allowed } from '../kit/kube/api-error.ts';
import type { Log } from '../kit/observe/log.ts';
import { Slots } from '../kit/slots.ts';
import { Ledger } from './ledger/ledger.ts';
import { LiveVolumes } from './live.ts';
import { type ReconcileParts, reconciler } from './reconcile.ts';

type FoundHere = 'ledger' | 'boot' | 'cluster' | 'live' | 'slots' | 'stopping';

export interface Beginning extends Omit<ReconcileParts, FoundHere> {
  /** Hears what is wrong with the ledger. */
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Without the right to know which cluster this is, devices of another one cannot be told from ours. */
  readonly clusterIsUnknown: (error: ApiError) => void;
}

export interface Begun {
  readonly reconcile: ReturnType<typeof reconciler>;
  /** Aborted when another agent works on these devices. */
  readonly taken: AbortSignal;
  /** That, or the signal. */
  readonly stopping: AbortSignal;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export async function begin({ log, signal, clusterIsUnknown, ...parts }: Beginning): Promise<Begun> {
  const { host, clock, client, settings } = parts;
  const live = new LiveVolumes(client, settings.node);
  const ledger = await (settings.dryRun ? Ledger.copy : Ledger.open)(
    settings.stateDir,
    { files: host.files, clock, log },
    () => live.labelled(settings.node, signal),
  );
  const { taken } = ledger;
  const stopping = AbortSignal.any([signal, taken]);
  const boot = (await host.files.readText(BOOT_ID))?.trim() ?? '';
  const cluster = (await allowed(clusterUid(client, signal), clusterIsUnknown)) ?? '';
  const slots = new Slots(settings.wipesAtOnce);
  return { reconcile: reconciler({ ...parts, live, ledger, boot, cluster, slots, stopping }), taken, stopping };
}
