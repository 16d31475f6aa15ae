/** Creates so many volumes in a sandbox, and patches each of them. */
import { PERSISTENT_VOLUMES } from '../../../src/api/persistent-volumes.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { KubeClient } from '../../../src/kit/kube/client.ts';
import { Cluster } from '../../../src/sandbox/cluster.ts';

export interface Written {
  readonly createUs: number;
  readonly patchUs: number;
}

const count = Number(process.argv[2]);
const cluster = new Cluster({ clock: systemClock, random: Math.random });
const client = new KubeClient({ transport: cluster.transport(), clock: systemClock, random: Math.random });
const { signal } = new AbortController();

const volume = (index: number) => ({
  metadata: { name: `pv-${index}`, labels: { app: 'bench' } },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    csi: { driver: 'csi.example.com', volumeHandle: `${index}` },
    persistentVolumeReclaimPolicy: 'Retain' as const,
    storageClassName: '',
  },
});

/** In microseconds for each. */
async function timed(act: (index: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let index = 0; index < count; index++) await act(index);
  return ((performance.now() - began) * 1000) / count;
}

const createUs = await timed((index) => client.create(PERSISTENT_VOLUMES, volume(index), { signal }));
const patchUs = await timed((index) =>
  client.mergePatch(PERSISTENT_VOLUMES, { name: `pv-${index}` }, { metadata: { labels: { zone: 'a' } } }, { signal }),
);
process.stdout.write(JSON.stringify({ createUs, patchUs } satisfies Written));
