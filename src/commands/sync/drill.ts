/** `holdfast sync drill`: tries a recovery with copies that nobody uses, measures how long it takes, and leaves nothing behind. */
import type { Command } from 'commander';
import { systemClock } from '../../kit/clock/clock.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { visible } from '../../kit/visible.ts';
import { type DrillResult, PERSISTENT_VOLUME_SYNCS } from '../../sync/contract.ts';
import { elderOf } from '../../sync/elder.ts';
import { drill, noteDrill } from '../../sync/recover/drill.ts';
import { drillCopies } from '../../sync/recover/drill-copies.ts';
import { type Leftover, leftoversOf, removeLeftovers } from '../../sync/recover/drill-leftovers.ts';
import { believed } from '../../sync/recover/look-up.ts';
import { type RunningDrill, runningDrill } from '../../sync/recover/running-drill.ts';
import { positiveDuration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import { confirm, yesFlag } from '../question.ts';
import { type Visitor, visit } from '../visit.ts';
import { siteFlags, siteOf } from './site.ts';

const flags = {
  ...siteFlags,
  dryRun: flag('--dry-run', 'only ask the API server whether it would take the copies', onOff, { default: 'false' }),
  clean: flag('--clean', 'only remove what a drill that was killed has left behind. Shows it, and asks first', onOff, {
    default: 'false',
  }),
  timeout: flag('--timeout', 'how long to wait for claims to be bound', positiveDuration, { default: '5m' }),
  yes: yesFlag,
  output: outputFlag,
};

const MEANING = `
Each volume of the newest export gets a copy under another name, read-only, and
each claim one in a namespace of its own (drill-…), so that the binder of this
cluster has to bind them as it would after a disaster. Then all of it is removed.
No pod is started and no data is read. The result is written on the
PersistentVolumeSync, and shown by "holdfast status sync" as what a restore takes.`;

export function addDrill(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('drill')
    .usage('[flags]')
    .summary('try a recovery with copies, and measure it')
    .description(
      'Restores read-only copies of all volumes and claims of the newest export, measures how long it takes until they are bound, and removes them.',
    )
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast sync drill --secret pvsync-operator/pvsync --yes': 'from a script',
    'holdfast sync drill --dry-run': 'would the API server take them?',
    'holdfast sync drill --clean': 'remove what a killed drill has left',
  });
  runs(command, flags, terminal, (options) =>
    visit('sync-drill', options, terminal, async ({ client, signal }) => {
      if (options.clean) await clean({ client, signal }, options, terminal);
      else await hold(client, options, terminal, signal);
    }),
  );
}

/** All of it is shown before a person agrees; what a drill that is held needs stays. */
export async function clean(
  { client, signal }: Visitor,
  { yes }: { readonly yes: boolean },
  terminal: Terminal,
): Promise<void> {
  const sync = elderOf((await client.list(PERSISTENT_VOLUME_SYNCS, { signal })).items);
  const running = sync && runningDrill(sync, systemClock.now());
  const found = await leftoversOf(client);
  const left = found.filter(({ drill: id }) => id !== running?.id);
  if (running && left.length < found.length) terminal.stdout.write(spared(running));
  if (left.length === 0) return void terminal.stdout.write('there are no copies to remove\n');
  terminal.stdout.write(leftoversInWords(left));
  if (!yes)
    await confirm(
      { question: 'All of these are removed.\nType clean to go on: ', word: 'clean', otherwise: 'nothing was removed' },
      terminal,
      signal,
    );
  await removeLeftovers(client, left, progressOn(terminal, systemClock));
  terminal.stdout.write(`${left.length} copies of drills were removed\n`);
}

const spared = ({ id, until }: RunningDrill): string =>
  `drill ${visible(id)} is being held, and its copies stay. If it was killed, clean again after ${until.toISOString()}\n`;

const MOST_SHOWN = 50;

export function leftoversInWords(left: readonly Leftover[]): string {
  const lines = left
    .slice(0, MOST_SHOWN)
    .map(({ resource, key, drill: id }) => `${resource.kind} ${key} of drill ${id}`);
  const more = left.length > MOST_SHOWN ? [`and ${left.length - MOST_SHOWN} more`] : [];
  return [...lines, ...more].map((line) => `${visible(line)}\n`).join('');
}

async function hold(
  client: KubeClient,
  options: OptionsOf<typeof flags>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  await using site = await siteOf(client, options, terminal, signal);
  const { sync } = site;
  const began = systemClock.monotonic();
  const found = await believed(site, signal);
  const readMs = systemClock.monotonic() - began;
  const id = systemClock.now().getTime().toString(36);
  const { document, outline } = found;
  const copies = drillCopies({ document, outline, spec: sync.spec, sync: sync.metadata.name ?? '' }, id);
  const what = `${copies.volumes.length} volumes and ${copies.claims.length} claims in ${copies.namespaces.length} namespaces`;
  if (!options.yes && !options.dryRun)
    await confirm(
      {
        question: `Copies of ${what} are made in this cluster and removed again.\nType drill to go on: `,
        word: 'drill',
        otherwise: 'nothing was made',
      },
      terminal,
      signal,
    );
  const progress = progressOn(terminal, systemClock);
  const patienceMs = options.timeout.milliseconds;
  const result = await drill(
    copies,
    id,
    { client, sync, clock: systemClock, readMs, patienceMs, dryRun: options.dryRun, progress },
    signal,
  );
  if (!options.dryRun) await noteDrill(client, sync, result, signal);
  const told = { export: found.key, ...result, skipped: copies.skipped };
  terminal.stdout.write(await formatted(told, options.output, () => asText(told)));
  if (!result.succeeded) throw new Error(result.message ?? 'the drill has failed');
}

export function asText({
  export: key,
  volumes,
  claims,
  seconds,
  succeeded,
  skipped,
}: DrillResult & { readonly export: string; readonly skipped: number }): string {
  const left =
    skipped > 0
      ? `${skipped} objects of the export have no copy: they could not be restored, could not be read-only, or a StorageClass would make volumes for them\n`
      : '';
  const outcome = succeeded ? `took ${seconds} s` : `failed after ${seconds} s`;
  return `a restore of ${volumes} volumes and ${claims} claims of ${key} ${outcome}\n${left}`;
}
