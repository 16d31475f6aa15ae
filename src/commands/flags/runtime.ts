/** The flags of every command that keeps running, beside those that its original had. */
import { LOG_LEVELS, type LogLevel, parseLogLevel } from '../../kit/observe/log.ts';
import { choice } from './choice.ts';
import { clusterFlags } from './cluster.ts';
import { flag, type Kind } from './flag.ts';
import type { OptionsOf } from './options.ts';
import { onOff } from './switch.ts';
import { text } from './text.ts';

const logLevel: Kind<LogLevel> = {
  placeholder: LOG_LEVELS.join('|'),
  allowed: `one of ${LOG_LEVELS.join(', ')}`,
  example: 'debug',
  parse: parseLogLevel,
};

/** Of those that run on every node, where there is nothing to elect. */
export const nodeFlags = {
  ...clusterFlags,
  logLevel: flag('--log-level', 'what to log', logLevel, { default: 'info', env: 'HOLDFAST_LOG_LEVEL' }),
  logFormat: flag(
    '--log-format',
    'lines for people, JSON for machines, or whichever fits',
    choice('auto', 'json', 'text'),
    {
      default: 'auto',
      env: 'HOLDFAST_LOG_FORMAT',
    },
  ),
};

/** Election is off unless asked for: the originals' deployments run one replica and have no right to leases. */
const electionFlags = {
  leaderElect: flag('--leader-elect', 'work only while holding a lease, so that several replicas may run', onOff, {
    default: 'false',
  }),
  leaderElectNamespace: flag(
    '--leader-elect-namespace',
    'the namespace of the lease; otherwise the one that this runs in',
    text('namespace', 'kube-system'),
    { emptyIsUnset: true },
  ),
};

export const runtimeFlags = { ...electionFlags, ...nodeFlags };

/** What a job is run with; without an election where it has no flags for one. */
export type RuntimeOptions = OptionsOf<typeof nodeFlags> & Partial<OptionsOf<typeof electionFlags>>;
