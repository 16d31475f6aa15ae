/** `holdfast status lvm`: the volume groups of each node, how each volume stands, which agents are not heard, and what needs a person. */
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { lvmReports } from '../../lvm/node-report.ts';
import { type Looked, type LvmStatus, lvmStatus, SHOWN_STATES, type VolumeStatus } from '../../lvm/status.ts';
import { volumeOf } from '../../lvm/volume.ts';
import type { Terminal } from '../line/command.ts';
import { lookAround, readAll, refuseUnknown, type Where } from '../reports/read.ts';
import { overview, shown, tableOf } from '../reports/text.ts';
import type { Visitor } from '../visit.ts';
import { statusOfReports } from './reported.ts';

export const define = statusOfReports({
  job: 'lvm',
  shows: 'the volume groups and volumes',
  look,
  statusOf: lvmStatus,
  text: statusText,
});

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

export function statusText(status: LvmStatus): string {
  const { nodes, nowhere, needsAPerson } = status;
  return overview({
    job: 'lvm',
    agents: status,
    one: 'volume',
    things: [...nodes.flatMap(({ volumes }) => volumes), ...nowhere],
    states: SHOWN_STATES,
    tables: tables(status),
    needs: needsAPerson.map(
      ({ node, volume, why, remedy }) => `${node ?? '-'}: ${volume}: ${shown(why)}. ${shown(remedy)}.`,
    ),
  });
}

function tables({ nodes, nowhere }: LvmStatus): readonly string[] {
  const groups = nodes.flatMap(({ node, groups: own }) => own.map((group) => ({ node, ...group })));
  const pools = groups.flatMap(({ node, name: vg, pools: own }) => own.map((pool) => ({ node, vg, ...pool })));
  const volumes = nodes.flatMap(({ node, volumes: own }) => own.map((volume) => rowOf(node, volume)));
  return [
    tableOf(
      ['NODE', 'GROUP', 'SIZE', 'FREE'],
      groups.map(({ node, name, size, free }) => [node, name, size, free]),
    ),
    tableOf(
      ['NODE', 'THIN POOL', 'SIZE', 'PROMISED', 'DATA', 'METADATA'],
      pools.map(({ node, vg, name, size, promised, dataPercent, metadataPercent }) => [
        node,
        `${vg}/${name}`,
        size,
        promised,
        percent(dataPercent),
        percent(metadataPercent),
      ]),
    ),
    tableOf(
      ['NODE', 'VOLUME', 'SIZE', 'GROUP', 'PATH', 'CLAIM', 'STATE'],
      [...volumes, ...nowhere.map((volume) => rowOf(undefined, volume))],
    ),
  ];
}

const rowOf = (node: string | undefined, { volume, size, vg, path, claim, stands }: VolumeStatus) => [
  node,
  volume,
  size,
  vg,
  path,
  claim,
  stands,
];

const percent = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${Math.floor(value)} %`;
