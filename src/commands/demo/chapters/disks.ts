/** devices: a disk becomes a volume, is used, released, wiped and offered again; and one that is mounted is refused. */
import { PERSISTENT_VOLUMES } from '../../../api/persistent-volumes.ts';
import { PROGRESS_ANNOTATION, RECEIPT_ANNOTATION, TROUBLE_ANNOTATION } from '../../../devices/contract.ts';
import { CLAIMS } from '../../../sandbox/world/resources.ts';
import { DISK_CLASS } from '../machines.ts';
import type { Narrator } from '../narrator.ts';
import type { DemoWorld } from '../world.ts';

const SECRET = Buffer.from('the secrets of somebody');
const MIB = 2 ** 20;
const PLACE = 2 * MIB;

export async function disks(world: DemoWorld, narrator: Narrator): Promise<void> {
  const { objects } = world.protectedSite;
  const node = world.disks;
  await narrator.chapter('Raw disks become volumes, and are wiped between owners');
  const volumeOf = (link: string) => objects.get(PERSISTENT_VOLUMES, `local-${node.name}-${link}`);
  await narrator.until('both disks are volumes', () => volumeOf('disk-1') && volumeOf('disk-2'));
  narrator.tell(`the two disks of ${node.name} are volumes now`);
  narrator.kubectl(`get pv | grep ${DISK_CLASS}`, world.protectedSite);

  const link = await bound(world, narrator, 'cache');
  const disk = node.disk(link);
  disk.write(SECRET, PLACE);
  narrator.tell(`the claim "cache" has ${link}, and somebody writes to it`);
  const before = volumeOf(link)?.metadata.uid;
  release(world, 'cache');
  const progress = await narrator.until('the wipe is seen', () => {
    const volume = volumeOf(link);
    return (
      volume?.metadata.annotations?.[PROGRESS_ANNOTATION] ?? (volume && volume.metadata.uid !== before && 'all of it')
    );
  });
  narrator.tell(`the claim is deleted: the disk is wiped (${progress})`);
  const receipt = await narrator.until('the disk is offered again', () => {
    const volume = volumeOf(link);
    return volume?.metadata.uid !== before && volume?.metadata.annotations?.[RECEIPT_ANNOTATION];
  });
  narrator.check('not a byte of it is left on the disk', disk.isZero());
  narrator.tell(`it is offered again, with a receipt: ${receipt}`);

  const other = await bound(world, narrator, 'archive');
  const mounted = node.disk(other);
  const [partition] = [
    { startBytes: MIB, sizeBytes: 24 * MIB },
    { startBytes: 40 * MIB, sizeBytes: 16 * MIB },
  ].map((place) => node.machine.addPartition(mounted, place));
  mounted.write(SECRET, PLACE);
  if (partition) node.machine.mount({ device: partition.number, mountPoint: '/mnt/rescue' });
  release(world, 'archive');
  narrator.tell(
    `a second claim had ${other}, with two partitions; it is deleted while somebody has one of them mounted at /mnt/rescue`,
  );
  const trouble = await narrator.until(
    'the wipe is refused',
    () => volumeOf(other)?.metadata.annotations?.[TROUBLE_ANNOTATION],
  );
  narrator.tell(`refused: ${trouble}`);
  const kept = Buffer.alloc(SECRET.length);
  mounted.read(kept, PLACE);
  narrator.check('nothing on it was touched', kept.equals(SECRET));
  narrator.holdfast(`status devices ${node.name}`, world.protectedSite);
  narrator.show(`nodes/${node.name}`);
}

/** Resolves with the link of the disk that it got. */
function bound(
  { protectedSite: { objects }, disks: { name: node } }: DemoWorld,
  narrator: Narrator,
  name: string,
): Promise<string> {
  objects.create(CLAIMS, {
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      storageClassName: DISK_CLASS,
      resources: { requests: { storage: '1Mi' } },
    },
  });
  return narrator.until(`the claim ${name} is bound`, () => {
    const claim = objects.get(CLAIMS, `default/${name}`);
    return claim?.status?.phase === 'Bound' && claim.spec?.volumeName?.slice(`local-${node}-`.length);
  });
}

const release = ({ protectedSite: { objects } }: DemoWorld, name: string): void =>
  objects.remove(CLAIMS, `default/${name}`);
