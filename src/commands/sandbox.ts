/** `holdfast sandbox`: a cluster in this process, with nodes on which pods run, on a loopback port, until it is stopped. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORAGE_CLASSES } from '../api/storage-classes.ts';
import { customResources } from '../custom-resources.ts';
import { type Certificate, createAuthority } from '../kit/certificates.ts';
import { type Clock, systemClock } from '../kit/clock/clock.ts';
import { MortalClock } from '../kit/clock/mortal.ts';
import { stopSignals } from '../kit/manager/stop-signals.ts';
import { customResourceDefinition } from '../kit/manifests/crd.ts';
import { Cluster } from '../sandbox/cluster.ts';
import { type Listening, listen } from '../sandbox/http.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../sandbox/kinds/resources.ts';
import { kubeconfigFor } from '../sandbox/kubeconfig.ts';
import { ADMIN } from '../sandbox/server/target.ts';
import { PROVISIONER } from '../sandbox/world/provisioner.ts';
import { World } from '../sandbox/world/world.ts';
import { flag } from './flags/flag.ts';
import { integer } from './flags/integer.ts';
import { type OptionsOf, runs } from './flags/options.ts';
import { text } from './flags/text.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import type { Define, Terminal } from './line/command.ts';
import { addExamples } from './line/help.ts';

const flags = {
  port: flag('--port', 'the loopback port to serve the API on; 0 for any that is free', integer(0, 65_535), {
    default: '0',
  }),
  nodes: flag('--nodes', 'how many nodes it has, in three zones', integer(0, 5_000), { default: '3' }),
  kubeconfigOut: flag(
    '--kubeconfig-out',
    'the file to write the kubeconfig to; it stays when the sandbox ends. One that no sandbox has written is left as it is',
    text('file', 'sandbox.yaml'),
  ),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast sandbox': 'a cluster to try things on; it says how to reach it',
    'holdfast sandbox --nodes 50': 'a larger one',
    'holdfast sandbox --port 6443 --kubeconfig-out sandbox.yaml': 'at a fixed place, for scripts',
  });
  runs(command, flags, terminal, (options) => serve(options, terminal));
};

async function serve({ port, nodes, kubeconfigOut }: OptionsOf<typeof flags>, terminal: Terminal): Promise<void> {
  const authority = createAuthority('holdfast-sandbox');
  const certificate = authority.issueServer({ commonName: 'sandbox' }, [
    '127.0.0.1',
    'localhost',
    'kubernetes.default.svc',
  ]);
  const clock = new MortalClock(systemClock);
  using _end = { [Symbol.dispose]: () => clock.die() }; // whatever still waits for a time keeps nobody
  const cluster = new Cluster({ clock, random: Math.random });
  using _world = populated(cluster, clock, nodes, authority.certificate);
  await using place = await placeFor(kubeconfigOut);
  await using listening = await listenAt(port, cluster, certificate, clock);
  const { url } = listening;
  const token = cluster.access.tokens.give(ADMIN);
  await writeKubeconfig(place.path, kubeconfigFor({ url, ca: authority.certificate, token }));
  terminal.stdout.write(howToUse(url, place.path));
  using stopping = stopSignals(process, () => {});
  await once(stopping.signal, 'abort');
}

async function listenAt(port: number, { server }: Cluster, certificate: Certificate, clock: Clock): Promise<Listening> {
  try {
    return await listen(server, certificate, port, clock);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? 'something else listens there; choose another port, or 0 for any that is free'
        : code === 'EACCES'
          ? 'this user may not use ports that low; choose one above 1023, or 0 for any that is free'
          : message;
    throw new Error(`cannot listen on port ${port} (--port): ${why}`, { cause });
  }
}

const ZONES = ['a', 'b', 'c'];
const REGION = 'sandbox';

/** What is there from the beginning: nodes, a class that volumes are made by, and the kinds that Holdfast adds. */
function populated(cluster: Cluster, clock: Clock, nodes: number, certificate: string): Disposable {
  const world = new World({ cluster, clock, random: Math.random, certificate });
  for (let index = 0; index < nodes; index++) {
    const zone = `${REGION}-${ZONES[index % ZONES.length]}`;
    world.addNode(`node-${index + 1}`, {
      'topology.kubernetes.io/zone': zone,
      'topology.kubernetes.io/region': REGION,
    });
  }
  cluster.objects.create(STORAGE_CLASSES, {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  });
  for (const resource of customResources)
    cluster.objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(resource));
  return { [Symbol.dispose]: () => world.stop() };
}

/** A file of its own, which goes when the sandbox ends, or the one that was asked for, which stays. */
async function placeFor(path: string | undefined): Promise<AsyncDisposable & { readonly path: string }> {
  if (path !== undefined) return { path, async [Symbol.asyncDispose]() {} };
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-sandbox-'));
  return {
    path: join(directory, 'kubeconfig'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

const howToUse = (url: string, kubeconfig: string): string =>
  [
    `A sandbox cluster is ready at ${url}. All of it is in this process, and goes with it.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get nodes',
    '  holdfast status topology',
    '',
    'Stop it with Ctrl-C. docs/sandbox.md says what it can do, and what it leaves out.',
    '',
  ].join('\n');
