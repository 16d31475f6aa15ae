/** The flags of `holdfast devices plan --here`: those of the agent by which it knows where it is. */
import type { Command } from 'commander';
import { DEFAULT_STATE_DIR } from '../../devices/contract.ts';
import { labelValueFault } from '../../kit/names.ts';
import { flag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { UsageError } from '../line/usage-error.ts';
import type { HereOptions } from './here.ts';

const asTheAgent = {
  nodeName: flag('--node-name', 'with --here: the node that this machine is', text('node', 'worker-1'), {
    env: 'LP_NODE_NAME',
  }),
  namespaceName: flag(
    '--namespace-name',
    'with --here: the namespace that the agent runs in, or will, and its ConfigMaps are in',
    text('namespace', 'storage'),
    { env: 'LP_NAMESPACE_NAME' },
  ),
  defaultPvSpecConfigmap: flag(
    '--default-pv-spec-configmap',
    'with --here: the ConfigMap of nodes whose annotation names none',
    text('name', 'pv-spec'),
    { env: 'LP_DEFAULT_PV_SPEC_CONFIGMAP', emptyIsUnset: true },
  ),
  stateDir: flag(
    '--state-dir',
    'with --here: where the agent keeps which device was handed out as which volume',
    text('directory', DEFAULT_STATE_DIR),
    { default: DEFAULT_STATE_DIR },
  ),
  trustInit: flag(
    '--trust-init',
    'with --here: take it that process 1 has no disk open, where its files cannot be looked at',
    onOff,
    { default: 'false' },
  ),
};

export const hereFlags = {
  here: flag('--here', 'look at this machine itself, now, instead of at reports', onOff, { default: 'false' }),
  ...asTheAgent,
};

export type WhereHere = Omit<HereOptions, 'version' | 'tell' | 'warn'>;

type Options = OptionsOf<typeof hereFlags> & { readonly namespace?: string | undefined };

export function hereOptionsOf(command: Command, options: Options): WhereHere {
  const { nodeName, namespaceName, namespace, defaultPvSpecConfigmap, stateDir, trustInit } = options;
  if (command.args.length > 0)
    throw new UsageError(`--here looks at this machine only: leave ${command.args.join(' ')} out, or leave --here out`);
  if (namespace !== undefined)
    throw new UsageError(
      '--namespace says where reports are, and --here reads none: name the namespace of the agent by --namespace-name',
    );
  if (nodeName === undefined)
    throw new UsageError(
      '--here has to know which node this machine is: pass --node-name, for example --node-name=worker-1, or set LP_NODE_NAME',
    );
  const fault = labelValueFault(nodeName);
  if (fault) throw new UsageError(`--node-name stands in a label of each volume: ${fault}`);
  if (namespaceName === undefined)
    throw new UsageError(
      '--here has to know where the ConfigMaps of the agent are: pass --namespace-name, for example --namespace-name=storage, or set LP_NAMESPACE_NAME',
    );
  return { node: nodeName, namespace: namespaceName, defaultConfigMap: defaultPvSpecConfigmap, stateDir, trustInit };
}

/** What is typed in vain is told. What the environment says is not: in the pod of an agent it is set for every command. */
export function refuseHereFlags(command: Command): void {
  const given = Object.entries(asTheAgent).filter(([key]) => command.getOptionValueSource(key) === 'cli');
  const [first] = given.map(([, { long }]) => long);
  if (first)
    throw new UsageError(`${first} is for --here, which looks at this machine: add --here, or leave ${first} out`);
}
