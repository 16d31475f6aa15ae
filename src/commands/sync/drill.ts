/** `holdfast sync drill`: tries a recovery with copies that nobody uses, measures how long it takes, and leaves nothing behind. */
import type { Command } from 'commander';
import { systemClock } from '../../kit/clock/clock.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { DRILL_LABEL, type DrillResult } from '../../sync/contract.ts';
import { cleanUp, drill, noteDrill } from '../../sync/recover/drill.ts';
import { drillCopies } from '../../sync/recover/drill-copies.ts';
import { believed } from '../../sync/recover/look-up.ts';
import { positiveDuration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import { confirm, yesFlag } from '../question.ts';
import { visit } from '../visit.ts';
import { siteFlags, siteOf } from './site.ts';

const flags = {
  ...siteFlags,
  dryRun: flag('--dry-run', 'only ask the API server whether it would take the copies', onOff, { default: 'false' }),
  clean: flag('--clean', 'only remove what a drill that was killed has left behind', onOff, { default: 'false' }),
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
      if (options.clean) await clean(client, terminal);
      else await hold(client, options, terminal, signal);
    }),
  );
}

async function clean(client: KubeClient, terminal: Terminal): Promise<void> {
  const removed = await cleanUp(client, DRILL_LABEL, progressOn(terminal, systemClock));
  terminal.stdout.write(`${removed} copies of drills were removed\n`);
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
    { client, clock: systemClock, readMs, patienceMs, dryRun: options.dryRun, progress },
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
      ? `${skipped} objects of the export have no copy: they could not be restored, or a StorageClass would make volumes for them\n`
      : '';
  const outcome = succeeded ? `took ${seconds} s` : `failed after ${seconds} s`;
  return `a restore of ${volumes} volumes and ${claims} claims of ${key} ${outcome}\n${left}`;
}
