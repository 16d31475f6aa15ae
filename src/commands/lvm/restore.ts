/** `holdfast lvm restore PV|LV`: the manifest by which a deleted volume comes back, with all that is on it. */
import type { Command } from 'commander';
import { toYaml } from '../../kit/yaml.ts';
import { ADOPT_ANNOTATION, STORAGE_CLASS } from '../../lvm/contract.ts';
import type { LogicalVolume } from '../../lvm/facts.ts';
import { manifestOf } from '../../lvm/manifest.ts';
import { ownerOf } from '../../lvm/tags.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { visit } from '../visit.ts';
import { hereFlags, ONLY_HERE } from './here.ts';
import { hereOf, type Left, leftOn } from './left-here.ts';

const flags = {
  ...clusterFlags,
  ...hereFlags,
  name: flag('--name', 'the name of the volume, if it is not to have the one that it had', text('name', 'data-old'), {
    emptyIsUnset: true,
  }),
  storageClass: flag('--storage-class', 'the storage class of the volume', text('class', STORAGE_CLASS), {
    default: STORAGE_CLASS,
  }),
};

const MEANING = `
${ONLY_HERE}

What is printed is made from the marks on the logical volume. The annotation
${ADOPT_ANNOTATION} in it names the logical volume by its uuid: when the
manifest is applied, the agent of the node renames it back and mounts it.
Nothing is formatted. Until then it stays where it is, and is removed when its
time in the trash is over.`;

export function addRestore(lvm: Command, terminal: Terminal): void {
  const command = lvm
    .command('restore')
    .usage('PV|LV [flags]')
    .summary('the manifest that brings a deleted volume back; runs on its node')
    .description('Prints the manifest that brings a deleted volume back, with all that is on it. Runs on its node.')
    .argument('<volume>', 'the name of the deleted volume, or of its logical volume')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast lvm restore data --node-name=$NODE | kubectl apply -f -': 'bring it back',
    'holdfast lvm restore trash+data+6c2a1a0e --name=data-old …': 'one of several, under another name',
    'kubectl -n holdfast exec POD -- holdfast lvm restore data | kubectl apply -f -': 'from anywhere, by the agent',
  });
  runs(command, flags, terminal, async (options) => {
    const [named = ''] = command.args;
    terminal.stdout.write(
      await visit('lvm-restore', options, terminal, (visitor) => manifest(visitor, named, options)),
    );
  });
}

async function manifest(
  visitor: Parameters<typeof leftOn>[1],
  named: string,
  options: OptionsOf<typeof flags>,
): Promise<string> {
  const here = await hereOf(visitor, options);
  const left = await leftOn(here, visitor);
  const lv = chosen(left, named, here.node.name);
  const owner = ownerOf(lv);
  if (!owner) throw new Error(`${nameOf(lv)} carries no marks of ours`);
  if (owner.isShredding || owner.isShredded)
    throw new Error(`${nameOf(lv)} cannot come back: it has been begun to shred it`);
  const name = options.name ?? owner.pv;
  if (left.volumes.some((volume) => volume.name === name))
    throw new UsageError(`there is a volume ${name} by now: give this one another name by --name`);
  const { node, mountBase } = here;
  return toYaml(manifestOf({ lv, owner, name, node, mountBase, storageClass: options.storageClass }));
}

/** In the trash, or without a volume for another reason. */
export function chosen({ trash, orphans }: Omit<Left, 'volumes'>, named: string, node: string): LogicalVolume {
  const all = [...trash, ...orphans.filter((each) => each.kind === 'logical-volume')].map(({ lv }) => lv);
  const found = all.filter((lv) => [lv.name, nameOf(lv), lv.uuid, ownerOf(lv)?.pv].includes(named));
  const [lv, ...others] = found;
  if (lv && others.length === 0) return lv;
  if (lv) throw new UsageError(`there are several of ${named}: name one of ${found.map(nameOf).join(', ')}`);
  const known = all.length > 0 ? `there are ${all.map(nameOf).join(', ')}` : 'there is nothing at all';
  throw new UsageError(`nothing of ${named} is left on ${node}; ${known}`);
}

const nameOf = ({ group, name }: LogicalVolume): string => `${group}/${name}`;
