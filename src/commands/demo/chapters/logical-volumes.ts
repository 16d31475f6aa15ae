/** lvm: two logical volumes are made; one is grown, the other removed. */
import { PERSISTENT_VOLUMES } from '../../../api/persistent-volumes.ts';
import { DEFAULT_MOUNT_BASE, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from '../../../lvm/contract.ts';
import { EXTENT } from '../../../lvm/simulated-volumes.ts';
import { GROUP } from '../machines.ts';
import type { Narrator } from '../narrator.ts';
import type { DemoSite } from '../site.ts';
import type { DemoWorld } from '../world.ts';

const NAME = 'ledger';
/** The one that goes: the other stays, for people to look at. */
const SHORT_LIVED = 'drafts';
const DATA = 'what somebody has written';

export async function logicalVolumes(world: DemoWorld, narrator: Narrator): Promise<void> {
  const { protectedSite, group } = world;
  const { objects } = protectedSite;
  const { name: node, lvm, fileSystems } = group;
  await narrator.chapter('A declared volume becomes a logical volume, grows, and goes');
  const path = `${DEFAULT_MOUNT_BASE}/${NAME}`;
  for (const name of [NAME, SHORT_LIVED]) declare(world, name);
  await narrator.until('the volumes are ready', () =>
    [NAME, SHORT_LIVED].every((name) => isReady(protectedSite, name)),
  );
  narrator.tell(`${NAME} and ${SHORT_LIVED} are logical volumes of ${GROUP} on ${node}, formatted, and mounted`);
  fileSystems.write(path, DATA);
  const volume = objects.get(PERSISTENT_VOLUMES, NAME);
  if (volume) objects.update(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, capacity: { storage: '2Gi' } } });
  const logical = (wanted: string) => lvm.volumes.find(({ name }) => name === wanted);
  await narrator.until('the volume has grown', () => (logical(NAME)?.extents ?? 0n) * EXTENT >= 2n * 2n ** 30n);
  narrator.check(
    `${NAME} has grown to 2 GiB while it was in use, with its data`,
    fileSystems.contentAt(path)?.data === DATA,
  );
  narrator.kubectl(`describe pv ${NAME}`, protectedSite);
  narrator.show(`nodes/${node}`);
  objects.remove(PERSISTENT_VOLUMES, SHORT_LIVED);
  await narrator.until('the volume is gone', () => !objects.get(PERSISTENT_VOLUMES, SHORT_LIVED));
  narrator.check(
    `${SHORT_LIVED} is deleted: nothing of it is left on the node`,
    logical(SHORT_LIVED) === undefined && !fileSystems.contentAt(`${DEFAULT_MOUNT_BASE}/${SHORT_LIVED}`),
  );
}

function declare({ protectedSite: { objects }, group }: DemoWorld, name: string): void {
  const matchExpressions = [{ key: NODE_ID_LABEL, operator: 'In', values: [group.name] }];
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: STORAGE_CLASS,
      local: { path: `${DEFAULT_MOUNT_BASE}/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
}

const isReady = ({ objects }: DemoSite, name: string): boolean =>
  objects.get(PERSISTENT_VOLUMES, name)?.metadata.annotations?.[`${PREFIX}status`] === 'Processed';
