/** Looks at what the agents have reported, and at the nodes and volumes that there are, for the commands that show it. */
import { CONFIG_MAPS, type ConfigMap } from '../../api/config-maps.ts';
import { NODES, type Node } from '../../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { NODE_LABEL } from '../../devices/contract.ts';
import { parseReport, REPORT_LABEL, REPORT_VALUE, reportNameOf } from '../../devices/node-report.ts';
import type { Looked, Reported } from '../../devices/status.ts';
import { volumeOf } from '../../devices/volume.ts';
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import { type ApiError, hasReason } from '../../kit/kube/api-error.ts';
import type { Selection } from '../../kit/kube/client.ts';
import { type KubeObject, keyOfObject, type Resource } from '../../kit/kube/resource.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../../kit/names.ts';
import { flag, type Kind } from '../flags/flag.ts';
import type { Terminal } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';
import { progressOn } from '../progress.ts';
import type { Visitor } from '../visit.ts';

const namespaceName: Kind<string> = {
  placeholder: 'namespace',
  allowed: 'the name of a namespace',
  example: 'kube-system',
  parse(text) {
    const fault = dnsLabelFault(text);
    if (fault) throw new InvalidValue('namespace', text, 'no namespace can have that name');
    return text;
  },
};

export const namespaceFlag = () =>
  flag('--namespace', 'where the agents run and report; otherwise all namespaces', namespaceName, {
    emptyIsUnset: true,
  });

export interface Where {
  readonly namespace?: string | undefined;
  /** All of them, if none is named. */
  readonly nodes: readonly string[];
}

/** A name that no node can have is a slip of the fingers, and must not get into a query. */
export function nodeNames(given: readonly string[]): readonly string[] {
  for (const name of given) {
    const fault = dnsSubdomainFault(name);
    if (fault) throw new UsageError(`no node can have that name: ${fault}`);
  }
  return [...new Set(given)];
}

/** What may not be read is done without, as far as that is possible, and told. */
export async function look(visitor: Visitor, where: Where, terminal: Terminal): Promise<Looked> {
  const reading: Reading = { visitor, tell: progressOn(terminal, systemClock) };
  const { reports, unreadable } = await readReports(reading, where);
  const without = (loss: string) => (error: ApiError) => void terminal.stderr.write(`${error.detail}; ${loss}\n`);
  const nodes = await allowed(readAll(reading, NODES, {}, nodeNameOf), without('nodes without a report are not shown'));
  const labelSelector = where.nodes.length > 0 ? `${NODE_LABEL} in (${where.nodes.join(',')})` : NODE_LABEL;
  const volumes = await allowed(
    readAll(reading, PERSISTENT_VOLUMES, { labelSelector }, volumeOf),
    without('how volumes stand is taken from the reports alone'),
  );
  const looked = { reports, unreadable, nodes, volumes };
  refuseUnknown(where.nodes, looked);
  return looked;
}

const nodeNameOf = ({ metadata }: Node): string => metadata.name ?? '';

function refuseUnknown(asked: readonly string[], { reports, nodes, volumes = [] }: Looked): void {
  if (!nodes) return;
  const known = new Set([...nodes, ...reports.map(({ report }) => report.node), ...volumes.map(({ node }) => node)]);
  const unknown = asked.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UsageError(`there is no node ${unknown.join(', ')}`);
}

interface Reading {
  readonly visitor: Visitor;
  readonly tell: (line: string) => void;
}

/** The reports of some nodes or of all. */
export async function readReports(
  reading: Reading,
  { namespace, nodes }: Where,
): Promise<{ readonly reports: readonly Reported[]; readonly unreadable: readonly string[] }> {
  const names = new Set(nodes.map(reportNameOf));
  const [only, ...others] = names;
  const selection = {
    labelSelector: `${REPORT_LABEL}=${REPORT_VALUE}`,
    ...(namespace !== undefined && { namespace }),
    ...(only !== undefined && others.length === 0 && { fieldSelector: `metadata.name=${only}` }),
  };
  const project = (map: ConfigMap) =>
    names.size === 0 || names.has(map.metadata.name ?? '') ? reportIn(map) : undefined;
  const read = await readAll(reading, CONFIG_MAPS, selection, project).catch((error: unknown) => {
    throw hasReason(error, 'Forbidden') ? new Error(howToRead(error, namespace), { cause: error }) : error;
  });
  return {
    reports: read.flatMap((each) => ('report' in each ? [each] : [])),
    unreadable: read.flatMap((each) => ('unreadable' in each ? [each.unreadable] : [])),
  };
}

const reportIn = (map: ConfigMap): Reported | { readonly unreadable: string } => {
  const report = parseReport(map);
  return report ? { report, namespace: map.metadata.namespace } : { unreadable: keyOfObject(map) };
};

const howToRead = ({ detail }: ApiError, namespace: string | undefined): string =>
  namespace === undefined
    ? `the reports of the agents may not be looked for in all namespaces: name theirs by --namespace (${detail})`
    : `the reports of the agents in the namespace ${namespace} may not be read (${detail})`;

async function readAll<T extends KubeObject, P>(
  { visitor: { client, signal }, tell }: Reading,
  resource: Resource<T>,
  selection: Selection,
  project: (object: T) => P | undefined,
): Promise<readonly P[]> {
  const snapshot = new Snapshot();
  const view = snapshot.view(resource, { ...selection, project });
  await snapshot.fill(client, { signal }, tell);
  return [...view.values()];
}

/** Nothing, when it is forbidden. */
async function allowed<T>(read: Promise<T>, otherwise: (error: ApiError) => void): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    otherwise(error);
    return undefined;
  }
}
