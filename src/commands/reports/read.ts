/** Reads what the agents of a job have reported, for the commands that show it. */
import { CONFIG_MAPS, type ConfigMap } from '../../api/config-maps.ts';
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import { type ApiError, allowed, hasReason } from '../../kit/kube/api-error.ts';
import type { Selection } from '../../kit/kube/client.ts';
import { type KubeObject, keyOfObject, type Resource } from '../../kit/kube/resource.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../../kit/names.ts';
import type { Reported } from '../../kit/reports/heard.ts';
import type { NodeReports, ReportHead } from '../../kit/reports/node-reports.ts';
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

interface Reading {
  readonly visitor: Visitor;
  readonly tell: (line: string) => void;
}

/** The reports of a job, and how to read what else there is: what may not be read is done without, and told. */
export async function lookAround<R extends ReportHead>(
  kind: NodeReports<R, string>,
  visitor: Visitor,
  where: Where,
  terminal: Terminal,
) {
  const reading: Reading = { visitor, tell: progressOn(terminal, systemClock) };
  const orWithout = <T>(read: Promise<T>, loss: string) =>
    allowed(read, ({ detail }) => terminal.stderr.write(`${detail}; ${loss}\n`));
  return { ...(await readReports(reading, kind, where)), reading, orWithout };
}

/** The reports of some nodes or of all. */
export async function readReports<R extends ReportHead>(
  reading: Reading,
  kind: NodeReports<R, string>,
  { namespace, nodes }: Where,
): Promise<{ readonly reports: readonly Reported<R>[]; readonly unreadable: readonly string[] }> {
  const names = new Set(nodes.map((node) => kind.nameOf(node)));
  const [only, ...others] = names;
  const selection = {
    labelSelector: kind.labelSelector,
    ...(namespace !== undefined && { namespace }),
    ...(only !== undefined && others.length === 0 && { fieldSelector: `metadata.name=${only}` }),
  };
  const project = (map: ConfigMap) =>
    names.size === 0 || names.has(map.metadata.name ?? '') ? reportIn(kind, map) : undefined;
  const read = await readAll(reading, CONFIG_MAPS, selection, project).catch((error: unknown) => {
    throw hasReason(error, 'Forbidden') ? new Error(howToRead(error, namespace), { cause: error }) : error;
  });
  return {
    reports: read.flatMap((each) => ('report' in each ? [each] : [])),
    unreadable: read.flatMap((each) => ('unreadable' in each ? [each.unreadable] : [])),
  };
}

const reportIn = <R extends ReportHead>(
  kind: NodeReports<R, string>,
  map: ConfigMap,
): Reported<R> | { readonly unreadable: string } => {
  const report = kind.parse(map);
  return report ? { report, namespace: map.metadata.namespace } : { unreadable: keyOfObject(map) };
};

const howToRead = ({ detail }: ApiError, namespace: string | undefined): string =>
  namespace === undefined
    ? `the reports of the agents may not be looked for in all namespaces: name theirs by --namespace (${detail})`
    : `the reports of the agents in the namespace ${namespace} may not be read (${detail})`;

export async function readAll<T extends KubeObject, P>(
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

export function refuseUnknown(asked: readonly string[], known: ReadonlySet<string>): void {
  const unknown = asked.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UsageError(`there is no node ${unknown.join(', ')}`);
}
