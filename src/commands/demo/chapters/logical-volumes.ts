/** lvm: a logical volume is made, grown and removed. */
import { PERSISTENT_VOLUMES } from '../../../api/persistent-volumes.ts';
import { DEFAULT_MOUNT_BASE, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from '../../../lvm/contract.ts';
import { EXTENT } from '../../../lvm/simulated-lvm.ts';
import { GROUP } from '../machines.ts';
import type { Narrator } from '../narrator.ts';
import type { DemoWorld } from '../world.ts';

const NAME = 'ledger';
const DATA = 'what somebody has written';

export async function logicalVolumes(world: DemoWorld, narrator: Narrator): Promise<void> {
  const { objects } = world.protectedSite;
  const { name: node, lvm, fileSystems } = world.group;
  await narrator.chapter('A declared volume becomes a logical volume, grows, and goes');
  const path = `${DEFAULT_MOUNT_BASE}/${NAME}`;
  const matchExpressions = [{ key: NODE_ID_LABEL, operator: 'In', values: [node] }];
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: NAME },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: STORAGE_CLASS,
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  const says = (key: string) => objects.get(PERSISTENT_VOLUMES, NAME)?.metadata.annotations?.[`${PREFIX}${key}`];
  await narrator.until('the volume is ready', () => says('status') === 'Processed');
  narrator.tell(`${NAME} is a logical volume of ${GROUP} on ${node}, formatted, and mounted at ${path}`);
  fileSystems.write(path, DATA);
  const volume = objects.get(PERSISTENT_VOLUMES, NAME);
  if (volume) objects.update(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, capacity: { storage: '2Gi' } } });
  const logical = () => lvm.volumes.find(({ name }) => name === NAME);
  await narrator.until('the volume has grown', () => (logical()?.extents ?? 0n) * EXTENT >= 2n * 2n ** 30n);
  narrator.check('grown to 2 GiB while it was in use, with its data', fileSystems.contentAt(path)?.data === DATA);
  narrator.look(`kubectl describe pv ${NAME}`);
  narrator.show(`nodes/${node}`);
  objects.remove(PERSISTENT_VOLUMES, NAME);
  await narrator.until('the volume is gone', () => !objects.get(PERSISTENT_VOLUMES, NAME));
  narrator.check('deleted: nothing of it is left on the node', logical() === undefined && !fileSystems.contentAt(path));
}
