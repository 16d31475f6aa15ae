/** `holdfast status topology`: volumes by zone, those without one and why, and pods that wait for a zone that no node is in. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { isTrouble } from '../../topology/events.ts';
import { statusViews, type TopologyStatus, topologyStatus, type VolumeStatus } from '../../topology/status.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import { table } from '../table.ts';
import { policyFlags, policyOf } from '../topology/policy-flags.ts';
import { visit } from '../visit.ts';

const flags = {
  ...clusterFlags,
  ...policyFlags,
  all: flag('--all', 'list every volume, not only those that need a look', onOff, { default: 'false' }),
  output: outputFlag,
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status topology': 'volumes by zone, and what needs a person',
    'holdfast status topology --all': 'every volume with its zone',
    'holdfast status topology -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const policy = policyOf(options);
    const status = await visit('status', options, terminal, async ({ client, signal }) => {
      const snapshot = new Snapshot();
      const views = statusViews(snapshot, policy, options.selector);
      await snapshot.fill(client, { signal }, progressOn(terminal, systemClock));
      return topologyStatus(views, policy);
    });
    terminal.stdout.write(await formatted(status, options.output, () => asText(status, options.all)));
  });
};

function asText(status: TopologyStatus, all: boolean): string {
  const { volumes, unplaceable } = status;
  const troubled = volumes.filter(needsALook);
  const pods = unplaceable.map(({ pod, volumes: names, why }) => [pod, names.join(','), why]);
  return [
    byZone(volumes),
    all ? section('ALL VOLUMES', volumeTable(volumes)) : section('VOLUMES WITHOUT THEIR ZONE', volumeTable(troubled)),
    section('PODS THAT CANNOT BE PLACED', pods.length > 0 ? table([['POD', 'VOLUMES', 'WHY'], ...pods]) : ''),
  ].join('\n');
}

/** No place, or not the right one. */
const needsALook = ({ zone, region, state }: VolumeStatus): boolean =>
  (zone === '' && region === '') || state === 'toBeLabelled' || isTrouble(state);

function byZone(volumes: readonly VolumeStatus[]): string {
  const counts = new Map<string, number>();
  for (const { zone, region } of volumes) {
    const place = JSON.stringify([zone || '-', region || '-']);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const rows = [...counts].sort().map(([place, count]) => [...(JSON.parse(place) as string[]), String(count)]);
  return `${volumes.length} volumes\n\n${rows.length > 0 ? table([['ZONE', 'REGION', 'VOLUMES'], ...rows]) : ''}`;
}

const volumeTable = (volumes: readonly VolumeStatus[]): string =>
  volumes.length === 0 ? '' : table([['VOLUME', 'CLAIM', 'ZONE', 'REGION', 'WHY'], ...volumes.map(rowOf)]);

const rowOf = ({ volume, claim, zone, region, why }: VolumeStatus): readonly string[] =>
  [volume, claim, zone, region].map((cell) => cell || '-').concat(why);

const section = (title: string, body: string): string => `${title}\n${body === '' ? 'none\n' : body}`;
