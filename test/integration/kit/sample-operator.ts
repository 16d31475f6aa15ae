/**
 * A whole operator of the kit, in a process of its own: it copies the annotation `wanted` of each config map into its data.
 * Run as `sample-operator.ts JSON` with what `SampleSettings` says.
 */
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { done } from '../../../src/kit/controller/outcome.ts';
import { each } from '../../../src/kit/controller/sources.ts';
import { clusterAccess } from '../../../src/kit/kube/cluster-access.ts';
import { keyOf, refOf } from '../../../src/kit/kube/resource.ts';
import { runProgram } from '../../../src/kit/manager/program.ts';
import { stopSignals } from '../../../src/kit/manager/stop-signals.ts';
import { parseBindAddress } from '../../../src/kit/observe/bind-address.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import { referenceTo } from '../../../src/kit/observe/reference.ts';
import { CONFIG_MAPS, type ConfigMap } from './connected.ts';

export interface SampleSettings {
  readonly kubeconfig: string;
  readonly instance: string;
  readonly listen: string;
  readonly elect?: boolean;
  /** Each reconcile takes this long before it writes. */
  readonly pauseMs?: number;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as SampleSettings;
const clock = systemClock;
const log = openLog({ clock, level: 'info', format: 'json' });
const address = parseBindAddress(settings.listen);
const listening = address && { address, flag: '--listen' };
using stopping = stopSignals(process, (signal) => log.info({ signal }, 'stopping'));

const seenIn = ({ metadata, data }: ConfigMap) => ({
  metadata,
  wanted: metadata.annotations?.wanted,
  has: data?.wanted,
});

await runProgram(
  {
    name: 'sample',
    version: '0',
    instance: settings.instance,
    access: await clusterAccess({ clock, env: {}, kubeconfig: settings.kubeconfig }),
    clock,
    random: Math.random,
    log,
    metricsAt: listening,
    healthAt: listening,
    election: settings.elect ? { namespace: 'default' } : undefined,
    setUp({ caches, controller, client, events }) {
      const view = caches.view(CONFIG_MAPS, { project: seenIn, namespace: 'default' });
      const recorder = events.recorder('holdfast.dev/sample');
      return [
        controller({
          name: 'sample',
          sources: [each(view)],
          async reconcile(key, { signal }) {
            const seen = view.get(key);
            if (!seen || seen.wanted === undefined || seen.wanted === seen.has) return done;
            if (settings.pauseMs)
              await new Promise((resolve) => clock.after(settings.pauseMs ?? 0, () => resolve(undefined)));
            const { uid = '' } = seen.metadata;
            const patch = { data: { wanted: seen.wanted } };
            await client.mergePatch(CONFIG_MAPS, refOf(key), patch, { preconditions: { uid }, signal });
            const regarding = referenceTo(CONFIG_MAPS, { metadata: seen.metadata });
            const note = `copied to ${keyOf(refOf(key))}`;
            recorder.record({ regarding, type: 'Normal', reason: 'Copied', action: 'Copy', note });
            return done;
          },
        }),
      ];
    },
  },
  stopping.signal,
).catch((error: unknown) => {
  log.error({ err: error }, 'ended with an error');
  process.exitCode = 1;
});
