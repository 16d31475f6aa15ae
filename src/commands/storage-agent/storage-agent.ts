/** `holdfast storage-agent`: stores the blobs of a pool on one volume. */
import { availableParallelism, hostname } from 'node:os';
import { widenThreadPool } from '../../agent/threads.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { stopSignals } from '../../kit/manager/stop-signals.ts';
import type { BindAddress } from '../../kit/observe/bind-address.ts';
import { DEFAULT_PORT } from '../../pool-client/protocol.ts';
import { bindAddress } from '../flags/address.ts';
import { duration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { quantity } from '../flags/quantity.ts';
import { nodeFlags } from '../flags/runtime.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';

const { logLevel, logFormat } = nodeFlags;

export const flags = {
  path: flag('--path', 'the directory of the blobs, which no other agent may use', text('directory', '/data'), {
    env: 'PV_PATH',
    required: true,
  }),
  listen: flag('--listen', `where to serve; otherwise :PORT by the variable PORT, or :${DEFAULT_PORT}`, bindAddress),
  name: flag(
    '--name',
    'the name of this agent in its pool, which decides which blobs are its own; otherwise the host name',
    text('name', 'pool-sts-0'),
    { env: 'POD_NAME' },
  ),
  tokenFile: flag(
    '--token-file',
    'the token that callers must send; without it everybody may ask for everything',
    text('file', '/var/run/holdfast/token'),
    { env: 'HOLDFAST_TOKEN_FILE', emptyIsUnset: true },
  ),
  openStatus: flag('--open-status', 'answer /status and /metrics also without the token', onOff, { default: 'false' }),
  maxConnections: flag(
    '--max-connections',
    'how many may be connected at once; otherwise 512, or as many as the memory of its container does for',
    integer(1, 65_536),
  ),
  maxBlobSize: flag('--max-blob-size', 'larger blobs are refused', quantity, { default: '64Gi' }),
  drainBandwidth: flag(
    '--drain-bandwidth',
    'how many bytes in a second go to other agents while this one is drained; otherwise as many as can',
    quantity,
    { env: 'HOLDFAST_DRAIN_BANDWIDTH', emptyIsUnset: true },
  ),
  scrubBandwidth: flag('--scrub-bandwidth', 'how many bytes in a second the scrub reads; 0 for no scrub', quantity, {
    default: '8Mi',
  }),
  scrubPause: flag('--scrub-pause', 'from the end of one scrub to the begin of the next', duration, {
    default: '24h',
  }),
  logLevel,
  logFormat,
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast storage-agent --path /data': 'as a pool runs it, open to whoever reaches port 8080',
    'holdfast storage-agent --path /data --token-file /etc/pool/token': 'for those who know the token',
    'holdfast storage-agent --path /tmp/a --listen 127.0.0.1:0': 'to try it: the log says which port it has',
    'curl -T photo.jpg http://127.0.0.1:8080/blobs/photo.jpg': 'stores a file; it is on the disk when this returns',
    'curl http://127.0.0.1:8080/status': 'how it stands',
  });
  runs(command, flags, terminal, (options) => run(options, terminal));
};

async function run(options: OptionsOf<typeof flags>, { env }: Terminal): Promise<void> {
  widenThreadPool();
  const address = addressOf(options.listen, env.PORT);
  const [{ openLog }, { runAgent }, { connectionsFor }, { growFreely, isPlenty }] = await Promise.all([
    import('../../kit/observe/open-log.ts'),
    import('../../agent/run.ts'),
    import('../../agent/memory-shares.ts'),
    import('../../agent/heap.ts'),
  ]);
  const memoryBytes = process.constrainedMemory();
  growFreely(memoryBytes);
  const clock = systemClock;
  const log = openLog({ clock, level: options.logLevel, format: options.logFormat, env });
  using stopping = stopSignals(process, (signal) => log.info({ signal }, 'stopping; once more to end at once'));
  const scrubBandwidth = Number(options.scrubBandwidth.toBytesCeil());
  const drainBandwidth = Number(options.drainBandwidth?.toBytesCeil() ?? 0);
  await runAgent(
    {
      name: options.name ?? hostname(),
      path: options.path,
      address,
      clock,
      random: Math.random,
      log,
      tokenFile: options.tokenFile,
      hashesApart: isPlenty(memoryBytes) && availableParallelism() > 1,
      openStatus: options.openStatus,
      mostConnections: options.maxConnections ?? connectionsFor(memoryBytes),
      mostBytes: Number(options.maxBlobSize.toBytesCeil()),
      drainBandwidth: drainBandwidth || undefined,
      scrub: scrubBandwidth ? { bandwidth: scrubBandwidth, pauseMs: options.scrubPause.milliseconds } : undefined,
    },
    stopping.signal,
  );
}

/** The flag first, then the variable that the original's agent knows. */
function addressOf(listen: BindAddress | 'off' | undefined, port: string | undefined): BindAddress {
  if (listen === 'off') throw new UsageError('an agent that nobody can ask is none: give --listen an address');
  if (listen !== undefined) return listen;
  if (!port) return { port: DEFAULT_PORT };
  const number = Number(port);
  if (/^\d+$/.test(port) && number <= 65_535) return { port: number };
  throw new UsageError(`the environment variable PORT cannot be ${JSON.stringify(port)}: use a port, for example 8080`);
}
