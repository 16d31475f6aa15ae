/** What the agents of devices may do, as it is shipped. */
import type { ControlPlane } from '../../harness/control-plane.ts';
import type { PolicyRule } from '../../harness/users.ts';
import { type AgentRights, type Agents, configMapsIn, deploy, NAMESPACE, shippedRules, VOLUMES } from '../agents.ts';

const ACCOUNT = 'holdfast-devices';

const [everywhere, atHome, events] = await Promise.all([
  shippedRules(ACCOUNT, 'ClusterRole'),
  shippedRules(ACCOUNT, 'Role'),
  shippedRules('holdfast-events', 'ClusterRole'),
]);

/** Everywhere, and in the namespace of the agents. */
export const MAY_HANDLE_DEVICES: readonly PolicyRule[] = everywhere;
export const MAY_HANDLE_DEVICES_AT_HOME: readonly PolicyRule[] = atHome;
export const MAY_TELL: readonly PolicyRule[] = events;

const AS_SHIPPED: AgentRights = {
  clusterRules: [...MAY_HANDLE_DEVICES, ...MAY_TELL],
  namespaceRules: { [NAMESPACE]: MAY_HANDLE_DEVICES_AT_HOME },
};

export function deployAgents(plane: ControlPlane, rights: AgentRights = AS_SHIPPED): Promise<Agents> {
  const metadata = { name: 'nobodys' };
  const local = { path: '/dev/nobodys' };
  const volume = { metadata, spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], local } };
  const probes = [
    { method: 'POST', path: VOLUMES, body: nowhereUsable(volume) },
    { method: 'POST', path: configMapsIn(NAMESPACE), body: { metadata } },
  ] as const;
  return deploy(plane, { name: ACCOUNT, rights, probes });
}

/** A local volume has to say where it can be used. */
function nowhereUsable<T extends { readonly spec: object }>(volume: T) {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['nowhere'] }];
  return {
    ...volume,
    spec: { ...volume.spec, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
  };
}
