/** sync: the protected cluster dies, and the recovery cluster has its volumes, bound to the right claims. */
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../../api/persistent-volumes.ts';
import {
  type ExportStatus,
  PERSISTENT_VOLUME_SYNCS,
  SYNC_ENABLED,
  SYNC_LABEL,
  type SyncSpec,
} from '../../../sync/contract.ts';
import { manifestKey } from '../../../sync/export/names.ts';
import type { Narrator } from '../narrator.ts';
import type { DemoSite } from '../site.ts';
import type { DemoWorld } from '../world.ts';

const NAMES = ['customers', 'invoices', 'archive-2025'];
const CLUSTER = 'site';
const POLLING_SECONDS = 5;
/** How often the recovery side looks for an export that nobody writes any more. */
const LOOKS = 3;

export async function failover(world: DemoWorld, narrator: Narrator): Promise<void> {
  const { protectedSite, recoverySite } = world;
  await narrator.chapter('The protected cluster dies, and the recovery cluster has its volumes');
  for (const name of NAMES) make(protectedSite, name);
  declare(protectedSite, 'Protected');
  declare(recoverySite, 'Recovery');
  const { objects } = protectedSite;
  const exported = await narrator.until('the volumes are exported', () => {
    const { status } = objects.get(PERSISTENT_VOLUME_SYNCS, 'site') ?? {};
    return status?.succeeded && (status.managedClaimCount ?? 0) >= NAMES.length && status.export;
  });
  narrator.check(
    `${NAMES.length} volumes with their claims are exported to an object store, with a manifest`,
    await areThere(world.store, exported),
  );
  const restored = () => NAMES.every((name) => isBound(recoverySite, name));
  await narrator.until('the recovery cluster has them', restored);
  await narrator.lastLook('the protected cluster dies');
  await protectedSite[Symbol.asyncDispose]();
  narrator.check(
    'the protected cluster is gone: no API server, and no jobs',
    protectedSite.jobs === 0 && !(await answers(protectedSite.url)),
  );
  const status = () => recoverySite.objects.get(PERSISTENT_VOLUME_SYNCS, 'site')?.status;
  const died = recoverySite.clock.now().getTime();
  const found = await narrator.until('the recovery cluster has looked again', () => {
    const hasLooked = recoverySite.clock.now().getTime() - died > LOOKS * POLLING_SECONDS * 1000;
    const now = status();
    return hasLooked && now?.rpoSeconds !== undefined && now.rtoSeconds !== undefined && now;
  });
  narrator.check('its claims are bound to their own volumes in the recovery cluster, and stay so', restored());
  narrator.tell(
    `what may be lost (RPO): ${found.rpoSeconds} s; how long it took to restore (RTO): ${found.rtoSeconds} s`,
  );
  narrator.kubectl('get pvsync,pv,pvc', recoverySite);
  narrator.show('sync/site', 'recovery');
}

/** The export and the manifest of it, as files of the store. */
async function areThere(store: string, { key, epoch = 0, sequence = 0 }: ExportStatus): Promise<boolean> {
  const sizes = await Promise.all(
    [key, manifestKey(CLUSTER, epoch, sequence)].map((name) => stat(join(store, name)).catch(() => undefined)),
  );
  return sizes.every((found) => found?.isFile() && found.size > 0);
}

/** Whether anybody takes a connection there. */
const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

function make({ objects }: DemoSite, name: string): void {
  const labels = { [SYNC_LABEL]: SYNC_ENABLED };
  const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name, labels },
    spec: {
      ...common,
      capacity: { storage: '5Gi' },
      nfs: { server: 'nfs.example.com', path: `/exports/${name}` },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  });
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace: 'default', labels },
    spec: { ...common, volumeName: name, resources: { requests: { storage: '5Gi' } } },
  });
}

function declare({ objects }: DemoSite, mode: SyncSpec['mode']): void {
  const spec: SyncSpec = {
    protectedCluster: CLUSTER,
    mode,
    cloudProvider: 'file',
    retention: 5,
    pollingInterval: POLLING_SECONDS,
  };
  objects.create(PERSISTENT_VOLUME_SYNCS, { metadata: { name: 'site' }, spec });
}

function isBound({ objects }: DemoSite, name: string): boolean {
  const claim = objects.get(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
  const volume = objects.get(PERSISTENT_VOLUMES, name);
  return claim?.status?.phase === 'Bound' && claim.spec?.volumeName === name && volume?.spec?.claimRef?.name === name;
}
