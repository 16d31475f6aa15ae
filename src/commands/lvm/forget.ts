/** `holdfast lvm forget PV`: how a person lets go of a volume whose node is gone for good. */
import type { Command } from 'commander';
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { dnsSubdomainFault } from '../../kit/names.ts';
import { visible } from '../../kit/visible.ts';
import { FINALIZER, NODE_ID_LABEL } from '../../lvm/contract.ts';
import { type NodeLabels, ownNodeOf } from '../../lvm/home.ts';
import { type Home, type Volume, volumeOf } from '../../lvm/volume.ts';
import { Writes } from '../../lvm/writes.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { confirm, yesFlag } from '../question.ts';
import { readAll } from '../reports/read.ts';
import { type Visitor, visit } from '../visit.ts';

const flags = {
  ...clusterFlags,
  yes: yesFlag,
  force: flag('--force', 'also if its node is there and ready', onOff, { default: 'false' }),
};

const MEANING = `
A volume that is deleted stays until its agent has removed what belongs to it
from its node. When that node is gone for good, nobody ever will: to forget the
volume lets its object go. It takes the right to patch persistentvolumes, and
can be run from anywhere.

WHAT IS ON THE DISKS OF THE NODE STAYS THERE, unshredded. If the node comes back,
its agent tells of it as belonging to no volume; holdfast lvm clean removes it,
and holdfast lvm restore brings it back.`;

export function addForget(lvm: Command, terminal: Terminal): void {
  const command = lvm
    .command('forget')
    .usage('PV [flags]')
    .summary('lets go of a deleted volume whose node is gone for good')
    .description(
      'Lets go of a deleted volume whose node is gone for good. What is on the disks of the node stays there.',
    )
    .argument('<volume>', 'the volume that is being deleted')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'kubectl delete pv data-0 --wait=false': 'delete it first, if it is not yet',
    'holdfast lvm forget data-0': 'and let it go, after a question',
    'holdfast lvm forget data-0 --yes': 'from a script',
  });
  runs(command, flags, terminal, async (options) => {
    const [name = ''] = command.args;
    const fault = dnsSubdomainFault(name);
    if (fault) throw new UsageError(`no volume can have that name: ${fault}`);
    await visit('lvm-forget', options, terminal, (visitor) => forget({ visitor, terminal, name }, options));
  });
}

interface Request {
  readonly visitor: Visitor;
  readonly terminal: Terminal;
  readonly name: string;
}

async function forget(request: Request, { yes, force }: { yes: boolean; force: boolean }): Promise<void> {
  const { visitor, terminal, name } = request;
  const { client, signal } = visitor;
  const shown = await found(request, force);
  terminal.stdout.write(inWords(shown));
  const question = `Type the name of the volume, ${name}, to forget it: `;
  if (!yes) await confirm({ question, word: name, otherwise: 'nothing was forgotten' }, terminal, signal);
  const { volume } = yes ? shown : await found(request, force);
  if (volume.uid !== shown.volume.uid) throw new Error(`nothing was forgotten: ${name} is another volume by now`);
  await new Writes(client).letGo(volume, signal);
  terminal.stdout.write(`${name} is forgotten.\n`);
}

interface Found {
  readonly volume: Volume;
  readonly nodes: readonly HomeNode[];
}

async function found({ visitor, name }: Request, force: boolean): Promise<Found> {
  const { client, signal } = visitor;
  const object = await client.find(PERSISTENT_VOLUMES, { name }, { signal });
  if (!object) throw new UsageError(`there is no volume ${name}`);
  const volume = volumeOf(object);
  if (!volume?.isHeld)
    throw new UsageError(`${name} is not held by an agent of ours: it has no finalizer ${FINALIZER}`);
  if (!volume.deletedAt)
    throw new UsageError(`${name} is not being deleted: first kubectl delete pv ${name} --wait=false`);
  const all = await readAll({ visitor, tell: () => {} }, NODES, {}, nodeOf);
  const nodes = all.filter((node) => isHome(node, volume.home));
  const ready = nodes.find(({ isReady }) => isReady);
  if (ready && !force)
    throw new Error(
      `its node ${ready.name} is there and ready: its agent removes what belongs to ${name}, and the annotation message of ${name} says why it has not yet. ` +
        'If that node will never do so, add --force',
    );
  return { volume, nodes };
}

export interface HomeNode extends NodeLabels {
  readonly isReady: boolean;
}

const nodeOf = ({ metadata: { name = '', labels = {} }, status }: Node): HomeNode => ({
  name,
  labels,
  isReady: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
});

/** One that its affinity could mean, also by the id that the agent of a node without the label guesses. */
export function isHome(node: NodeLabels, home: Home | undefined): boolean {
  if (!home) return false;
  const { id, hostname } = ownNodeOf(node);
  return home.value === (home.label === NODE_ID_LABEL ? id : hostname);
}

function inWords({ volume, nodes }: Found): string {
  const { name, home, path, claim, annotations } = volume;
  const [node] = nodes;
  const state = node?.isReady ? 'there and READY' : 'there, and not ready';
  const facts = [
    ['volume', name],
    ['node', node ? `${node.name}, which is ${state}` : `${home?.value ?? 'unknown'}, which is not in the cluster`],
    ['path', path],
    ['claim', claim],
    ['message', annotations.message],
  ];
  const lines = facts.flatMap(([key, value]) => (value ? [`${`${key}:`.padEnd(9)}${visible(value)}\n`] : []));
  return `${lines.join('')}\nWhat is on the disks of its node stays there.\n`;
}
