/** What a console in a cluster reads, and what it asks about its callers: its rights are made from this. What people do there they do with their own. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { PODS } from '../api/pods.ts';
import type { Resource } from '../kit/kube/resource.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { PV_POOLS } from '../pool/contract.ts';
import { PERSISTENT_VOLUME_SYNCS } from '../sync/contract.ts';

const review = (group: string, plural: string, kind: string): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});

const TOKEN_REVIEWS = review('authentication.k8s.io', 'tokenreviews', 'TokenReview');
const ACCESS_REVIEWS = review('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview');

/** The reports of agents are ConfigMaps, and are read only where the console runs itself: with `--namespace`. */
export const consoleSpec: ControllerSpec = {
  name: 'console',
  runs: 'cluster',
  reads: [
    ...[PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, PODS, NODES, PV_POOLS, PERSISTENT_VOLUME_SYNCS].map(
      (resource) => ({
        resource,
        verbs: CACHED,
      }),
    ),
    { resource: CONFIG_MAPS, verbs: CACHED, scope: 'own' },
  ],
  writes: [
    { resource: TOKEN_REVIEWS, verbs: ['create'] },
    { resource: ACCESS_REVIEWS, verbs: ['create'] },
  ],
};
