/** `holdfast status topology`: volumes by zone, those without one and why, and pods that wait for a zone that no node is in. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { DEFAULT_POLICY, type Policy } from '../../topology/contract.ts';
import { isTrouble } from '../../topology/events.ts';
import { remedyOf } from '../../topology/explanations.ts';
import { statusViews, type TopologyStatus, topologyStatus, type VolumeStatus } from '../../topology/status.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { type Page, type Table, toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { counted } from '../reports/text.ts';
import { exitCodeFlag, show, showFlags } from '../show/show.ts';
import { policyFlags, policyOf } from '../topology/policy-flags.ts';
import type { Visitor } from '../visit.ts';
import { type JobStatus, type Need, type Summary, summaryOf, verdictOn } from './summary.ts';

const flags = {
  ...showFlags,
  ...exitCodeFlag,
  ...policyFlags,
  all: flag('--all', 'list every volume, not only those that need a look', onOff, { default: 'false' }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status topology': 'volumes by zone, and what needs a person',
    'holdfast status topology --all': 'every volume with its zone',
    'holdfast status topology -o json': 'for a script',
  });
  runs(command, flags, terminal, (options) => {
    const policy = policyOf(options);
    const showing = {
      name: 'status',
      look: (visitor: Visitor, quiet: Terminal) => look(visitor, quiet, policy, options.selector),
      page: (status: TopologyStatus) => statusPage(status, options.all),
      verdict: (status: TopologyStatus) => verdictOn([summary(status)]),
    };
    return show(showing, options, terminal);
  });
};

async function look(
  { client, signal }: Visitor,
  terminal: Terminal,
  policy: Policy,
  selector?: string,
): Promise<TopologyStatus> {
  const snapshot = new Snapshot();
  const views = statusViews(snapshot, policy, selector);
  await snapshot.fill(client, { signal }, progressOn(terminal, systemClock));
  return topologyStatus(views, policy);
}

/** With the flags that the job has if nobody says otherwise. */
export const topology: JobStatus<TopologyStatus> = {
  job: 'topology',
  look: (visitor, _where, terminal) => look(visitor, terminal, DEFAULT_POLICY),
  page: (status) => statusPage(status, false),
  summary,
};

function summary(status: TopologyStatus): Summary {
  const { volumes } = status;
  const waiting = volumes.filter(({ state }) => state === 'toBeLabelled').length;
  const placed = volumes.filter(({ zone, region }) => zone !== '' || region !== '').length;
  const now = waiting > 0 ? [`${counted(waiting, 'volume')} to be labelled: is holdfast topology running?`] : [];
  return summaryOf('topology', `${counted(volumes.length, 'volume')}, ${placed} with their zone`, needsOf(status), now);
}

function needsOf({ volumes, unplaceable }: TopologyStatus): readonly Need[] {
  const job = 'topology';
  return [
    ...volumes.flatMap(({ volume, state, why }) =>
      state !== 'toBeLabelled' && isTrouble(state)
        ? [{ job, what: `${volume}: ${why}`, remedy: remedyOf(state), code: state } as const]
        : [],
    ),
    ...unplaceable.map(({ pod, why }) => {
      const code = 'podCannotBePlaced';
      return { job, what: `${pod}: ${why}`, remedy: remedyOf(code), code } as const;
    }),
  ];
}

function statusPage({ volumes, unplaceable }: TopologyStatus, all: boolean): Page {
  const pods = unplaceable.map(({ pod, volumes: names, why }) => [pod, names.join(','), why]);
  return [
    { sentences: [counted(volumes.length, 'volume')] },
    byZone(volumes),
    all
      ? { title: 'ALL VOLUMES', ...volumeTable(volumes) }
      : { title: 'VOLUMES WITHOUT THEIR ZONE', ...volumeTable(volumes.filter(needsALook)) },
    { title: 'PODS THAT CANNOT BE PLACED', columns: ['POD', 'VOLUMES', 'WHY'], rows: pods },
  ];
}

/** No place, or not the right one. */
const needsALook = ({ zone, region, state }: VolumeStatus): boolean =>
  (zone === '' && region === '') || state === 'toBeLabelled' || isTrouble(state);

function byZone(volumes: readonly VolumeStatus[]): Table {
  const counts = new Map<string, number>();
  for (const { zone, region } of volumes) {
    const place = JSON.stringify([zone || '-', region || '-']);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const rows = [...counts].sort().map(([place, count]) => [...(JSON.parse(place) as string[]), String(count)]);
  return { columns: ['ZONE', 'REGION', 'VOLUMES'], rows };
}

const volumeTable = (volumes: readonly VolumeStatus[]): Table => ({
  columns: ['VOLUME', 'CLAIM', 'ZONE', 'REGION', wide('CODE'), 'WHY'],
  rows: volumes.map(({ volume, claim, zone, region, state, why }) => [
    volume,
    claim,
    zone,
    region,
    state,
    state !== 'toBeLabelled' && isTrouble(state) ? toned(why, 'warn') : why,
  ]),
});
