/** The policies in deploy/admission, on a real API server: the agent of a node writes what is of its own node, and nothing else. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../../../src/api/persistent-volumes.ts';
import { aConfig, aNodeReport, aReceipt, GIB } from '../../../src/devices/builders.ts';
import {
  FIELD_MANAGER,
  HOSTNAME_LABEL,
  NODE_LABEL,
  NODE_LABELS,
  WIPE_FINALIZER,
} from '../../../src/devices/contract.ts';
import { mendingOf, newVolume, type Wanted } from '../../../src/devices/desired.ts';
import { volumeNameOf } from '../../../src/devices/names.ts';
import { devicesReports } from '../../../src/devices/node-report.ts';
import { volumeOf } from '../../../src/devices/volume.ts';
import { REPORT_LABEL } from '../../../src/kit/reports/node-reports.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { RawClient } from '../../harness/raw-client.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { applyingBy, changeIsForbidden, forbiddenBy, hasNoWarnings, WIDE } from '../admission.ts';
import { type Agents, configMapsIn, NAMESPACE, VOLUMES } from '../agents.ts';
import { deployAgents } from './rights.ts';

const NODE = 'node-a';
const OTHER = 'node-b';
const LATER_LABEL = NODE_LABELS[1];
const MAPS = configMapsIn(NAMESPACE);

const SENTENCES = {
  token: 'An agent may write only with a token that names its node: one that is bound to its pod',
  label: `The agent of node ${NODE} may write only volumes of that node, whose label ${NODE_LABEL} is its name`,
  laterLabel: `The agent of node ${NODE} may put only the name of that node into the label ${LATER_LABEL}`,
  affinity: `The agent of node ${NODE} may write only volumes whose node affinity is ${HOSTNAME_LABEL} In [that node]`,
  local: `The agent of node ${NODE} may write only local volumes`,
  name: `The agent of node ${NODE} may write only volumes that are named local-NODE-DEVICE after that node`,
  retain: `The agent of node ${NODE} may give volumes the reclaim policy Retain only`,
  claim: `The agent of node ${NODE} may not say which claim a volume belongs to`,
  report: `The agent of node ${NODE} may write only the ConfigMap of its own report, holdfast-devices-NODE`,
  marked: `The agent of node ${NODE} may write only a ConfigMap that has, and had, the label ${REPORT_LABEL}=devices`,
  namespace: `The agent of node ${NODE} may write a ConfigMap only in the namespace ${NAMESPACE}`,
};

let plane: ControlPlane;
let agents: Agents;
let agent: RawClient;
beforeAll(async () => {
  // Where the server lets a volume's node affinity be changed, the policy has to see to it.
  plane = await startControlPlane({ featureGates: { MutablePVNodeAffinity: true } });
  agents = await deployAgents(plane);
  agent = await agents.on(NODE);
});
afterAll(async () => {
  await agents?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

const CONFIG = aConfig({ volumeMode: 'Filesystem', fsType: 'ext4' });

let devices = 0;

/** A device that no other test has. */
function wantedOn(node: string): Wanted {
  const device = `disk-${++devices}`;
  const identity = { sizeBytes: GIB, wwid: device };
  const uid = randomUUID();
  return {
    name: volumeNameOf(node, device),
    path: `/dev/disks/${device}`,
    node: { name: node, uid },
    identity,
    config: CONFIG,
  };
}

/** As the agent of the node makes it, with some things otherwise. */
function aVolume(
  node = NODE,
  otherwise: { metadata?: object; spec?: object } = {},
): PersistentVolume & { metadata: { name: string } } {
  const { metadata, spec } = newVolume(wantedOn(node), aReceipt(GIB));
  return { metadata: { ...metadata, ...otherwise.metadata }, spec: { ...spec, ...otherwise.spec } } as ReturnType<
    typeof aVolume
  >;
}

const inPlace = async (...args: Parameters<typeof aVolume>): Promise<string> =>
  `${VOLUMES}/${(await plane.admin.post(VOLUMES, aVolume(...args))).metadata.name}`;

const usedOn = (...matchExpressions: readonly object[]) => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const host = (...values: readonly string[]) => ({ key: HOSTNAME_LABEL, operator: 'In', values });
const labels = (com: string, io?: string) => ({ [NODE_LABEL]: com, ...(io !== undefined && { [LATER_LABEL]: io }) });

const isForbidden = forbiddenBy('devices');
const applying = applyingBy(FIELD_MANAGER);

const reportOf = (node: string, version = '1', namespace = NAMESPACE) =>
  devicesReports.mapOf(aNodeReport({ node, version }), namespace);

describe('the agent of a node', () => {
  test('makes a volume of its device, takes it back and lets it go', async () => {
    const { metadata } = await agent.post(VOLUMES, aVolume());
    const path = `${VOLUMES}/${metadata.name}`;
    await agent.patch(path, { metadata: { finalizers: [WIPE_FINALIZER] } });
    await agent.patch(path, { metadata: { annotations: { 'holdfast.dev/wipe-progress': '1 %' } } });
    await agent.delete(path, { preconditions: { uid: metadata.uid } });
    await agent.patch(path, { metadata: { finalizers: [] } });
    await eventually(async () => (await plane.admin.request('GET', path)).status === 404);
  });

  test('makes volumes of a node whose name has more dashes than those of its volumes', async () => {
    const odd = await agents.on('node--with.dots-1');
    expect((await odd.post(VOLUMES, aVolume('node--with.dots-1'))).metadata.name).toMatch(/^local-node-with\.dots-1-/);
  });

  test('mends a volume that the original made, which has one label, no record of its device and an owner that is gone', async () => {
    const wanted = wantedOn(NODE);
    const { metadata, spec } = newVolume(wanted, aReceipt(GIB));
    const old = { ...metadata, labels: labels(NODE), annotations: {}, ownerReferences: [] };
    const made = await plane.admin.post<PersistentVolume>(VOLUMES, {
      metadata: old,
      spec: { ...spec, capacity: { storage: '1' } },
    });
    const path = `${VOLUMES}/${wanted.name}`;
    await agent.patch(path, { metadata: { finalizers: [WIPE_FINALIZER] } });
    await agent.patch(path, mendingOf(volumeOf(made), wanted));
    const mended = await plane.admin.get<PersistentVolume>(path);
    expect(mended.metadata.labels).toEqual(labels(NODE, NODE));
    expect(mendingOf(volumeOf(mended), wanted)).toEqual({ metadata: { finalizers: expect.anything() } });
  });

  test('mends a later label that names another node, when the volume is its own', async () => {
    const path = await inPlace(NODE, { metadata: { labels: labels(NODE, OTHER) } });
    await agent.patch(path, { metadata: { annotations: { noted: 'yes' } } });
    await agent.patch(path, { metadata: { labels: { [LATER_LABEL]: NODE } } });
  });

  test('goes on looking after a volume that somebody gave another reclaim policy, and one that is bound', async () => {
    const spec = { persistentVolumeReclaimPolicy: 'Delete', claimRef: { namespace: 'default', name: 'theirs' } };
    const path = await inPlace(NODE, { spec });
    await agent.patch(path, { metadata: { annotations: { noted: 'yes' } } });
    await agent.patch(path, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    await agent.delete(path);
  });

  test('writes its report, and writes it anew', async () => {
    await applying(agent, reportOf(NODE));
    await applying(agent, reportOf(NODE, '2'));
    const { data } = await plane.admin.get<{ data: Record<string, string> }>(`${MAPS}/${devicesReports.nameOf(NODE)}`);
    expect(data['report.json']).toContain('"version":"2"');
  });

  test('tells Events, which no policy is about', async () => {
    const now = new Date().toISOString().replace('Z', '000Z');
    const event = {
      metadata: { generateName: 'told-', namespace: 'default' },
      eventTime: now,
      type: 'Normal',
      reason: 'Told',
      action: 'Tell',
      reportingController: 'holdfast.dev/devices',
      reportingInstance: 'agent',
      regarding: { apiVersion: 'v1', kind: 'Node', name: OTHER },
    };
    await agent.post('/apis/events.k8s.io/v1/namespaces/default/events', event);
  });
});

describe('a new volume is refused', () => {
  const claimRef = { namespace: 'default', name: 'theirs' };
  const hostPath = { local: undefined, hostPath: { path: '/tmp' } };
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [NODE] }];
  const matchExpressions = [host(NODE)];
  const terms = (...nodeSelectorTerms: readonly object[]) => ({ nodeAffinity: { required: { nodeSelectorTerms } } });
  const cases: readonly [string, string, Parameters<typeof aVolume>][] = [
    ['that is of another node', SENTENCES.label, [OTHER]],
    ['that has no labels', SENTENCES.label, [NODE, { metadata: { labels: undefined } }]],
    ['that has other labels only', SENTENCES.label, [NODE, { metadata: { labels: { app: 'db' } } }]],
    ['with the label of another node', SENTENCES.label, [NODE, { metadata: { labels: labels(OTHER, NODE) } }]],
    ['without the later label', SENTENCES.laterLabel, [NODE, { metadata: { labels: labels(NODE) } }]],
    ['with the later label of another', SENTENCES.laterLabel, [NODE, { metadata: { labels: labels(NODE, OTHER) } }]],
    ['that is used on another node', SENTENCES.affinity, [NODE, { spec: usedOn(host(OTHER)) }]],
    ['that is used on others as well', SENTENCES.affinity, [NODE, { spec: usedOn(host(NODE, OTHER)) }]],
    ['in one more condition', SENTENCES.affinity, [NODE, { spec: usedOn(host(NODE), host(OTHER)) }]],
    ['in one more term', SENTENCES.affinity, [NODE, { spec: terms({ matchExpressions }, { matchExpressions }) }]],
    ['with a field beside', SENTENCES.affinity, [NODE, { spec: terms({ matchExpressions, matchFields }) }]],
    ['with a field instead', SENTENCES.affinity, [NODE, { spec: terms({ matchFields }) }]],
    ['everywhere but here', SENTENCES.affinity, [NODE, { spec: usedOn({ ...host(NODE), operator: 'NotIn' }) }]],
    [
      'wherever there is a name',
      SENTENCES.affinity,
      [NODE, { spec: usedOn({ key: HOSTNAME_LABEL, operator: 'Exists' }) }],
    ],
    ['by another label', SENTENCES.affinity, [NODE, { spec: usedOn({ ...host(NODE), key: 'rack' }) }]],
    ['without an affinity', SENTENCES.affinity, [NODE, { spec: { ...hostPath, nodeAffinity: undefined } }]],
    ['that is not local', SENTENCES.local, [NODE, { spec: hostPath }]],
    ['with the name of another node', SENTENCES.name, [NODE, { metadata: { name: volumeNameOf(OTHER, 'x') } }]],
    ['with a name of its own', SENTENCES.name, [NODE, { metadata: { name: 'database' } }]],
    ['that would be deleted', SENTENCES.retain, [NODE, { spec: { persistentVolumeReclaimPolicy: 'Delete' } }]],
    ['that is for a chosen claim', SENTENCES.claim, [NODE, { spec: { claimRef } }]],
  ];

  test.each(cases)('%s', async (_, sentence, volume) => {
    const made = aVolume(...volume);
    await isForbidden(agent.post(VOLUMES, made), sentence);
    expect((await plane.admin.request('GET', `${VOLUMES}/${made.metadata.name}`)).status).toBe(404);
    await plane.admin.post(VOLUMES, made);
  });
});

describe('a change is refused', () => {
  const annotations = { noted: 'yes' };
  const claimRef = { namespace: 'default', name: 'theirs' };
  const cases: readonly [string, string, Parameters<typeof aVolume>, object][] = [
    ['to a volume of another node', SENTENCES.label, [OTHER], { metadata: { annotations } }],
    ['that makes a volume its own', SENTENCES.label, [OTHER], { metadata: { labels: labels(NODE, NODE) } }],
    ['that gives a volume away', SENTENCES.label, [NODE], { metadata: { labels: labels(OTHER, OTHER) } }],
    ['that gives it away by half', SENTENCES.laterLabel, [NODE], { metadata: { labels: { [LATER_LABEL]: OTHER } } }],
    ['that takes the label off', SENTENCES.label, [NODE], { metadata: { labels: { [NODE_LABEL]: null } } }],
    ['that takes all labels off', SENTENCES.label, [NODE], { metadata: { labels: null } }],
    ['that takes the later label off', SENTENCES.laterLabel, [NODE], { metadata: { labels: { [LATER_LABEL]: null } } }],
    [
      'to a volume without labels',
      SENTENCES.label,
      [NODE, { metadata: { labels: undefined } }],
      { metadata: { annotations } },
    ],
    [
      'to a volume of another node with a forged label',
      SENTENCES.affinity,
      [OTHER, { metadata: { labels: labels(NODE, NODE) } }],
      { metadata: { annotations } },
    ],
    [
      'to a volume that is not local',
      SENTENCES.local,
      [NODE, { spec: { local: undefined, hostPath: { path: '/tmp' } } }],
      { metadata: { annotations } },
    ],
    [
      'to a volume that no agent can have made',
      SENTENCES.name,
      [NODE, { metadata: { name: 'theirs' } }],
      { metadata: { annotations } },
    ],
    [
      'that lets the volume be deleted',
      SENTENCES.retain,
      [NODE],
      { spec: { persistentVolumeReclaimPolicy: 'Delete' } },
    ],
    ['that chooses a claim', SENTENCES.claim, [NODE], { spec: { claimRef } }],
    [
      'that chooses another claim',
      SENTENCES.claim,
      [NODE, { spec: { claimRef } }],
      { spec: { claimRef: { name: 'mine' } } },
    ],
    ['that takes it from its claim', SENTENCES.claim, [NODE, { spec: { claimRef } }], { spec: { claimRef: null } }],
  ];

  test.each(cases)('%s', async (_, sentence, volume, change) => {
    const path = await inPlace(...volume);
    await changeIsForbidden(isForbidden, { admin: plane.admin, agent }, { path, change, sentence });
  });

  test('to the path of a volume, by the server itself', async () => {
    const path = await inPlace(NODE);
    await expect(agent.patch(path, { spec: { local: { path: '/dev/disks/another' } } })).rejects.toThrow(
      /answered 422: .*is immutable after creation/,
    );
  });
});

describe('a removal is refused', () => {
  const cases: readonly [string, string, Parameters<typeof aVolume>][] = [
    ['of a volume of another node', SENTENCES.label, [OTHER]],
    ['of a volume without labels', SENTENCES.label, [NODE, { metadata: { labels: undefined } }]],
    [
      'of a volume of another node with a forged label',
      SENTENCES.affinity,
      [OTHER, { metadata: { labels: labels(NODE, NODE) } }],
    ],
    [
      'of a volume that is not local',
      SENTENCES.local,
      [NODE, { spec: { local: undefined, hostPath: { path: '/tmp' } } }],
    ],
    ['of a volume that no agent can have made', SENTENCES.name, [NODE, { metadata: { name: 'others' } }]],
  ];

  test.each(cases)('%s', async (_, sentence, volume) => {
    const path = await inPlace(...volume);
    await isForbidden(agent.delete(path), sentence);
    expect((await plane.admin.get(path)).metadata.deletionTimestamp).toBeUndefined();
    await plane.admin.delete(path);
  });
});

describe('a ConfigMap is left alone', () => {
  const REPORT = { [REPORT_LABEL]: 'devices' };
  test('that is the report of another node', async () => {
    await isForbidden(applying(agent, reportOf(OTHER)), SENTENCES.report);
    await applying(plane.admin, reportOf(OTHER));
    await isForbidden(applying(agent, reportOf(OTHER, '2')), SENTENCES.report);
  });

  test('that has any other name', async () => {
    await isForbidden(agent.post(MAPS, { metadata: { name: 'pv-spec', labels: REPORT } }), SENTENCES.report);
  });

  test('that is a configuration', async () => {
    const data = { deviceDir: '/dev/disks' };
    await plane.admin.post(MAPS, { metadata: { name: 'pv-spec-a' }, data });
    const changed = { metadata: { labels: REPORT }, data: { deviceDir: '/' } };
    await isForbidden(agent.patch(`${MAPS}/pv-spec-a`, changed), SENTENCES.report);
  });

  test('that is a configuration with the name of its report', async () => {
    const third = 'node-c';
    const itsAgent = await agents.on(third);
    const sentence = SENTENCES.marked.replace(NODE, third);
    await isForbidden(itsAgent.post(MAPS, { metadata: { name: devicesReports.nameOf(third) } }), sentence);
    await plane.admin.post(MAPS, {
      metadata: { name: devicesReports.nameOf(third) },
      data: { deviceDir: '/dev/disks' },
    });
    await isForbidden(applying(itsAgent, reportOf(third)), sentence);
    const other = { metadata: { labels: { [REPORT_LABEL]: 'others' } } };
    await plane.admin.patch(`${MAPS}/${devicesReports.nameOf(third)}`, other);
    await isForbidden(applying(itsAgent, reportOf(third)), sentence);
  });

  test('when its report would become a configuration', async () => {
    const fourth = 'node-d';
    const itsAgent = await agents.on(fourth);
    await applying(itsAgent, reportOf(fourth));
    const unmarked = { metadata: { labels: null } };
    await isForbidden(
      itsAgent.patch(`${MAPS}/${devicesReports.nameOf(fourth)}`, unmarked),
      SENTENCES.marked.replace(NODE, fourth),
    );
  });
});

test('a token that names no node writes nothing', async () => {
  const nowhere = await agents.nowhere();
  const path = await inPlace(NODE);
  await isForbidden(nowhere.post(VOLUMES, aVolume()), SENTENCES.token);
  await isForbidden(nowhere.patch(path, { metadata: { annotations: { noted: 'yes' } } }), SENTENCES.token);
  await isForbidden(nowhere.delete(path), SENTENCES.token);
  await isForbidden(applying(nowhere, reportOf(NODE)), SENTENCES.token);
});

test('an account of the same name in another namespace is none of its business', async () => {
  const clusterRules = [{ apiGroups: [''], resources: ['persistentvolumes', 'configmaps'], verbs: ['*'] }];
  await using other = await createServiceAccount(plane, { name: agents.account.identity.name, clusterRules });
  const { metadata } = await other.client.post(VOLUMES, aVolume(NODE, { metadata: { name: 'of-others', labels: {} } }));
  await other.client.patch(`${VOLUMES}/${metadata.name}`, { metadata: { labels: labels(OTHER) } });
  await other.client.delete(`${VOLUMES}/${metadata.name}`);
  await other.client.post(MAPS, { metadata: { name: 'of-others' } });
});

describe('whatever rights it is given, and where all controllers run', () => {
  let wide: ControlPlane;
  let wideAgents: Agents;
  let wideAgent: RawClient;
  beforeAll(async () => {
    wide = await startControlPlane({ controllers: true });
    wideAgents = await deployAgents(wide, WIDE);
    wideAgent = await wideAgents.on(NODE);
  });
  afterAll(async () => {
    await wideAgents?.[Symbol.asyncDispose]();
    await wide?.[Symbol.asyncDispose]();
  });

  /** What has an owner that is not there does not stay. */
  const ownerless = { metadata: { ownerReferences: [] } };

  test('an agent replaces no volume of another node, and does not touch its status', async () => {
    const theirs = await wide.admin.post(VOLUMES, aVolume(OTHER, ownerless));
    const path = `${VOLUMES}/${theirs.metadata.name}`;
    await isForbidden(
      wideAgent.put(path, { ...theirs, metadata: { ...theirs.metadata, resourceVersion: undefined } }),
      SENTENCES.label,
    );
    await isForbidden(wideAgent.patch(`${path}/status`, { status: { phase: 'Released' } }), SENTENCES.label);
  });

  test('an agent that deletes all volumes at once gets no further than those of its node', async () => {
    const theirs = await wide.admin.post(VOLUMES, aVolume(OTHER, ownerless));
    await isForbidden(wideAgent.delete(VOLUMES), SENTENCES.label);
    expect((await wide.admin.get(`${VOLUMES}/${theirs.metadata.name}`)).metadata.deletionTimestamp).toBeUndefined();
  });

  test('an agent writes and deletes nothing in another namespace, nor a ConfigMap that is not its report', async () => {
    await isForbidden(applying(wideAgent, reportOf(NODE, '1', 'default')), SENTENCES.namespace);
    await wide.admin.post(MAPS, { metadata: { name: 'pv-spec' } });
    await isForbidden(wideAgent.delete(`${MAPS}/pv-spec`), SENTENCES.report);
  });

  test('the server finds nothing to warn of in the policies when it knows the types of the objects', async () => {
    await hasNoWarnings(wide.admin, 2);
  });
});
