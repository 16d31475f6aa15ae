/** Looks at what the agents have reported, and at the nodes and volumes that there are, for the commands that show it. */
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { NODE_LABEL } from '../../devices/contract.ts';
import { devicesReports } from '../../devices/node-report.ts';
import type { Looked } from '../../devices/status.ts';
import { volumeOf } from '../../devices/volume.ts';
import type { Terminal } from '../line/command.ts';
import { lookAround, readAll, refuseUnknown, type Where } from '../reports/read.ts';
import type { Visitor } from '../visit.ts';

/** What may not be read is done without, as far as that is possible, and told. */
export async function look(visitor: Visitor, where: Where, terminal: Terminal): Promise<Looked> {
  const { reports, unreadable, reading, orWithout } = await lookAround(devicesReports, visitor, where, terminal);
  const nodes = await orWithout(readAll(reading, NODES, {}, nodeNameOf), 'nodes without a report are not shown');
  const labelSelector = where.nodes.length > 0 ? `${NODE_LABEL} in (${where.nodes.join(',')})` : NODE_LABEL;
  const volumes = await orWithout(
    readAll(reading, PERSISTENT_VOLUMES, { labelSelector }, volumeOf),
    'how volumes stand is taken from the reports alone',
  );
  const looked = { reports, unreadable, nodes, volumes };
  if (nodes) refuseUnknown(where.nodes, knownNodes(looked));
  return looked;
}

const nodeNameOf = ({ metadata }: Node): string => metadata.name ?? '';

function knownNodes({ reports, nodes = [], volumes = [] }: Looked): ReadonlySet<string> {
  return new Set([...nodes, ...reports.map(({ report }) => report.node), ...volumes.map(({ node }) => node)]);
}
