/** `holdfast console`: a page that shows how the volumes of a cluster are, and what needs a person. */
import { randomUUID } from 'node:crypto';
import { ownUser, TokenDoor } from '../../console/access.ts';
import { ACTIONS, Actions } from '../../console/actions.ts';
import { ConsoleCluster } from '../../console/cluster.ts';
import { type Door, openDoor } from '../../console/door.ts';
import { nameIn } from '../../console/guard.ts';
import { ConsoleServer } from '../../console/server.ts';
import { PageFiles } from '../../console/static.ts';
import type { TlsFiles } from '../../console/tls.ts';
import { buildInfo } from '../../kit/build-info.ts';
import { aborted } from '../../kit/clock/aborted.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { KubeClient as Client } from '../../kit/kube/client.ts';
import { type ClusterAccess, clusterAccess } from '../../kit/kube/cluster-access.ts';
import { connect } from '../../kit/kube/connect.ts';
import { undiciTransport } from '../../kit/kube/undici-transport.ts';
import { stopSignals } from '../../kit/manager/stop-signals.ts';
import { type BindAddress, formatBindAddress } from '../../kit/observe/bind-address.ts';
import { openLog } from '../../kit/observe/open-log.ts';
import { ENV } from '../../sync/contract.ts';
import { keysFrom } from '../../sync/export/keys.ts';
import { openStore } from '../../sync/store/open.ts';
import { bindAddress } from '../flags/address.ts';
import { choice } from '../flags/choice.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { runtimeFlags } from '../flags/runtime.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { namespaceFlag } from '../reports/read.ts';
import { environmentIn, storeFlags } from '../sync/site.ts';

const DEFAULT_PORT = 8765;

const flags = {
  ...clusterFlags,
  ...storeFlags,
  context: flag(
    '--context',
    'the context of the kubeconfig, instead of its current one',
    text('context', 'production'),
    {
      emptyIsUnset: true,
    },
  ),
  listen: flag('--listen', 'where to listen; only on loopback, unless callers bring their own tokens', bindAddress, {
    default: `127.0.0.1:${DEFAULT_PORT}`,
  }),
  auth: flag(
    '--auth',
    'who is let in: everybody at this machine, with the rights of the kubeconfig, or who has a token of the cluster, with their own',
    choice('loopback', 'token'),
    { default: 'loopback' },
  ),
  host: flag(
    '--host',
    'names besides localhost under which it may be reached',
    listOf(text('name', 'console.example.com')),
    {
      emptyIsUnset: true,
    },
  ),
  tlsCertFile: flag(
    '--tls-cert-file',
    'the certificate to be shown, and those that vouch for it, as PEM; then it speaks HTTPS. Renewed files are taken up',
    text('file', '/tls/tls.crt'),
    { emptyIsUnset: true },
  ),
  tlsKeyFile: flag('--tls-key-file', 'the key of that certificate, as PEM', text('file', '/tls/tls.key'), {
    emptyIsUnset: true,
  }),
  namespace: namespaceFlag(),
  allowActions: flag('--allow-actions', 'lets people approve wipes, start drills and cancel drains', onOff, {
    default: 'false',
  }),
  logLevel: runtimeFlags.logLevel,
  logFormat: runtimeFlags.logFormat,
};

type Options = OptionsOf<typeof flags>;

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast console': 'look at the cluster of your kubeconfig',
    'holdfast console --allow-actions': 'and approve wipes, start drills and cancel drains there',
    'holdfast console --secret pvsync-operator/pvsync': 'with what a recovery would do now',
    'holdfast console --listen :8765 --auth token --namespace storage --host console.example.com --tls-cert-file /tls/tls.crt --tls-key-file /tls/tls.key':
      'in a cluster, for everybody who has a token',
  });
  runs(command, flags, terminal, (options) => run(options, terminal));
};

async function run(options: Options, terminal: Terminal): Promise<void> {
  const address = checked(options);
  const tls = tlsFilesIn(options);
  const { env } = terminal;
  const clock = systemClock;
  const log = openLog({ clock, level: options.logLevel, format: options.logFormat, env });
  const { kubeconfig, master, context } = options;
  const access = await clusterAccess({
    clock,
    env,
    ...(kubeconfig && { kubeconfig }),
    ...(master && { master }),
    ...(context && { context }),
  });
  using stopping = stopSignals(process, () => {});
  await using stack = new AsyncDisposableStack();
  const { version } = buildInfo();
  const userAgent = `holdfast-console/${version}`;
  const connection = connect(access, { clock, random: Math.random, userAgent });
  stack.defer(() => connection.close());
  const cluster = new ConsoleCluster({
    name: 'cluster',
    title: context ?? access.server.host,
    client: connection.client,
    clock,
    random: Math.random,
    log,
    instance: randomUUID(),
    namespace: options.namespace,
    store: await storeFor(options, connection.client, env, stopping.signal),
  });
  const end = new AbortController();
  const running = cluster.run(AbortSignal.any([stopping.signal, end.signal]));
  stack.defer(async () => {
    end.abort();
    await Promise.allSettled([running]);
  });
  const actions = stack.use(new Actions({ log, id: randomUUID }));
  const server = stack.use(
    await listenAt(
      {
        version,
        clusters: [cluster],
        door: options.auth === 'token' ? tokenDoor(access, userAgent, stack) : await doorFor(connection.client),
        clock,
        log,
        page: new PageFiles(),
        actions,
        allowed: options.allowActions ? ACTIONS : [],
        hosts: new Set((options.host ?? []).map(nameIn)),
        ...(tls && { tls }),
      },
      address,
      terminal,
    ),
  );
  const url = urlOf(tls ? 'https' : 'http', address, server.address.port);
  terminal.stdout.write(`The console of ${cluster.title} is at ${url}\n`);
  if (!tls && !isLoopback(address)) log.warn(CLEAR_TEXT);
  await Promise.race([aborted(stopping.signal), running]);
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

const isLoopback = ({ host = '' }: BindAddress): boolean => LOOPBACK.has(host);

const CLEAR_TEXT =
  'this console speaks plain HTTP and can be reached from other machines: tokens go there in clear text unless something before it ends TLS. ' +
  'Give it a certificate with --tls-cert-file and --tls-key-file, or listen on 127.0.0.1 and use kubectl port-forward';

function tlsFilesIn({ tlsCertFile: certFile, tlsKeyFile: keyFile }: Options): TlsFiles | undefined {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  throw new UsageError('--tls-cert-file and --tls-key-file belong together: name both, or none');
}

function checked({ listen, auth }: Options): BindAddress {
  if (listen === 'off')
    throw new UsageError('--listen 0 would have nobody reach the console: leave it out, or name an address');
  if (auth === 'loopback' && !isLoopback(listen))
    throw new UsageError(
      `--listen ${formatBindAddress(listen)} would let everybody in who reaches it, with the rights of your kubeconfig: ` +
        'listen on 127.0.0.1, or let callers bring their own tokens with --auth=token',
    );
  return listen;
}

/** The default port may well be taken, by another console. One that a person has chosen is another matter. */
async function listenAt(
  options: Parameters<typeof ConsoleServer.open>[0],
  address: BindAddress,
  { stderr }: Terminal,
): Promise<ConsoleServer> {
  try {
    return await ConsoleServer.open(options, address);
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
    if (!isTaken || address.port !== DEFAULT_PORT)
      throw new Error(
        `cannot listen on ${formatBindAddress(address)} (--listen): ${isTaken ? 'something else listens there' : String(cause)}`,
        { cause },
      );
    stderr.write(`Something else listens on port ${DEFAULT_PORT}: another one is taken.\n`);
    return ConsoleServer.open(options, { ...address, port: 0 });
  }
}

const urlOf = (scheme: 'http' | 'https', { host }: BindAddress, port: number): string =>
  `${scheme}://${host === undefined || host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}/`;

/** The log says who it was, as far as the cluster tells. */
async function doorFor(client: KubeClient): Promise<Door> {
  const user = await ownUser(client).catch(() => undefined);
  return openDoor(user ?? 'somebody at this machine');
}

/** Callers share the connections, and never the certificate of the console: the cluster would take them for it. */
function tokenDoor({ server, tls, proxy }: ClusterAccess, userAgent: string, stack: AsyncDisposableStack): Door {
  const clock = systemClock;
  const bare = () => {
    const { cert: _, key: __, ...rest } = tls();
    return rest;
  };
  let kept = bare();
  const transport = undiciTransport({
    server,
    tls: () => {
      const now = bare();
      kept = now.ca === kept.ca && now.servername === kept.servername ? kept : now;
      return kept;
    },
    ...(proxy && { proxy }),
  });
  stack.defer(() => transport.close());
  const clientFor = (token: string) =>
    new Client({
      transport,
      clock,
      random: Math.random,
      userAgent,
      authorize: () => ({ authorization: `Bearer ${token}` }),
    });
  return new TokenDoor({ clock, clientFor });
}

/** Where nothing says which store it is, there is none: then plans and drills say so. */
async function storeFor({ secret }: Options, client: KubeClient, env: Terminal['env'], signal: AbortSignal) {
  const variables = secret === undefined ? env : { ...env, ...(await environmentIn(client, secret, signal)) };
  if (!variables[ENV.bucket] && !variables[ENV.path]) return undefined;
  return { open: (provider: string) => openStore(provider, variables), keys: () => keysFrom(variables) };
}
