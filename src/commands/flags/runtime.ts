/** The flags of every command that keeps running, beside those that its original had. */
import { LOG_LEVELS, type LogLevel, parseLogLevel } from '../../kit/observe/log.ts';
import { choice } from './choice.ts';
import { clusterFlags } from './cluster.ts';
import { flag, type Kind } from './flag.ts';
import { onOff } from './switch.ts';
import { text } from './text.ts';

const logLevel: Kind<LogLevel> = {
  placeholder: LOG_LEVELS.join('|'),
  allowed: `one of ${LOG_LEVELS.join(', ')}`,
  example: 'debug',
  parse: parseLogLevel,
};

/** Election is off unless asked for: the originals' deployments run one replica and have no right to leases. */
export const runtimeFlags = {
  ...clusterFlags,
  leaderElect: flag('--leader-elect', 'work only while holding a lease, so that several replicas may run', onOff, {
    default: 'false',
  }),
  leaderElectNamespace: flag(
    '--leader-elect-namespace',
    'the namespace of the lease; otherwise the one that this runs in',
    text('namespace', 'kube-system'),
    { emptyIsUnset: true },
  ),
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
