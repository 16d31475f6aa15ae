/** What the agents of lvm may do, as it is shipped, and volumes to try that on. */
import { HOSTNAME_LABEL, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from '../../../src/lvm/contract.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { type AgentRights, type Agents, configMapsIn, deploy, NAMESPACE, shippedRules, VOLUMES } from '../agents.ts';

const ACCOUNT = 'holdfast-lvm';
/** A namespace that was chosen for Secrets. */
export const KEYS_NAMESPACE = 'keys';

const [everywhere, atHome, inChosen, events] = await Promise.all([
  shippedRules(ACCOUNT, 'ClusterRole'),
  shippedRules(ACCOUNT, 'Role'),
  shippedRules(`${ACCOUNT}-secrets`, 'Role'),
  shippedRules('holdfast-events', 'ClusterRole'),
]);

/** With the Secrets of a namespace. */
export const asShipped = (secretNamespace: string): AgentRights => ({
  clusterRules: [...everywhere, ...events],
  namespaceRules:
    secretNamespace === NAMESPACE
      ? { [NAMESPACE]: [...atHome, ...inChosen] }
      : { [NAMESPACE]: atHome, [secretNamespace]: inChosen },
});

export const on = (label: string, ...values: readonly string[]) => ({ key: label, operator: 'In', values });

export const usableIn = (...terms: readonly (readonly object[])[]) => ({
  nodeAffinity: { required: { nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })) } },
});

/** As people declare it, for the node of this id. */
export function aVolume(name: string, id: string, otherwise: { metadata?: object; spec?: object } = {}) {
  return {
    metadata: { name, annotations: { [`${PREFIX}fsType`]: 'ext4' }, ...otherwise.metadata },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: STORAGE_CLASS,
      local: { path: `/mnt/pv/${name}` },
      ...usableIn([on(NODE_ID_LABEL, id)]),
      ...otherwise.spec,
    },
  };
}

export async function aNode(plane: ControlPlane, name: string, labels: Readonly<Record<string, string>> = {}) {
  await plane.admin.post('/api/v1/nodes', { metadata: { name, labels: { [HOSTNAME_LABEL]: name, ...labels } } });
}

export async function deployAgents(
  plane: ControlPlane,
  rights: AgentRights = asShipped(KEYS_NAMESPACE),
): Promise<Agents> {
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: KEYS_NAMESPACE } });
  await aNode(plane, 'prober');
  await plane.admin.post(VOLUMES, aVolume('probe', 'nobody'));
  const path = `${VOLUMES}/probe`;
  const metadata = { name: 'nobodys' };
  const agents = await deploy(plane, {
    name: ACCOUNT,
    rights,
    probes: [
      { method: 'PATCH', path, body: { metadata: { annotations: { noted: 'yes' } } } },
      { method: 'POST', path: configMapsIn(NAMESPACE), body: { metadata } },
    ],
  });
  await asksTheNodes(agents, path);
  await plane.admin.delete(path);
  return agents;
}

/** The policy that asks the Nodes is by itself in force: what the others allow it forbids. */
async function asksTheNodes(agents: Agents, path: string): Promise<void> {
  const agent = await agents.on('prober');
  const change = { metadata: { annotations: { [`${PREFIX}status`]: 'Processed' } } };
  const isForbidden = async () => {
    const why = await agent.patch(`${path}?dryRun=All`, change).then(String, (error: Error) => error.message);
    if (!why.includes("ValidatingAdmissionPolicy 'holdfast-lvm-homes'")) throw new Error(why);
  };
  await eventually(isForbidden, { for: 'the policy on homes to be in force' });
}
