/** `holdfast sync failover` and `failback`: make this cluster the protected one. Both raise the epoch, which fences the one before. */
import type { Command } from 'commander';
import { systemClock } from '../../kit/clock/clock.ts';
import type { PersistentVolumeSync } from '../../sync/contract.ts';
import { adopt, adoptable } from '../../sync/recover/adopt.ts';
import { lookUp } from '../../sync/recover/look-up.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { progressOn } from '../progress.ts';
import { yesFlag } from '../question.ts';
import { visit } from '../visit.ts';
import { siteFlags, siteOf } from './site.ts';
import { agreed, finishTheRole, setMode, takeTheRole, type Work } from './take-the-role.ts';

const flags = {
  ...siteFlags,
  yes: yesFlag,
  force: flag(
    '--force',
    'also when not all of the newest export is restored here yet, or there is none that can be',
    onOff,
    { default: 'false' },
  ),
  allowPlain: flag(
    '--allow-plain',
    'also when the exports before were encrypted, and those of this cluster would not be',
    onOff,
    { default: 'false' },
  ),
};

const MEANING = `
What happens, in this order; it can be cut off and started again at any point:
  1. The pointer in the store gets the next epoch and the uid of this cluster.
     From then on the one before cannot export any more, and says that it is
     deposed, also when it comes back only after days.
  2. All that was restored is labelled to be exported.
  3. spec.mode of the PersistentVolumeSync becomes Protected.
  4. The labels are looked at once more, until nobody takes them off.
What was changed on the protected cluster after its last export is not here.`;

export function addFailover(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('failover')
    .usage('[flags]')
    .summary('make this recovery cluster the protected one')
    .description('Makes this recovery cluster the protected one. Asks first.')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast sync plan': 'look first: is all of it restored?',
    'holdfast sync failover --secret pvsync-operator/pvsync': 'with the credentials of the operator',
  });
  runs(command, flags, terminal, (options) =>
    visit('sync-failover', options, terminal, async ({ client, signal }) => {
      await using site = await siteOf(client, options, terminal, signal);
      await failOver({ client, site, options, terminal, signal });
    }),
  );
}

/** Also from where an earlier one was cut off. */
export async function failOver(work: Work): Promise<void> {
  const { sync } = work.site;
  if (sync.spec.mode === 'Recovery') return takeTheRole(work, 'failover');
  const why = whyFollow(sync);
  if (why !== undefined) throw new Error(`${why} Use holdfast sync failback: failover is for a recovery cluster`);
  await finishTheRole(work);
}

const FAILBACK = `
Run it on the cluster that was protected before the failover, when it is back,
also when it was built anew, or its PersistentVolumeSync was: ExportsAreAnothers.
It follows the other one first: its PersistentVolumeSync becomes Recovery. Run
it again when "holdfast status sync" says that all is in sync, and it takes
over as failover does; the other cluster is deposed then. Set spec.mode of that
one to Recovery, and it follows.`;

export function addFailback(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('failback')
    .usage('[flags]')
    .summary('make the cluster that was deposed the protected one again')
    .description(
      'Brings the role back to a cluster that was deposed: it follows first, and takes over then. Asks first.',
    )
    .addHelpText('after', FAILBACK);
  addExamples(command, {
    'holdfast sync failback --secret pvsync-operator/pvsync': 'twice: to follow, and to take over',
  });
  runs(command, flags, terminal, (options) =>
    visit('sync-failback', options, terminal, async ({ client, signal }) => {
      await using site = await siteOf(client, options, terminal, signal);
      const work = { client, site, options, terminal, signal };
      if (site.sync.spec.mode === 'Protected') await follow(work);
      else await takeTheRole(work, 'failback');
    }),
  );
}

/** For a cluster that may not write: what both have is made like that of the other from now on. */
export async function follow({ client, site, options, terminal, signal }: Work): Promise<void> {
  const { sync } = site;
  const { name = '' } = sync.metadata;
  const why = whyFollow(sync);
  if (why === undefined && !options.force)
    throw new Error(
      `${name} is not deposed: nobody has taken over from this cluster, and there is nothing to fail back to`,
    );
  await agreed(options, terminal, signal, {
    question: `${why ?? `${name} is not deposed.`} Let this cluster follow the one that writes?\nType ${name} to go on: `,
    word: name,
    otherwise: 'nothing was changed',
  });
  const { seen } = await lookUp(client, site, signal, progressOn(terminal, systemClock));
  const { counts, failures } = await adopt({ client, sync: name, signal }, adoptable(seen));
  if (failures[0])
    throw new Error(
      `${failures.length} objects could not be labelled: ${failures[0].error.message}. Run failback again`,
    );
  terminal.stdout.write(`${counts.change} volumes and claims that both clusters have follow the other one now\n`);
  await setMode(client, sync, 'Recovery', signal);
  terminal.stdout.write(
    `${name} is Recovery now. When "holdfast status sync" says that it is in sync, run this command again to take over.\n`,
  );
}

/** A resource that was made anew after a failover does not know that its cluster was the writer once, nor does a cluster that was built anew. */
function whyFollow({ metadata, status }: PersistentVolumeSync): string | undefined {
  const is = (reason: string) => status?.conditions?.some((each) => each.status === 'True' && each.reason === reason);
  if (is('AnotherClusterTookOver')) return `${metadata.name} was deposed.`;
  return is('ExportsAreAnothers') ? 'The exports under this name are those of another cluster.' : undefined;
}
