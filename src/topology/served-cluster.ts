/** For tests: a server that answers lists with these objects, and carries patches of volumes out. */
import type { Node } from '../api/nodes.ts';
import type { PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { Pod } from '../api/pods.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, FakeTransport } from '../kit/kube/fake-transport.ts';
import type { KubeObject } from '../kit/kube/resource.ts';

export interface Served {
  readonly volumes?: readonly PersistentVolume[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
}

export function servedCluster({ volumes = [], claims = [], pods = [], nodes = [] }: Served) {
  const clock = new VirtualClock();
  const transport = new FakeTransport()
    .on('GET', '/api/v1/persistentvolumes', listOf(volumes))
    .on('GET', '/api/v1/persistentvolumeclaims', listOf(claims))
    .on('GET', '/api/v1/pods', listOf(pods))
    .on('GET', '/api/v1/nodes', listOf(nodes))
    .on('PATCH', /persistentvolumes/, ({ body }) => answer(200, body));
  return { transport, clock, client: new KubeClient({ transport, clock, random: () => 0 }) };
}

export const listOf = (objects: readonly KubeObject[]) =>
  answer(200, { metadata: { resourceVersion: '9' }, items: objects.map(served) });

const served = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { uid: `uid-of-${object.metadata.name}`, resourceVersion: '1', ...object.metadata },
});
