/** What was left behind: reports and finalizers of nodes that are gone, volumes that nobody recycles, leases that nobody holds. */
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import type { Node } from '../../api/nodes.ts';
import type { PersistentVolume } from '../../api/persistent-volumes.ts';
import { NODE_LABEL, TROUBLE_ANNOTATION, WIPE_FINALIZER } from '../../devices/contract.ts';
import { ago } from '../../kit/in-words.ts';
import { annotation, HOSTNAME_LABEL, FINALIZER as LVM_FINALIZER, NODE_ID_LABEL, PREFIX } from '../../lvm/contract.ts';
import { ownNodeOf } from '../../lvm/home.ts';
import { RECOVERY_LABEL } from '../../sync/contract.ts';
import type { Cluster, Report } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';

/** The agent writes at least every 5 minutes. */
const SILENT_MS = 10 * 60_000;

export const reportsAreOfLivingNodes: Check<Cluster> = {
  name: 'reports',
  judge({ reports, nodes, now }) {
    if (!reports.known) return unknown(reports.why);
    if (!nodes.known) return unknown(nodes.why);
    const names = new Set(nodes.value.map(({ metadata }) => metadata.name));
    const findings = reports.value.flatMap((report) =>
      names.has(report.node) ? silent(report, now) : [ofGoneNode(report)],
    );
    return verdictOn(findings, `${reports.value.length} agents report, all of nodes that there are`);
  },
};

function ofGoneNode({ metadata, job, node }: Report): Finding {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return {
    severity: 'warning',
    subject: `report ${namespace}/${name}`,
    evidence: `it is of the agent of ${job} on node ${node}, which is not in the cluster any more`,
    remedy: `kubectl -n ${namespace} delete configmap ${name}`,
    fix: { does: 'delete', resource: CONFIG_MAPS, ref: { namespace, name }, uid, resourceVersion },
  };
}

function silent({ job, node, at, metadata }: Report, now: Date): readonly Finding[] {
  const ageMs = now.getTime() - Date.parse(at);
  if (ageMs <= SILENT_MS) return [];
  const heard = Number.isNaN(ageMs)
    ? `its report says no time that can be read: ${at}`
    : `it was last heard ${ago(ageMs)}`;
  return [
    {
      severity: 'warning',
      subject: `agent of ${job} on node ${node}`,
      evidence: heard,
      remedy: `Look at its pod: kubectl -n ${metadata.namespace} get pods -o wide --field-selector spec.nodeName=${node}`,
    },
  ];
}

/** How a volume names its node, and whether there is such a node. */
function isOfGoneNode(volume: PersistentVolume, nodes: readonly Node[]): string | undefined {
  const { metadata, spec } = volume;
  const label = metadata.labels?.[NODE_LABEL];
  if (label !== undefined) return nodes.some((node) => node.metadata.name === label) ? undefined : label;
  const expressions = (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(
    (term) => term.matchExpressions ?? [],
  );
  const named = expressions.find(({ key }) => key === NODE_ID_LABEL || key === HOSTNAME_LABEL);
  const values = named?.values ?? [];
  if (!named || values.length === 0) return undefined;
  const found = nodes.some(({ metadata: { name = '', labels = {} } }) => {
    const own = ownNodeOf({ name, labels });
    return values.includes((named.key === NODE_ID_LABEL ? own.id : own.hostname) ?? '');
  });
  return found ? undefined : values.join(', ');
}

export const noFinalizerOfGoneNodes: Check<Cluster> = {
  name: 'finalizers',
  judge({ volumes, nodes }) {
    if (!volumes.known) return unknown(volumes.why);
    if (!nodes.known) return unknown(nodes.why);
    const held = volumes.value.filter(({ metadata }) =>
      (metadata.finalizers ?? []).some((each) => each === WIPE_FINALIZER || each === LVM_FINALIZER),
    );
    const findings = held.flatMap((volume) => {
      const node = isOfGoneNode(volume, nodes.value);
      return node === undefined ? [] : [heldForGoneNode(volume, node)];
    });
    return verdictOn(findings, `${held.length} volumes are held by finalizers of ours, all for nodes that there are`);
  },
};

function heldForGoneNode({ metadata }: PersistentVolume, node: string): Finding {
  const { name = '', finalizers = [], deletionTimestamp } = metadata;
  const isLvm = finalizers.includes(LVM_FINALIZER);
  return {
    severity: deletionTimestamp === undefined ? 'warning' : 'error',
    subject: `volume ${name}`,
    evidence: `it is held for node ${node}, which is not in the cluster${deletionTimestamp === undefined ? '' : `, and was deleted at ${deletionTimestamp}`}`,
    remedy: isLvm
      ? `Bring the node back, or, if it is gone for good: holdfast lvm forget ${name}`
      : `Bring the node back, or, if its disks are gone for good, take the finalizer ${WIPE_FINALIZER} away by hand: nothing is wiped then`,
  };
}

export const releasedVolumesAreRecycled: Check<Cluster> = {
  name: 'released-volumes',
  judge({ volumes, nodes, reports, now }) {
    if (!volumes.known) return unknown(volumes.why);
    if (!nodes.known) return unknown(nodes.why);
    if (!reports.known) return unknown(reports.why);
    const names = new Set(nodes.value.map(({ metadata }) => metadata.name));
    const isHeard = ({ job, node, at }: Report) =>
      job === 'devices' && names.has(node) && now.getTime() - Date.parse(at) <= SILENT_MS;
    const agents = new Set(reports.value.filter(isHeard).map(({ node }) => node));
    const released = volumes.value.filter(
      ({ status, metadata }) => status?.phase === 'Released' && metadata.deletionTimestamp === undefined,
    );
    const findings = released.flatMap((volume) => whyNotRecycled(volume, agents));
    return verdictOn(findings, `${released.length} volumes are released, none of which is left alone`);
  },
};

function whyNotRecycled({ metadata }: PersistentVolume, agents: ReadonlySet<string>): readonly Finding[] {
  const { name = '', labels = {}, annotations = {} } = metadata;
  const node = labels[NODE_LABEL];
  const subject = `volume ${name}`;
  const trouble = annotations[TROUBLE_ANNOTATION];
  if (node !== undefined && trouble !== undefined)
    return [
      {
        severity: 'warning',
        subject,
        evidence: `it is not recycled: ${trouble}`,
        remedy: 'Look at holdfast devices plan',
      },
    ];
  if (node !== undefined && !agents.has(node))
    return [
      {
        severity: 'warning',
        subject,
        evidence: `its claim is gone, and no agent of devices reports from its node, ${node}: nobody wipes and offers it again`,
        remedy: `Let holdfast devices run on ${node}, or delete the volume`,
      },
    ];
  const isLvm = Object.keys(annotations).some((key) => key.startsWith(PREFIX));
  if (!isLvm || annotations[annotation('autoRelease')] === 'true') return [];
  return [
    {
      severity: 'info',
      subject,
      evidence: 'its claim is gone, and it keeps its data until a person decides',
      remedy: `kubectl delete pv ${name} removes it with its data; the annotation ${annotation('autoRelease')}: "true" offers it again`,
    },
  ];
}

/** Holders renew theirs every few seconds. */
const ABANDONED_MS = 3_600_000;

export const leasesAreHeld: Check<Cluster> = {
  name: 'leases',
  judge({ leases, writers, now }) {
    if (!leases.known) return unknown(leases.why);
    if (!writers.known) return unknown(writers.why);
    const findings = leases.value.flatMap(({ metadata: { name = '', namespace = '' }, spec }): readonly Finding[] => {
      const command = /^holdfast-(topology|pool|sync|controller)$/.exec(name)?.[1];
      const ageMs = now.getTime() - Date.parse(spec?.renewTime ?? '');
      if (command === undefined || !(ageMs > ABANDONED_MS)) return [];
      const elects = writers.value.some(
        (each) =>
          each.does === command && each.namespace === namespace && each.runs && each.elects && each.who === 'holdfast',
      );
      return [
        {
          severity: elects ? 'error' : 'info',
          subject: `lease ${namespace}/${name}`,
          evidence: `nobody has renewed it for ${ago(ageMs).replace(/ ago$/, '')}, and ${elects ? `holdfast ${command} is installed there: it does nothing` : `no holdfast ${command} runs there`}`,
          remedy: elects
            ? `Look at its pod: kubectl -n ${namespace} get pods`
            : `kubectl -n ${namespace} delete lease ${name}`,
        },
      ];
    });
    return verdictOn(findings, 'each lease of ours is held, or was given back within the hour');
  },
};

export const restoredVolumesHaveTheirSync: Check<Cluster> = {
  name: 'restored-volumes',
  judge({ volumes, syncs }) {
    if (!volumes.known) return unknown(volumes.why);
    if (!syncs.known) return unknown(syncs.why);
    const restored = volumes.value.filter(({ metadata }) => metadata.labels?.[RECOVERY_LABEL] !== undefined);
    const findings = restored.flatMap(({ metadata: { name = '', labels = {} } }): readonly Finding[] => {
      const sync = labels[RECOVERY_LABEL] ?? '';
      if (syncs.value.includes(sync)) return [];
      return [
        {
          severity: 'warning',
          subject: `volume ${name}`,
          evidence: `it was restored for the PersistentVolumeSync ${sync}, which is not there any more`,
          remedy: `If it is to stay, release it: kubectl label pv ${name} ${RECOVERY_LABEL}-`,
        },
      ];
    });
    return verdictOn(
      findings,
      `${restored.length} volumes were restored, all for a PersistentVolumeSync that is there`,
    );
  },
};
