/** `holdfast status lvm`: the volume groups of each node, how each volume stands, which agents are not heard, and what needs a person. */
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { type ApiError, allowed } from '../../kit/kube/api-error.ts';
import { lvmReports } from '../../lvm/node-report.ts';
import { type Looked, type LvmStatus, lvmStatus, SHOWN_STATES, type VolumeStatus } from '../../lvm/status.ts';
import { volumeOf } from '../../lvm/volume.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import {
  namespaceFlag,
  nodeNames,
  type Reading,
  readAll,
  readReports,
  refuseUnknown,
  type Where,
} from '../reports/read.ts';
import { agentLines, counted, lines, section, shown, tableOf, tally } from '../reports/text.ts';
import { type Visitor, visit } from '../visit.ts';

const flags = { ...clusterFlags, namespace: namespaceFlag(), output: outputFlag };

export const define: Define = (command, terminal) => {
  command.usage('[NODE...] [flags]').argument('[node...]', 'only these nodes');
  addExamples(command, {
    'holdfast status lvm': 'the volume groups and volumes of all nodes, and what needs a person',
    'holdfast status lvm node-1 node-2': 'those of two nodes',
    'holdfast status lvm --namespace storage': 'where not all namespaces may be read',
    'holdfast status lvm -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const nodes = nodeNames(command.args);
    const looked = await visit('status', options, terminal, (visitor) =>
      look(visitor, { namespace: options.namespace, nodes }, terminal),
    );
    const status = lvmStatus(looked, systemClock.now(), nodes);
    terminal.stdout.write(await formatted(status, options.output, statusText));
  });
};

/** What may not be read is done without, as far as that is possible, and told. */
async function look(visitor: Visitor, where: Where, terminal: Terminal): Promise<Looked> {
  const reading: Reading = { visitor, tell: progressOn(terminal, systemClock) };
  const { reports, unreadable } = await readReports(reading, lvmReports, where);
  const without = (loss: string) => (error: ApiError) => void terminal.stderr.write(`${error.detail}; ${loss}\n`);
  const nodes = await allowed(
    readAll(reading, NODES, {}, labelsOf),
    without('only volumes that agents have reported are shown'),
  );
  const volumes = await allowed(
    readAll(reading, PERSISTENT_VOLUMES, {}, volumeOf),
    without('how volumes stand is taken from the reports alone'),
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
  const volumes = [...nodes.flatMap((each) => each.volumes), ...nowhere];
  const sum = `${counted(nodes.length, 'node')}, ${counted(volumes.length, 'volume')}`;
  return [
    `${sum}${volumes.length > 0 ? `: ${tally(SHOWN_STATES, volumes)}` : ''}\n`,
    ...tables(status).filter((table) => table !== ''),
    section('AGENTS THAT NEED A LOOK', agentLines('lvm', status)),
    section(
      'NEEDS A PERSON',
      lines(
        needsAPerson.map(
          ({ node, volume, why, remedy }) => `${node ?? '-'}: ${volume}: ${shown(why)}. ${shown(remedy)}.`,
        ),
      ),
    ),
  ].join('\n');
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
