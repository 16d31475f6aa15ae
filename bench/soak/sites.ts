/** Two real clusters and an object store between them, and all five jobs at work in them, each with somebody who uses it all the time. */

import { PV_POOLS } from '../../src/pool/contract.ts';
import { setup } from '../../test/harness/built.ts';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { startControlPlane } from '../../test/harness/control-plane.ts';
import { type Environment, type Holdfast, startHoldfastIn } from '../../test/harness/holdfast.ts';
import { holdfastImage } from '../../test/harness/played-container.ts';
import { PlayedPods } from '../../test/harness/played-pods.ts';
import { createClass } from '../../test/harness/played-volumes.ts';
import { deployAgents } from '../../test/integration/devices/rights.ts';
import { addKind } from '../../test/integration/kinds.ts';
import { OURS } from '../../test/integration/pool/world.ts';
import { addSyncs, aSync, SYNCS } from '../../test/integration/sync/shipped.ts';
import { startBucket } from '../sync/site.ts';
import type { Churn } from './churn/churn.ts';
import { DevicesChurn } from './churn/devices.ts';
import { LvmChurn } from './churn/lvm.ts';
import { PoolChurn } from './churn/pool.ts';
import { VolumesChurn } from './churn/volumes.ts';
import { PatientClient } from './patient-client.ts';
import { type WatchedProcess, watchedHoldfast } from './watched.ts';

const CLUSTER = 'soak';
const POOLS = `/apis/${PV_POOLS.group}/${PV_POOLS.version}/${PV_POOLS.plural}`;

export interface Sites extends AsyncDisposable {
  readonly here: ControlPlane;
  readonly there: ControlPlane;
  readonly processes: readonly WatchedProcess[];
  readonly churns: readonly Churn[];
}

export async function startSites(progress: (line: string) => void): Promise<Sites> {
  await using undo = new AsyncDisposableStack();
  await setup();
  progress('  starting two control planes and an object store');
  const bucket = undo.use(await startBucket());
  const here = undo.use(await startControlPlane({ controllers: true }));
  const there = undo.use(await startControlPlane({ controllers: true }));
  const [client, clientThere] = [new PatientClient(here.admin), new PatientClient(there.admin)];
  const pods = undo.use(await installHere(here));
  await installThere(there);

  progress('  starting the jobs');
  const controller = undo.use(await startJob('controller', here, bucket.environment));
  const recovery = undo.use(await startJob('sync', there, bucket.environment));
  const volumes = new VolumesChurn(client, clientThere);
  await volumes.begin(here.admin);
  const pool = await PoolChurn.begin(here.admin, pods);
  const agents = undo.use(await deployAgents(here));
  const devices = undo.use(
    await DevicesChurn.begin({ plane: here, agents, [Symbol.asyncDispose]: async () => {} }, client),
  );
  progress('  starting a guest with a volume group');
  const lvm = undo.use(await LvmChurn.begin(here));

  const processes: readonly WatchedProcess[] = [
    watchedHoldfast('controller (topology, pool, sync)', controller),
    watchedHoldfast('sync in the recovery cluster', recovery),
    watchedHoldfast('devices', devices.agent),
    watchedLvm(lvm),
    ...pool.lasting.map((ordinal) => watchedAgent(pool, ordinal, pods)),
  ];
  const kept = undo.move();
  return {
    here,
    there,
    processes,
    churns: [volumes, pool, devices, lvm],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function installHere(plane: ControlPlane): Promise<PlayedPods> {
  await addKind(plane, 'pvpools.pvpool.noobaa.com', POOLS);
  await addSyncs(plane);
  await createClass(plane.admin, 'disk', { isDefault: true });
  await plane.admin.post(SYNCS, aSync(CLUSTER, { protectedCluster: CLUSTER, mode: 'Protected' }));
  const nodes = { a: 'zone-a', b: 'zone-b', c: 'zone-c' };
  return await PlayedPods.start({ plane, images: { [OURS]: holdfastImage }, nodes });
}

/** Volumes come and go so fast that after an outage more are gone than the job would take for normal. */
async function installThere(plane: ControlPlane): Promise<void> {
  await addSyncs(plane);
  const massDeletion = { moreThan: 100, morePercentThan: 80 };
  const spec = { protectedCluster: CLUSTER, mode: 'Recovery', pollingInterval: 5, massDeletion } as const;
  await plane.admin.post(SYNCS, aSync(CLUSTER, spec));
}

async function startJob(job: string, { kubeconfig }: ControlPlane, environment: Environment): Promise<Holdfast> {
  const program = await startHoldfastIn(
    environment,
    job,
    `--kubeconfig=${kubeconfig}`,
    '--health-probe-bind-address=0',
  );
  return program;
}

const watchedLvm = ({ address, agent }: LvmChurn): WatchedProcess => ({
  name: 'lvm',
  page: () => textOf(`http://${address}/metrics`),
  log: async () => agent.lines,
  ended: agent.ended(),
  hasControllers: true,
});

/** The kubelet starts it again when it ends, and counts that. It has no controllers. */
function watchedAgent({ pool }: PoolChurn, ordinal: number, pods: PlayedPods): WatchedProcess {
  const address = async () => (await pool.pod(ordinal)).status.podIP;
  const token = pool.token();
  return {
    name: `storage agent ${ordinal}`,
    page: async () => textOf(`http://${await address()}:8080/metrics`, await token),
    log: async () => (await pods.logOf(pool.podName(ordinal))).split('\n'),
    ended: async () => (await pool.pod(ordinal)).status.containerStatuses?.[0]?.restartCount ?? 0,
    hasControllers: false,
  };
}

async function textOf(url: string, token?: string): Promise<string> {
  const answer = await fetch(url, {
    signal: AbortSignal.timeout(20_000),
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return await answer.text();
}
