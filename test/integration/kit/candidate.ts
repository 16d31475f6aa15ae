/**
 * A process of its own that stands for election and, while it leads, writes to a config map as fast as it can.
 * Run as `candidate.ts KUBECONFIG IDENTITY`. Says `leading` when it leads, and how it ended.
 */
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { clusterAccess } from '../../../src/kit/kube/cluster-access.ts';
import { connect } from '../../../src/kit/kube/connect.ts';
import { Elector } from '../../../src/kit/lead/elector.ts';
import { silentLog } from '../../../src/kit/observe/log.ts';
import { CONFIG_MAPS } from './connected.ts';

const [kubeconfig = '', identity = ''] = process.argv.slice(2);
const parts = { clock: systemClock, random: Math.random };
const access = await clusterAccess({ clock: systemClock, env: {}, kubeconfig });
const connection = connect(access, { ...parts, userAgent: identity });
const elector = new Elector({
  ...parts,
  client: connection.client,
  log: silentLog,
  namespace: 'default',
  name: 'the-lease',
  identity,
  timing: { durationMs: 3_000, renewDeadlineMs: 2_000, renewMs: 300, retryMs: 300 },
});
const client = connection.client.gatedBy(elector.gate);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const ending = await elector.run(stop.signal, async (signal) => {
  console.log('leading');
  for (let count = 0; !signal.aborted; count++) {
    const ref = { namespace: 'default', name: 'written-by-the-leader' };
    await client.mergePatch(CONFIG_MAPS, ref, { data: { [identity]: `${count}` } }, { signal }).catch(() => undefined);
    await new Promise(setImmediate);
  }
});
console.log(ending);
await connection.close();
