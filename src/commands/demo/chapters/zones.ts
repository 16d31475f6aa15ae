/** topology: a pod starts, and its volume gets its zone. */
import { NODES } from '../../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../../api/persistent-volumes.ts';
import { PODS } from '../../../sandbox/world/resources.ts';
import { SYNC_ENABLED, SYNC_LABEL } from '../../../sync/contract.ts';
import { ZONE } from '../../../topology/contract.ts';
import type { Narrator } from '../narrator.ts';
import { CLASS } from '../site.ts';
import type { DemoWorld } from '../world.ts';

const NAME = 'orders';

export async function zones({ protectedSite }: DemoWorld, narrator: Narrator): Promise<void> {
  const { objects } = protectedSite;
  await narrator.chapter('A pod starts, and its volume gets its zone');
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: NAME, namespace: 'default', labels: { [SYNC_LABEL]: SYNC_ENABLED } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: CLASS, resources: { requests: { storage: '10Gi' } } },
  });
  objects.create(PODS, {
    metadata: { name: NAME, namespace: 'default' },
    spec: {
      containers: [{ name: 'main', image: 'example.com/orders' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
    },
  });
  const node = await narrator.until('the pod is ready', () => {
    const pod = objects.get(PODS, `default/${NAME}`);
    const isReady = pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    return isReady && pod?.spec?.nodeName;
  });
  const zone = objects.get(NODES, node)?.metadata.labels?.[ZONE];
  narrator.tell(`the pod ${NAME} is ready on ${node}, in ${zone}`);
  const name = objects.get(PERSISTENT_VOLUME_CLAIMS, `default/${NAME}`)?.spec?.volumeName ?? '';
  const labelled = await narrator.until('the volume has a zone', () => {
    return objects.get(PERSISTENT_VOLUMES, name)?.metadata.labels?.[ZONE];
  });
  narrator.check(`its volume carries ${labelled}: the scheduler will keep to that`, labelled === zone);
  narrator.kubectl(`get pv -L ${ZONE}`, protectedSite);
  narrator.show(`volumes/${name}`);
}
