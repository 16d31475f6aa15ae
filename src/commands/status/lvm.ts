/** `holdfast status lvm`: the volume groups of each node, how each volume stands, which agents are not heard, and what needs a person. */
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { lvmReports } from '../../lvm/node-report.ts';
import {
  type Looked,
  type LvmStatus,
  lvmStatus,
  SHOWN_STATES,
  type ShownState,
  type VolumeStatus,
} from '../../lvm/status.ts';
import { volumeOf } from '../../lvm/volume.ts';
import type { Terminal } from '../line/command.ts';
import { type Page, type Table, type Text, toned, wide } from '../page/page.ts';
import { shown } from '../page/render.ts';
import { lookAround, readAll, refuseUnknown, type Where } from '../reports/read.ts';
import { overview, sumOf } from '../reports/text.ts';
import type { Visitor } from '../visit.ts';
import { type Brief, reportedStatus, statusOfReports } from './reported.ts';
import { asSentence } from './summary.ts';

const parts = {
  job: 'lvm',
  shows: 'the volume groups and volumes',
  look,
  statusOf: lvmStatus,
  page: statusPage,
  brief,
} as const;

export const define = statusOfReports(parts);
export const lvm = reportedStatus(parts);

/** What may not be read is done without, as far as that is possible, and told. */
async function look(visitor: Visitor, where: Where, terminal: Terminal): Promise<Looked> {
  const { reports, unreadable, reading, orWithout } = await lookAround(lvmReports, visitor, where, terminal);
  const nodes = await orWithout(
    readAll(reading, NODES, {}, labelsOf),
    'only volumes that agents have reported are shown',
  );
  const volumes = await orWithout(
    readAll(reading, PERSISTENT_VOLUMES, {}, volumeOf),
    'how volumes stand is taken from the reports alone',
  );
  if (nodes)
    refuseUnknown(
      where.nodes,
      new Set([...nodes.map(({ name }) => name), ...reports.map(({ report }) => report.node)]),
    );
  return { reports, unreadable, nodes, volumes };
}

const labelsOf = ({ metadata: { name = '', labels = {} } }: Node) => ({ name, labels });

const things = ({ nodes, nowhere }: LvmStatus): readonly VolumeStatus[] => [
  ...nodes.flatMap(({ volumes }) => volumes),
  ...nowhere,
];

function brief(status: LvmStatus): Brief {
  const all = status.nodes.flatMap(({ node, volumes }) => volumes.map((each) => ({ node, ...each })));
  const codes = new Map(all.map(({ volume, state }) => [volume, state.is === 'refused' ? state.fact : undefined]));
  return {
    sentence: sumOf({ agents: status, one: 'volume', things: things(status), states: SHOWN_STATES }),
    needs: status.needsAPerson.map(({ node, volume, why, remedy }) => ({
      job: 'lvm',
      what: `${node === undefined ? '' : `${node}: `}${volume}: ${why}`,
      remedy: asSentence(remedy),
      code: codes.get(volume),
    })),
    now: all.flatMap(({ node, volume, state, stands }) =>
      GOING_ON.has(state.is) ? [`${node}: ${volume} ${stands}`] : [],
    ),
  };
}

const GOING_ON: ReadonlySet<ShownState['is']> = new Set<ShownState['is']>(['working', 'removing', 'waiting', 'failed']);

export function statusPage(status: LvmStatus): Page {
  return overview({
    job: 'lvm',
    agents: status,
    one: 'volume',
    things: things(status),
    states: SHOWN_STATES,
    tables: tables(status),
    needs: status.needsAPerson.map(
      ({ node, volume, why, remedy }) => `${node ?? '-'}: ${volume}: ${shown(why)}. ${shown(remedy)}.`,
    ),
  });
}

function tables({ nodes, nowhere }: LvmStatus): readonly Table[] {
  const groups = nodes.flatMap(({ node, groups: own }) => own.map((group) => ({ node, ...group })));
  const pools = groups.flatMap(({ node, name: vg, pools: own }) => own.map((pool) => ({ node, vg, ...pool })));
  const volumes = nodes.flatMap(({ node, volumes: own }) => own.map((volume) => rowOf(node, volume)));
  return [
    {
      columns: ['NODE', 'GROUP', 'SIZE', 'FREE', wide('MISSING DISKS')],
      rows: groups.map(({ node, name, size, free, missingDisks }) => [node, name, size, free, `${missingDisks}`]),
    },
    {
      columns: ['NODE', 'THIN POOL', 'SIZE', 'PROMISED', 'DATA', 'METADATA'],
      rows: pools.map(({ node, vg, name, size, promised, dataPercent, metadataPercent }) => [
        node,
        `${vg}/${name}`,
        size,
        promised,
        percent(dataPercent),
        percent(metadataPercent),
      ]),
    },
    {
      columns: ['NODE', 'VOLUME', 'SIZE', 'GROUP', 'PATH', 'CLAIM', wide('CODE'), 'STATE'],
      rows: [...volumes, ...nowhere.map((volume) => rowOf(undefined, volume))],
    },
  ];
}

const rowOf = (node: string | undefined, { volume, size, vg, path, claim, state, stands }: VolumeStatus) => [
  node,
  volume,
  size,
  vg,
  path,
  claim,
  state.is === 'refused' ? state.fact : undefined,
  inTone(state.is, stands),
];

const inTone = (is: ShownState['is'], stands: string): Text => {
  if (is === 'refused' || is === 'failed' || is === 'unreported') return toned(stands, 'bad');
  return is === 'ready' ? toned(stands, 'good') : toned(stands, 'warn');
};

const percent = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${Math.floor(value)} %`;
