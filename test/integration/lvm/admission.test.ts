/** The policies in deploy/admission, on a real API server: the agent of a node writes on volumes of its own node what it has to, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aNodeReport } from '../../../src/lvm/builders.ts';
import {
  ADOPT_ANNOTATION,
  FIELD_MANAGER,
  FINALIZER,
  HOSTNAME_LABEL,
  MADE_ANNOTATION,
  NODE_ID_LABEL,
  PREFIX,
  PROTECTION_FINALIZER,
} from '../../../src/lvm/contract.ts';
import { lvmReports } from '../../../src/lvm/node-report.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { applyingBy, changeIsForbidden, forbiddenBy, hasNoWarnings, WIDE } from '../admission.ts';
import { type Agents, configMapsIn, NAMESPACE, VOLUMES } from '../agents.ts';
import { aNode, aVolume, deployAgents, KEYS_NAMESPACE, on, usableIn } from './rights.ts';

const NODE = 'worker-a';
const ID = 'rack1-a';
const OTHER_ID = 'rack1-b';

const the = (rest: string) => `The agent of node ${NODE} may ${rest}`;
const SENTENCES = {
  token: 'An agent may write only with a token that names its node: one that is bound to its pod',
  home: the('write only volumes whose node affinity names that node and no other'),
  changes: the('only change volumes, not make or delete them, nor write their status'),
  local: the('write only local volumes'),
  told: the(`write only ${PREFIX}status and ${PREFIX}message on a volume whose node affinity does not say whose it is`),
  annotations: the(`change only the annotations that begin with ${PREFIX}`),
  metadata: the('not change the labels or owners of a volume'),
  finalizer: the(`put on and take off only the finalizer ${FINALIZER}`),
  letsGo: the(`take the finalizer ${FINALIZER} only off a volume that is being deleted`),
  spec: the('change nothing in the spec of a volume but its reclaim policy'),
  retain: the('give volumes the reclaim policy Retain only'),
  claim: the('not say which claim a volume belongs to'),
  report: the('write only the ConfigMap of its own report, holdfast-lvm-NODE'),
};

/** Where two policies forbid the same, nobody knows which is asked first. */
const EITHER = the('');

let plane: ControlPlane;
let agents: Agents;
let agent: RawClient;
beforeAll(async () => {
  // Where the server lets a volume's node affinity be changed, the policy has to see to it.
  plane = await startControlPlane({ featureGates: { MutablePVNodeAffinity: true } });
  agents = await deployAgents(plane);
  await aNode(plane, NODE, { [NODE_ID_LABEL]: ID });
  await aNode(plane, 'worker-b', { [NODE_ID_LABEL]: OTHER_ID });
  agent = await agents.on(NODE);
  await isTakenUp(NODE, ID);
});
afterAll(async () => {
  await agents?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

/** The server takes a moment until its policies know a Node. */
async function isTakenUp(node: string, id: string): Promise<void> {
  const path = await inPlace(id);
  const itsAgent = await agents.on(node);
  await eventually(() => itsAgent.patch(`${path}?dryRun=All`, said({ status: 'Processed' })), {
    for: `the policies to know ${node}`,
  });
}

let volumes = 0;
const named = (): string => `pv-${++volumes}`;
const inPlace = async (id = ID, otherwise: { metadata?: object; spec?: object } = {}): Promise<string> =>
  `${VOLUMES}/${(await plane.admin.post(VOLUMES, aVolume(named(), id, otherwise))).metadata.name}`;

const said = (annotations: Readonly<Record<string, string | null>>) => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${PREFIX}${key}`, value])),
  },
});

const isForbidden = forbiddenBy('lvm');
const applying = applyingBy(FIELD_MANAGER);

const hostAffinity = (hostname: string) => ({ spec: usableIn([on(HOSTNAME_LABEL, hostname)]) });
const silent = { metadata: { annotations: {} } };
const isGone = (path: string) => eventually(async () => (await plane.admin.request('GET', path)).status === 404);

describe('the agent of a node', () => {
  test('holds a volume, says that it is ready, and lets it go when it is deleted', async () => {
    const path = await inPlace();
    const { metadata } = await plane.admin.get<RawObject & { metadata: { finalizers?: string[] } }>(path);
    const finalizers = [...(metadata.finalizers ?? []), FINALIZER];
    const spec = { persistentVolumeReclaimPolicy: 'Retain' };
    await agent.patch(path, { metadata: { finalizers, ...said({ vg: 'fast' }).metadata }, spec });
    const ready = { ...said({ status: 'Processed', size: '1' }).metadata.annotations, [MADE_ANNOTATION]: 'uuid' };
    await agent.patch(path, { metadata: { annotations: ready } });
    await agent.patch(path, said({ message: 'the volume group fast has no room' }));
    await agent.patch(path, said({ message: null }));
    await plane.admin.delete(path);
    await plane.admin.patch(path, { metadata: { finalizers: [FINALIZER] } });
    await agent.patch(path, { metadata: { finalizers: [] } });
    await isGone(path);
  });

  test('looks after volumes that name its host and have one of our annotations', async () => {
    const path = await inPlace(ID, hostAffinity(NODE));
    await agent.patch(path, said({ status: 'Processed', size: '1' }));
  });

  test('lets go of a volume that it holds by its host name, also when none of our annotations is left', async () => {
    const path = await inPlace(ID, hostAffinity(NODE));
    await plane.admin.patch(path, { metadata: { finalizers: [FINALIZER], annotations: null } });
    await plane.admin.delete(path);
    await plane.admin.patch(path, { metadata: { finalizers: [FINALIZER] } });
    await agent.patch(path, said({ message: 'it goes', node: NODE }));
    await agent.patch(path, { metadata: { finalizers: [] } });
    await isGone(path);
  });

  test('looks after the volumes of an id that is only guessed from its host name', async () => {
    await aNode(plane, 'db-07.example.com');
    await isTakenUp('db-07.example.com', 'node07');
  });

  test('frees a volume whose claim is gone', async () => {
    const path = await inPlace(ID, { spec: { claimRef: { namespace: 'default', name: 'gone', uid: 'x' } } });
    await plane.admin.patch(`${path}/status`, { status: { phase: 'Released' } });
    await agent.patch(path, { spec: { claimRef: null } });
  });

  test.each([
    ['no affinity to one node', usableIn([on(NODE_ID_LABEL, ID, OTHER_ID)])],
    ['two terms', usableIn([on(NODE_ID_LABEL, ID)], [on(NODE_ID_LABEL, ID)])],
    ['another label', usableIn([on('rack', '1')])],
    ['the opposite', usableIn([{ key: NODE_ID_LABEL, operator: 'NotIn', values: [ID] }])],
  ])('tells what is wrong with a volume that has %s', async (_, spec) => {
    const path = await inPlace(ID, { spec });
    await agent.patch(path, said({ status: 'Not-Processed-Errors', message: 'it names no node' }));
    await isForbidden(agent.patch(path, said({ vg: 'fast' })), SENTENCES.told);
    await isForbidden(agent.patch(path, { metadata: { finalizers: [FINALIZER] } }), SENTENCES.told);
    await isForbidden(agent.patch(path, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }), SENTENCES.told);
  });

  test('tells what is wrong with a volume that names its host and says nothing else, or only what we wrote', async () => {
    const path = await inPlace(ID, { ...hostAffinity(NODE), ...silent });
    await agent.patch(path, said({ status: 'Not-Processed-Errors', message: 'it has none of our annotations' }));
    await isForbidden(agent.patch(path, said({ node: NODE })), SENTENCES.told);
  });

  test('writes its report, and no other ConfigMap', async () => {
    const maps = configMapsIn(NAMESPACE);
    const applied = (node: string) => applying(agent, lvmReports.mapOf(aNodeReport({ node }), NAMESPACE));
    await applied(NODE);
    await applied(NODE);
    await isForbidden(applied('worker-b'), SENTENCES.report);
    await plane.admin.post(maps, { metadata: { name: 'holdfast-lvm-defaults' } });
    await isForbidden(agent.patch(`${maps}/holdfast-lvm-defaults`, { data: { vg: 'mine' } }), SENTENCES.report);
  });

  test('reads Secrets of the namespaces that were chosen, and of no others', async () => {
    for (const namespace of [KEYS_NAMESPACE, NAMESPACE, 'default'])
      await plane.admin.post(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'key' } });
    const statusIn = async (namespace: string) =>
      (await agent.request('GET', `/api/v1/namespaces/${namespace}/secrets/key`)).status;
    expect([await statusIn(KEYS_NAMESPACE), await statusIn(NAMESPACE), await statusIn('default')]).toEqual([
      200, 403, 403,
    ]);
    expect((await agent.request('GET', `/api/v1/namespaces/${KEYS_NAMESPACE}/secrets`)).status).toBe(403);
    expect((await agent.request('GET', '/api/v1/secrets')).status).toBe(403);
  });
});

describe('a change is refused', () => {
  const claimRef = { namespace: 'default', name: 'theirs', uid: 'x' };
  const status = said({ status: 'Processed' });
  const held = { metadata: { finalizers: [FINALIZER], annotations: { [`${PREFIX}vg`]: 'fast' } } };
  const retained = { spec: { persistentVolumeReclaimPolicy: 'Retain' } };
  const cases: readonly [string, string, Parameters<typeof inPlace>, object][] = [
    ['to a volume of another node', SENTENCES.home, [OTHER_ID], status],
    ['to a volume of a node that is not there', SENTENCES.home, ['rack9-z'], status],
    ['to a volume of another host', SENTENCES.home, [ID, hostAffinity('worker-b')], status],
    [
      'to a volume of another host that is not for us',
      SENTENCES.home,
      [ID, { ...hostAffinity('worker-b'), ...silent }],
      status,
    ],
    [
      'to a volume whose id is another node, although the host is its own',
      SENTENCES.home,
      [ID, { spec: usableIn([on(NODE_ID_LABEL, OTHER_ID), on(HOSTNAME_LABEL, NODE)]) }],
      status,
    ],
    ['to a volume of nothing', SENTENCES.home, [ID, { spec: usableIn([on(NODE_ID_LABEL, '')]) }], status],
    ['that moves a volume to another node', SENTENCES.spec, [], { spec: usableIn([on(NODE_ID_LABEL, OTHER_ID)]) }],
    ['that takes a volume from another node', EITHER, [OTHER_ID], { spec: usableIn([on(NODE_ID_LABEL, ID)]) }],
    [
      'to a volume that is not local',
      SENTENCES.local,
      [ID, { spec: { local: undefined, hostPath: { path: '/tmp' } } }],
      status,
    ],
    ["to others' annotations", SENTENCES.annotations, [], { metadata: { annotations: { noted: 'yes' } } }],
    [
      "that takes others' annotations away",
      SENTENCES.annotations,
      [ID, { metadata: { annotations: { noted: 'yes', [`${PREFIX}vg`]: 'a' } } }],
      { metadata: { annotations: { noted: null } } },
    ],
    [
      'that says what to adopt',
      SENTENCES.annotations,
      [],
      { metadata: { annotations: { [ADOPT_ANNOTATION]: 'uuid' } } },
    ],
    ['to the labels', SENTENCES.metadata, [], { metadata: { labels: { zone: 'b' } } }],
    [
      'to the owners',
      SENTENCES.metadata,
      [],
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: 'x' }] } },
    ],
    ["that puts others' finalizers on", SENTENCES.finalizer, [], { metadata: { finalizers: ['example.com/other'] } }],
    [
      "that takes others' finalizers off",
      SENTENCES.finalizer,
      [ID, { metadata: { finalizers: ['example.com/other', FINALIZER] } }],
      { metadata: { finalizers: [FINALIZER] } },
    ],
    [
      'that lets go of a volume that stays',
      SENTENCES.letsGo,
      [ID, held],
      { metadata: { finalizers: [PROTECTION_FINALIZER] } },
    ],
    ['to the capacity', SENTENCES.spec, [], { spec: { capacity: { storage: '2Gi' } } }],
    ['to the class', SENTENCES.spec, [], { spec: { storageClassName: 'fast' } }],
    ['to the mount options', SENTENCES.spec, [], { spec: { mountOptions: ['dev'] } }],
    [
      'that lets the volume be deleted',
      SENTENCES.retain,
      [ID, retained],
      { spec: { persistentVolumeReclaimPolicy: 'Delete' } },
    ],
    ['that chooses a claim', SENTENCES.claim, [], { spec: { claimRef } }],
    [
      'that takes the volume from a claim that is there',
      SENTENCES.claim,
      [ID, { spec: { claimRef } }],
      { spec: { claimRef: null } },
    ],
  ];

  test.each(cases)('%s', async (_, sentence, volume, change) => {
    const path = await inPlace(...volume);
    await changeIsForbidden(isForbidden, { admin: plane.admin, agent }, { path, change, sentence });
  });

  test('to a volume of which two nodes say that it is theirs', async () => {
    await aNode(plane, 'twin-1', { [NODE_ID_LABEL]: 'twins' });
    await isTakenUp('twin-1', 'twins');
    await aNode(plane, 'twin-2', { [NODE_ID_LABEL]: 'twins' });
    const path = await inPlace('twins');
    for (const node of ['twin-1', 'twin-2']) {
      const itsAgent = await agents.on(node);
      await eventually(
        () => isForbidden(itsAgent.patch(`${path}?dryRun=All`, status), SENTENCES.home.replace(NODE, node)),
        {
          for: 'the policies to know the second',
        },
      );
    }
  });

  test('by the agent of a node whose Node is gone, to a volume of any node that is there', async () => {
    const itsAgent = await agents.on('worker-z');
    const path = await inPlace();
    await isForbidden(itsAgent.patch(path, status), SENTENCES.home.replace(NODE, 'worker-z'));
  });

  test('with a token that names no node', async () => {
    const nowhere = await agents.nowhere();
    await isForbidden(nowhere.patch(await inPlace(), status), SENTENCES.token);
  });
});

describe('whatever rights it is given', () => {
  let wide: ControlPlane;
  let wideAgents: Agents;
  let wideAgent: RawClient;
  beforeAll(async () => {
    wide = await startControlPlane({ controllers: true });
    wideAgents = await deployAgents(wide, WIDE);
    await aNode(wide, NODE, { [NODE_ID_LABEL]: ID });
    wideAgent = await wideAgents.on(NODE);
  });
  afterAll(async () => {
    await wideAgents?.[Symbol.asyncDispose]();
    await wide?.[Symbol.asyncDispose]();
  });

  test('an agent makes and deletes no volume, and writes no status', async () => {
    await isForbidden(wideAgent.post(VOLUMES, aVolume('made', ID)), SENTENCES.changes);
    await wide.admin.post(VOLUMES, aVolume('there', ID));
    const path = `${VOLUMES}/there`;
    await eventually(() => isForbidden(wideAgent.delete(path), SENTENCES.changes));
    await isForbidden(wideAgent.patch(`${path}/status`, { status: { phase: 'Released' } }), SENTENCES.changes);
  });

  test('the server finds nothing to warn of in the policies when it knows the types of the objects', async () => {
    await hasNoWarnings(wide.admin, 3);
  });
});
