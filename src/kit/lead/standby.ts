/** Waits beside a lease that another holds. A watch tells of each renewal, so that nobody has to ask for it, and at once when the lease is given back. */
import type { Clock } from '../clock/clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { LEASES, type Lease } from './lease.ts';

export interface StandbyOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Told of the lease whenever it is heard of. For how long nobody may take it, unless it is heard of again; nothing or less when somebody may. */
  readonly heardOf: (lease: Lease) => number;
}

/**
 * True when the lease may be free: it was given back or deleted, or was not heard of for as long as it is somebody's. False when the watch
 * ended before that; throws when it broke. Streams can stall, so whoever takes the lease after this reads it first.
 */
export async function untilFree(lease: Lease, options: StandbyOptions, signal: AbortSignal): Promise<boolean> {
  const { clock, heardOf } = options;
  const silence = new AbortController();
  const fall = () => silence.abort(new Error('the lease was not heard of'));
  let cancel = clock.after(heardOf(lease), fall);
  try {
    for await (const latest of versions(lease, options, AbortSignal.any([signal, silence.signal]))) {
      const leftMs = latest ? heardOf(latest) : 0;
      if (leftMs <= 0) return true;
      cancel();
      cancel = clock.after(leftMs, fall);
    }
    return false;
  } catch (error) {
    if (silence.signal.aborted) return true;
    throw error;
  } finally {
    cancel();
  }
}

/** The lease as it is after each change from then on; nothing when it was deleted. */
async function* versions(
  { metadata: { resourceVersion = '' } }: Lease,
  { client, namespace, name }: StandbyOptions,
  signal: AbortSignal,
): AsyncGenerator<Lease | undefined> {
  const watched = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  for await (const batch of client.watch(LEASES, watched))
    for (const { type, object } of batch) if (type !== 'BOOKMARK') yield type === 'DELETED' ? undefined : object;
}
