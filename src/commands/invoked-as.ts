/** The name that the program was started under decides what it does, so that it can stand in place of the programs it replaces. */
import { basename } from 'node:path';

/** The originals' own command names, as their manifests start them, and the command that each of them is here. */
const COMMAND_OF_ORIGINAL: ReadonlyMap<string, string> = new Map([
  ['pv-labels-operator', 'topology'],
  ['local-pv-provisioner', 'devices'],
  ['k8s-local-pv', 'lvm'],
  ['manager', 'pool'],
  ['pvsync', 'sync'],
  ['storage-agent.js', 'storage-agent'],
]);

/** The hidden command that shells ask. */
export const COMPLETE = '__complete';

/** kubectl runs its plugins under these names: the first for `kubectl holdfast`, the second to complete what follows that. */
const PLUGIN = 'kubectl-holdfast';
const PLUGIN_COMPLETION = 'kubectl_complete-holdfast';

/** What an original knew by itself, as ours is told it: its node is the host, and of a ConfigMap of defaults it knew nothing. */
const KNOWN_TO_ORIGINAL: ReadonlyMap<string, (host: () => string) => NodeJS.ProcessEnv> = new Map([
  ['k8s-local-pv', (host: () => string) => ({ NODE_NAME: host(), LVM_DEFAULTS: 'optional' })],
]);

/** Set by bin/holdfast, which starts another file than the one that the person named. */
const NAME_VARIABLE = 'HOLDFAST_INVOKED_AS';

export interface Invocation {
  /** The name as it was typed, for messages. */
  readonly name: string;
  /** How usage lines call the program. */
  readonly program: 'holdfast' | 'kubectl holdfast';
  /** The command that the name alone stands for; arguments then begin with its flags. */
  readonly command: string | undefined;
}

export function invokedAs(name: string): Invocation {
  return {
    name,
    program: name === PLUGIN || name === PLUGIN_COMPLETION ? 'kubectl holdfast' : 'holdfast',
    command: name === PLUGIN_COMPLETION ? COMPLETE : COMMAND_OF_ORIGINAL.get(name),
  };
}

/** What the original of this name knew by itself, where the environment does not say it. */
export function environmentOf(name: string, env: NodeJS.ProcessEnv, host: () => string): NodeJS.ProcessEnv {
  const known = KNOWN_TO_ORIGINAL.get(name)?.(host);
  if (!known) return env;
  const missing = Object.entries(known).filter(([variable]) => !env[variable]);
  return { ...env, ...Object.fromEntries(missing) };
}

/** The name that this process was started under. Processes started from here on do not inherit it. */
export function takeInvokedName(process: {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}): string {
  const passedOn = process.env[NAME_VARIABLE];
  delete process.env[NAME_VARIABLE];
  return basename(passedOn || (process.argv[1] ?? 'holdfast'));
}
