/** What the topology controller reads and writes: its rights are made from this. */
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { PODS } from '../api/pods.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';

export const topologySpec: ControllerSpec = {
  name: 'topology',
  runs: 'cluster',
  reads: [PODS, PERSISTENT_VOLUME_CLAIMS, NODES, PERSISTENT_VOLUMES].map((resource) => ({ resource, verbs: CACHED })),
  writes: [{ resource: PERSISTENT_VOLUMES, verbs: ['patch'] }],
};
