/** `holdfast sandbox`: a cluster in this process, on a loopback port, until it is stopped. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../kit/certificates.ts';
import { systemClock } from '../kit/clock/clock.ts';
import { stopSignals } from '../kit/manager/stop-signals.ts';
import { Cluster } from '../sandbox/cluster.ts';
import { listen } from '../sandbox/http.ts';
import { kubeconfigFor } from '../sandbox/kubeconfig.ts';
import { ADMIN } from '../sandbox/server/target.ts';
import { flag } from './flags/flag.ts';
import { integer } from './flags/integer.ts';
import { runs } from './flags/options.ts';
import { text } from './flags/text.ts';
import type { Define, Terminal } from './line/command.ts';
import { addExamples } from './line/help.ts';

const flags = {
  port: flag('--port', 'the loopback port to serve the API on; 0 for any that is free', integer(0, 65_535), {
    default: '0',
  }),
  kubeconfigOut: flag(
    '--kubeconfig-out',
    'the file to write the kubeconfig to; it stays when the sandbox ends',
    text('file', 'sandbox.yaml'),
  ),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast sandbox': 'a cluster to try things on; it says how to reach it',
    'holdfast sandbox --port 6443 --kubeconfig-out sandbox.yaml': 'at a fixed place, for scripts',
  });
  runs(command, flags, terminal, ({ port, kubeconfigOut }) => serve(port, kubeconfigOut, terminal));
};

async function serve(port: number, kubeconfigOut: string | undefined, terminal: Terminal): Promise<void> {
  const authority = createAuthority('holdfast-sandbox');
  const certificate = authority.issueServer({ commonName: 'sandbox' }, [
    '127.0.0.1',
    'localhost',
    'kubernetes.default.svc',
  ]);
  const cluster = new Cluster({ clock: systemClock, random: Math.random });
  await using place = await placeFor(kubeconfigOut);
  await using listening = await listen(cluster.server, certificate, port);
  const { url } = listening;
  const token = cluster.access.tokens.give(ADMIN);
  await writeFile(place.path, kubeconfigFor({ url, ca: authority.certificate, token }), { mode: 0o600 });
  terminal.stdout.write(howToUse(url, place.path));
  using stopping = stopSignals(process, () => {});
  await once(stopping.signal, 'abort');
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
    '  kubectl get namespaces',
    '  holdfast status topology',
    '',
    'Stop it with Ctrl-C. docs/sandbox.md says what it can do, and what it leaves out.',
    '',
  ].join('\n');
