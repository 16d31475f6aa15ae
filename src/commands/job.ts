/** Runs a job as its command's flags say, until it is told to stop. What the commands of all jobs have in common. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { buildInfo } from '../kit/build-info.ts';
import { systemClock } from '../kit/clock/clock.ts';
import { clusterAccess } from '../kit/kube/cluster-access.ts';
import { type ProgramParts, runProgram } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { stopSignals } from '../kit/manager/stop-signals.ts';
import type { BindAddress } from '../kit/observe/bind-address.ts';
import type { Listening } from '../kit/observe/endpoints.ts';
import { openLog } from '../kit/observe/open-log.ts';
import type { RuntimeOptions } from './flags/runtime.ts';
import type { Terminal } from './line/command.ts';

export interface Job {
  readonly name: string;
  /** Where to serve metrics and health, each with the flag that said so. */
  readonly metricsAt?: Listening | undefined;
  readonly healthAt?: Listening | undefined;
  /** Asks for the views that its controllers need, and makes them. */
  readonly setUp: (parts: ProgramParts) => readonly Runnable[];
}

/** For what is left to be said at the end. Nothing that hangs on may keep the process alive for longer. */
const LAST_WORDS_MS = 1_000;

export async function runJob(job: Job, options: RuntimeOptions, { env }: Terminal): Promise<void> {
  const clock = systemClock;
  const log = openLog({ clock, level: options.logLevel, format: options.logFormat, env });
  const { kubeconfig, master, leaderElect, leaderElectNamespace } = options;
  const access = await clusterAccess({ clock, env, ...(kubeconfig && { kubeconfig }), ...(master && { master }) });
  using stopping = stopSignals(process, (signal) => log.info({ signal }, 'stopping; once more to end at once'));
  try {
    await runProgram(
      {
        ...job,
        version: buildInfo().version,
        instance: instanceIn(env),
        access,
        clock,
        random: Math.random,
        log,
        election: leaderElect ? { namespace: leaderElectNamespace ?? access.namespace } : undefined,
      },
      stopping.signal,
    );
  } finally {
    setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
  }
}

/** The name of this process, different from that of any other that ever lived. */
export const instanceIn = (env: Terminal['env']): string => `${env.POD_NAME || hostname()}_${randomUUID()}`;

/** Where a flag says to listen; nothing when it says `0`. */
export const listening = (address: BindAddress | 'off', flag: string): Listening | undefined =>
  address === 'off' ? undefined : { address, flag };
