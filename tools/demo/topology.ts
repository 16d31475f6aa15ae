/**
 * `make demo`: the jobs that there are, at work on a real, throw-away control plane, told as it happens.
 * Ends by itself; on a terminal it stays until Ctrl-C, so that you can change something yourself and watch. `--once` never stays.
 */
import { styleText } from 'node:util';
import { aborted } from '../../src/kit/clock/aborted.ts';
import { stopSignals } from '../../src/kit/manager/stop-signals.ts';
import { controlPlaneBinaries } from '../../test/harness/binaries.ts';
import { setup } from '../../test/harness/built.ts';
import { startControlPlane } from '../../test/harness/control-plane.ts';
import { startFaultProxy } from '../../test/harness/fault-proxy.ts';
import { kubeconfigFlag, runHoldfast, startHoldfast } from '../../test/harness/holdfast.ts';
import { createServiceAccount } from '../../test/harness/users.ts';
import { eventually } from '../../test/harness/wait.ts';
import { MAY_LABEL, MAY_TELL } from '../../test/integration/topology/rights.ts';
import { REGION, World, ZONE } from '../../test/integration/topology/world.ts';

const started = performance.now();
const time = () => `${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s`;
const step = (text: string) => console.log(`\n${styleText('bold', text)}`);
const tell = (text: string) => console.log(`  ${styleText('dim', time())}  ${text}`);

await setup();
await demo();
process.exit(); // by itself Node 26 is busy for ever with a handle of a child process that has ended

async function demo(): Promise<void> {
  process.stdout.on('error', () => process.exit()); // nobody looks any more (`make demo | head`); what was started ends by itself
  using interrupted = stopSignals(process, () => {});

  step('A control plane of its own: etcd, API server, controllers and scheduler, on loopback, in memory');
  await using plane = await startControlPlane({ controllers: true });
  tell(`ready at ${plane.url}`);
  const world = new World({ name: 'demo', admin: plane.admin, controllers: true });
  const inA = await world.node({ zone: 'zone-a', region: 'region-1', cpu: 2 });
  const inB = await world.node({ zone: 'zone-b', region: 'region-1', cpu: 64 });
  tell(`two nodes: ${inA} in zone-a, and ${inB} in zone-b, which is far larger`);

  step('holdfast topology starts, with exactly its own rights, through a proxy that can break the network');
  await using proxy = await startFaultProxy(plane);
  await using account = await createServiceAccount(plane, {
    name: 'topology',
    namespace: 'default',
    clusterRules: [...MAY_LABEL, ...MAY_TELL],
  });
  const kubeconfig = await kubeconfigFlag(plane.directory, account, proxy);
  await using _job = await startHoldfast('topology', kubeconfig);
  tell('it reads volumes, claims, pods and nodes, and may patch volumes');

  const atTerminal = process.stdout.isTTY && !process.argv.includes('--once');
  await Promise.race([story().then(() => (atTerminal ? stay() : undefined)), aborted(interrupted.signal)]);

  async function story(): Promise<void> {
    step('A pod with a new volume becomes ready in zone-a');
    const volume = await world.volume();
    const claim = await world.claim(volume);
    const first = await world.pod({ claims: [claim], nodeSelector: { [ZONE]: 'zone-a' } });
    await placed(first);
    const readyAt = performance.now();
    await world.ready(first);
    await world.hasLabels(volume, { [ZONE]: 'zone-a', [REGION]: 'region-1' });
    tell(`${volume} is in zone-a, ${Math.round(performance.now() - readyAt)} ms after its pod was ready`);

    step(
      'The pod goes; the next one wants no zone. The scheduler would take the large node, but the volume is in zone-a',
    );
    await world.removePod(first);
    const second = await world.pod({ claims: [claim] });
    tell(`placed on ${await placed(second)}`);

    step('Somebody edits the label, while the network breaks');
    proxy.resetAllConnections();
    await world.edit(volume, { metadata: { labels: { [ZONE]: 'moon' } } }, 'somebody');
    await world.ready(second);
    await world.hasLabels(volume, { [ZONE]: 'zone-a', [REGION]: 'region-1' });
    tell('put back, and told:');
    await eventually(async () => (await world.events(volume)).length > 0, { for: 'the Event' });
    for (const { reason, note } of await world.events(volume)) tell(`${reason}: ${note}`);

    step('A shared volume is used in both zones');
    const shared = await world.volume({ modes: ['ReadWriteMany'], type: 'nfs' });
    const sharedClaim = await world.claim(shared);
    await world.readyPod(inA, sharedClaim);
    await world.readyPod(inB, sharedClaim);
    await world.hasLabels(shared, { [ZONE]: 'zone-a__zone-b', [REGION]: 'region-1' });
    tell(`${shared} is in zone-a__zone-b: the scheduler takes that for "in either"`);

    step('A pod that can never be placed: it wants zone-b, and its volume is in zone-a. And a volume that nobody uses');
    const impossible = await world.pod({ claims: [claim], nodeSelector: { [ZONE]: 'zone-b' } });
    await eventually(async () => (await world.whyPending(impossible)) ?? false, { for: 'the scheduler to give up' });
    await world.volume();
    tell('holdfast status topology says:');
    const { stdout } = await runHoldfast('status', 'topology', kubeconfig);
    console.log(stdout.replaceAll(/^/gm, '      ').trimEnd());

    const writes = proxy.count({ verb: 'patch', resource: 'persistentvolumes' });
    step(
      `All of that took ${writes} writes to volumes. docs/topology.md tells the rest, and docs/ has a page for each of the other four jobs`,
    );
  }

  /** Where the scheduler puts it. */
  async function placed(pod: string): Promise<string | undefined> {
    await eventually(async () => (await world.nodeOf(pod)) !== undefined, { for: `${pod} to be placed` });
    return await world.nodeOf(pod);
  }

  async function stay(): Promise<void> {
    step('Try it yourself (Ctrl-C ends it and leaves nothing behind)');
    const kubectl = `${controlPlaneBinaries()}/kubectl --kubeconfig ${plane.kubeconfig}`;
    console.log(`  ${kubectl} get pv -L ${ZONE},${REGION}`);
    console.log(`  ${kubectl} label node ${inA} ${ZONE}=zone-c --overwrite`);
    await aborted(interrupted.signal);
  }
}
