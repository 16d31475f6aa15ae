/** Runs a command that talks to the cluster and then ends: connects, and closes the connection whatever happens. */
import { buildInfo } from '../kit/build-info.ts';
import { systemClock } from '../kit/clock/clock.ts';
import type { CallRecord } from '../kit/kube/caller.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { clusterAccess } from '../kit/kube/cluster-access.ts';
import { connect } from '../kit/kube/connect.ts';
import { stopSignals } from '../kit/manager/stop-signals.ts';
import type { clusterFlags } from './flags/cluster.ts';
import type { OptionsOf } from './flags/options.ts';
import type { Terminal } from './line/command.ts';

export interface Visitor {
  readonly client: KubeClient;
  /** Aborted when the person wants it to end. */
  readonly signal: AbortSignal;
}

/** Who knows what time it is there. */
export interface TimedVisitor extends Visitor {
  /** By the cluster's clock, which its objects have their times from. */
  readonly now: () => Date;
}

export async function visit<T>(
  name: string,
  { kubeconfig, master }: OptionsOf<typeof clusterFlags>,
  { env }: Terminal,
  work: (visitor: TimedVisitor) => Promise<T>,
  onCall?: (call: CallRecord) => void,
): Promise<T> {
  const clock = systemClock;
  const access = await clusterAccess({ clock, env, ...(kubeconfig && { kubeconfig }), ...(master && { master }) });
  const userAgent = `holdfast-${name}/${buildInfo().version}`;
  using stopping = stopSignals(process, () => {});
  const connection = connect(access, { clock, random: Math.random, userAgent, ...(onCall && { onCall }) });
  try {
    return await work({ client: connection.client, signal: stopping.signal, now: connection.now });
  } finally {
    await connection.close();
  }
}
