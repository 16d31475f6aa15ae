/** What the lvm controller reads and writes: its rights are made from this. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { KUBE_SYSTEM, NAMESPACES } from '../api/namespaces.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { SECRETS } from '../api/secrets.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { lvmLimits } from './admission.ts';

/** The keys of encrypted volumes are Secrets of the namespaces in `--secret-namespaces`, and no others are ever read. */
export const lvmSpec: ControllerSpec = {
  name: 'lvm',
  runs: 'node',
  reads: [
    // The commands that people run in the agent's pod ask for its own node alone.
    { resource: NODES, verbs: ['get', ...CACHED] },
    { resource: PERSISTENT_VOLUMES, verbs: ['get', ...CACHED] },
    { resource: CONFIG_MAPS, verbs: CACHED, scope: 'own' },
    { resource: NAMESPACES, verbs: ['get'], names: [KUBE_SYSTEM] },
    { resource: SECRETS, verbs: ['get'], scope: 'chosen' },
  ],
  writes: [
    { resource: PERSISTENT_VOLUMES, verbs: ['patch'] },
    { resource: CONFIG_MAPS, verbs: ['create', 'patch'], scope: 'own' },
  ],
  limits: lvmLimits,
};
