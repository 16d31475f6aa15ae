/** What the devices controller reads and writes: its rights are made from this. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { KUBE_SYSTEM, NAMESPACES } from '../api/namespaces.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { devicesLimits } from './admission.ts';

/** RBAC knows no nodes: that an agent writes only what is of its own node is what the limits are for. */
export const devicesSpec: ControllerSpec = {
  name: 'devices',
  runs: 'node',
  reads: [
    { resource: NODES, verbs: CACHED },
    { resource: PERSISTENT_VOLUMES, verbs: ['get', ...CACHED] },
    { resource: CONFIG_MAPS, verbs: CACHED, scope: 'own' },
    { resource: NAMESPACES, verbs: ['get'], names: [KUBE_SYSTEM] },
  ],
  writes: [
    { resource: PERSISTENT_VOLUMES, verbs: ['create', 'patch', 'delete'] },
    { resource: CONFIG_MAPS, verbs: ['create', 'patch'], scope: 'own' },
  ],
  limits: devicesLimits,
};
