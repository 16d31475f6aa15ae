/** `holdfast lvm header-backup PV FILE`: a copy of what an encrypted volume cannot be opened without. */
import type { Command } from 'commander';
import { luksHeaderBackup } from '../../lvm/commands.ts';
import type { LogicalVolume, Lvm } from '../../lvm/facts.ts';
import { lookAt } from '../../lvm/look.ts';
import { ownerOf } from '../../lvm/tags.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { hereFlags, hostOf, ONLY_HERE } from './here.ts';

const flags = { mountNamespace: hereFlags.mountNamespace };

const MEANING = `
${ONLY_HERE} FILE is a path of the machine, and must not exist yet.

Where the beginning of an encrypted volume is damaged, no key opens it any more:
cryptsetup luksHeaderRestore brings it back from such a file. Keep it elsewhere.
WHO HAS IT AND A KEY THAT THE VOLUME HAD WHEN IT WAS MADE CAN READ THE VOLUME,
also after that key was replaced, and after the volume was shredded by erasing
its keys: make a new one when the key has changed, and destroy the old one.`;

export function addHeaderBackup(lvm: Command, terminal: Terminal): void {
  const command = lvm
    .command('header-backup')
    .usage('PV FILE [flags]')
    .summary('write the LUKS header of an encrypted volume to a file; runs on its node')
    .description('Writes the LUKS header of an encrypted volume, without which no key opens it, to a file of its node.')
    .argument('<volume>', 'the name of the volume')
    .argument('<file>', 'the file, which must not exist yet')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'kubectl -n holdfast exec POD -- holdfast lvm header-backup data /root/data.luks': 'by the agent of the node',
    'holdfast lvm header-backup data /root/data.luks --mount-namespace=own': 'on the machine itself',
  });
  runs(command, flags, terminal, async (options) => {
    const [volume = '', file = ''] = command.args;
    if (!file.startsWith('/'))
      throw new UsageError(`${JSON.stringify(file)} has to be an absolute path, such as /root/${volume}.luks`);
    const [host, viewpoint] = hostOf(options);
    const { group, name } = encrypted(volume, (await lookAt(host, viewpoint)).lvm);
    const { argv, options: how } = luksHeaderBackup({ device: `/dev/${group}/${name}`, file });
    await host.exec(argv, how);
    terminal.stdout.write(`The header of ${group}/${name} is in ${file}.\n`);
  });
}

/** The logical volume of a volume that is encrypted. */
export function encrypted(volume: string, { groups }: Lvm): LogicalVolume {
  const found = [...groups.values()]
    .flatMap(({ volumes }) => [...volumes.values()])
    .filter((lv) => ownerOf(lv)?.pv === volume && ownerOf(lv)?.trashedAt === undefined);
  const [lv, ...others] = found;
  if (!lv) throw new UsageError(`there is no logical volume of ${volume} on this machine`);
  if (others.length > 0)
    throw new UsageError(
      `several logical volumes say that they are ${volume}: ${found.map(({ group, name }) => `${group}/${name}`).join(', ')}`,
    );
  if (ownerOf(lv)?.options.cryptSecret === undefined) throw new UsageError(`${volume} is not encrypted`);
  if (!lv.isActive) throw new UsageError(`${lv.group}/${lv.name} is not active`);
  return lv;
}
