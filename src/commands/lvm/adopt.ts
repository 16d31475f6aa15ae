/** `holdfast lvm adopt`: the manifests by which a cluster takes over the volumes that are on the disks of a node. */
import type { Command } from 'commander';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { visible } from '../../kit/visible.ts';
import { toYamlDocuments } from '../../kit/yaml.ts';
import { type Adopting, adoptable } from '../../lvm/adoptable.ts';
import { ADOPT_ANNOTATION, NODE_ID_LABEL, STORAGE_CLASS } from '../../lvm/contract.ts';
import type { NodeLabels } from '../../lvm/home.ts';
import { lookAt } from '../../lvm/look.ts';
import { volumeOf } from '../../lvm/volume.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { readAll } from '../reports/read.ts';
import { type Visitor, visit } from '../visit.ts';
import { hereFlags, hostOf, mountBaseOf, ONLY_HERE, ownNode } from './here.ts';

const flags = {
  ...clusterFlags,
  ...hereFlags,
  nodeId: flag(
    '--node-id',
    `the label ${NODE_ID_LABEL} that the node has or will have; otherwise that of its Node, or its host name`,
    text('id', 'node7'),
    { emptyIsUnset: true },
  ),
  storageClass: flag('--storage-class', 'the storage class of the volumes', text('class', STORAGE_CLASS), {
    default: STORAGE_CLASS,
  }),
  offline: flag('--offline', 'ask no cluster: print all that is on the disks', onOff, { default: 'false' }),
};

const MEANING = `
${ONLY_HERE}

What is printed is made from the marks on the logical volumes alone, and is for
a cluster that does not know them: a new one, after the old one was lost. The
annotation ${ADOPT_ANNOTATION} in each manifest names its logical volume by its
uuid: when it is applied, the agent of the node mounts it. Nothing is formatted.
What volumes of the cluster have already is left out, unless no cluster is asked
(--offline). The marks hold no storage class and no claim. An encrypted volume
needs its Secret in the new cluster, under the name that it had.`;

export function addAdopt(lvm: Command, terminal: Terminal): void {
  const command = lvm
    .command('adopt')
    .summary('the manifests that bring all volumes of a node into a new cluster; runs on the node')
    .description(
      'Prints the manifests that bring all volumes of a node, with all that is on them, into a cluster that does not know them.',
    )
    .addHelpText('after', MEANING);
  addExamples(command, {
    'kubectl -n holdfast exec POD -- holdfast lvm adopt | kubectl apply -f -': 'all of a node, by its agent',
    'holdfast lvm adopt --node-name=$NODE --mount-namespace=own --offline --node-id=node7':
      'on a machine without a cluster',
  });
  runs(command, flags, terminal, async (options) => {
    const mountBase = mountBaseOf(options);
    const known = options.offline ? offline(options) : await visit('lvm-adopt', options, terminal, knownBy(options));
    const { lvm } = await lookAt(...hostOf(options));
    const { manifests, leftOut } = adoptable(lvm, { ...known, mountBase, storageClass: options.storageClass });
    for (const each of leftOut) terminal.stderr.write(`${visible(each)}\n`);
    terminal.stdout.write(toYamlDocuments(manifests));
  });
}

type Known = Pick<Adopting, 'node' | 'volumes'>;
type Options = OptionsOf<typeof flags>;

const offline = (options: Options): Known => ({ node: named(options, {}), volumes: [] });

const knownBy =
  (options: Options) =>
  async (visitor: Visitor): Promise<Known> => {
    const hint = '--node-name says which one this is, and --offline asks no cluster';
    const node = await ownNode(visitor, options.nodeName, hint);
    const volumes = await readAll({ visitor, tell: () => {} }, PERSISTENT_VOLUMES, {}, volumeOf);
    return { node: named(options, node.labels), volumes };
  };

function named({ nodeName, nodeId }: Options, labels: NodeLabels['labels']): NodeLabels {
  return { name: nodeName, labels: { ...labels, ...(nodeId !== undefined && { [NODE_ID_LABEL]: nodeId }) } };
}
