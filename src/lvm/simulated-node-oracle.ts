/** For tests: watches everything that is done to the volumes of a simulated node, knows whose data are where, and notes what must never happen. */
import {
  aFilesystemIsMadeOnlyOnWhatIsNew,
  aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted,
  aLogicalVolumeIsMadeOnce,
  nothingIsLeftOfADeletedVolume,
  onlyWhatIsReadyIsMountedWhereItBelongs,
  whatWasWrittenIsThere,
} from '../../test/invariants/lvm.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { SimulatedCluster } from '../api/simulated-cluster.ts';
import { FINALIZER } from './contract.ts';
import type { Content } from './simulated-devices.ts';
import type { SimulatedFileSystems } from './simulated-filesystems.ts';
import type { Deed, SimulatedLvm } from './simulated-lvm.ts';
import type { SimulatedVolume } from './simulated-volumes.ts';
import { type Owner, ownerOf, POOL_TAG } from './tags.ts';

/** Nothing was ever put on it: what is found on it was there before. */
const isCutOff = (volume: SimulatedVolume): boolean => {
  const { kind, tags, content } = volume;
  if (kind === 'plain' && tags.has(POOL_TAG)) return true;
  // What is in a snapshot is in its volume, too.
  return ownerIn(volume)?.state === 'wiping' && (content.precious === undefined || kind === 'snapshot');
};

/** The volumes of a cluster. */
type Volumes = Pick<SimulatedCluster, 'volumes' | 'volume'>;

export class Oracle {
  /** What must never happen, and has. */
  readonly violations: string[] = [];
  readonly #lvm: SimulatedLvm;
  readonly #fileSystems: SimulatedFileSystems;
  readonly #cluster: Volumes;
  /** The uids of volumes that somebody has deleted: what was theirs may go. */
  readonly #deleted = new Set<string>();
  /** The uids of volumes that vanished while they were held: one command that was on its way may still be carried out. */
  readonly #vanished = new Set<string>();
  /** What somebody has written to a volume and still needs. */
  readonly #needed = new Map<SimulatedVolume, string>();
  #written = 0;

  constructor(lvm: SimulatedLvm, fileSystems: SimulatedFileSystems, cluster: Volumes) {
    this.#lvm = lvm;
    this.#fileSystems = fileSystems;
    this.#cluster = cluster;
    lvm.onDeed = (deed) => this.#judge(deed);
  }

  /** Somebody writes to what is mounted there, and needs it from now on. */
  write(path: string): void {
    const data = `data ${++this.#written}`;
    this.#fileSystems.write(path, data);
    const content = this.#fileSystems.contentAt(path);
    const volume = content && this.#lvm.volumeOf(content);
    if (volume) this.#needed.set(volume, data);
  }

  /** Somebody deletes the volume, and needs nothing of it any more. */
  deletes({ metadata: { uid = '' } }: PersistentVolume): void {
    this.#deleted.add(uid);
    for (const volume of this.#needed.keys()) if (ownerIn(volume)?.uid === uid) this.#needed.delete(volume);
  }

  /** Somebody lets the object vanish by force: nobody knows any more what is to become of what was its. */
  abandons({ metadata: { uid = '', finalizers } }: PersistentVolume): void {
    this.#deleted.delete(uid);
    if (finalizers?.includes(FINALIZER)) this.#vanished.add(uid);
  }

  #isOnItsWay(uid = ''): boolean {
    return this.#vanished.delete(uid);
  }

  /** Somebody takes it away himself. */
  forget(volume: SimulatedVolume): void {
    this.#needed.delete(volume);
  }

  /** Volumes in which nobody can make a file: only the directory below them is to be so. */
  get sealed(): readonly string[] {
    return this.#lvm.volumes
      .filter(({ content }) => content.isImmutable || content.inside?.isImmutable)
      .map(({ name }) => `${name} is immutable`);
  }

  /** What is lost of what somebody needs. */
  get losses(): readonly string[] {
    return [...this.#needed].flatMap(([volume, written]) => {
      const found = this.#lvm.volumes.includes(volume) ? volume.content.precious : undefined;
      return whatWasWrittenIsThere({ volume: volume.name, written, found });
    });
  }

  /** What is left of volumes that are gone, and is not kept on purpose. */
  get leaks(): readonly string[] {
    const uids = new Set(this.#cluster.volumes.map(({ metadata }) => metadata.uid));
    const left = this.#lvm.volumes.filter((volume) => this.#isLeft(volume, uids));
    return nothingIsLeftOfADeletedVolume(left.map(({ name }) => name));
  }

  #isLeft(volume: SimulatedVolume, uids: ReadonlySet<string | undefined>): boolean {
    const owner = ownerIn(volume);
    return owner !== undefined && this.#deleted.has(owner.uid) && !uids.has(owner.uid) && owner.trashedAt === undefined;
  }

  #judge(deed: Deed): void {
    switch (deed.does) {
      case 'create':
        this.#isCreated(deed.volume);
        break;
      case 'remove':
        if (!isCutOff(deed.volume)) this.#isLost(`${deed.volume.name} is removed`, deed.volume);
        break;
      case 'overwrite':
      case 'erase':
        this.#isLost(`a volume suffers ${deed.does}`, this.#lvm.volumeOf(deed.content));
        break;
      case 'format':
        this.#isFormatted(deed.content);
        break;
      case 'mount':
        this.#isMounted(deed.content, deed.path);
        break;
      case 'unmount':
        this.#isUnmounted(deed.path);
        break;
      case 'remount':
        this.#isChanged('something is remounted', deed.content && this.#lvm.volumeOf(deed.content));
        break;
      case 'grow':
        this.#isChanged('a filesystem is grown', this.#lvm.volumeOf(deed.content));
        break;
      default:
        this.#isChanged(`${deed.volume.name} suffers ${deed.does}`, deed.volume);
        break;
    }
  }

  #must(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }

  #isMountPoint(path: string): boolean {
    return this.#lvm.machine.mounts.some(({ mountPoint }) => mountPoint === path);
  }

  #isCreated(volume: SimulatedVolume): void {
    if (volume.kind === 'thin-pool') return;
    const owner = ownerIn(volume);
    const pv = this.#cluster.volume(volume.name);
    const isItsOwn = pv?.metadata.uid === owner?.uid && pv?.metadata.finalizers?.includes(FINALIZER);
    const isHeld = isItsOwn || this.#deleted.has(owner?.uid ?? '') || this.#isOnItsWay(owner?.uid);
    const count = this.#lvm.volumes.filter((each) => ownerIn(each)?.uid === owner?.uid).length;
    const made = { volume: volume.name, isMarked: owner !== undefined, isHeld, count };
    this.violations.push(...aLogicalVolumeIsMadeOnce(made));
  }

  #isLost(what: string, volume: SimulatedVolume | undefined): void {
    const uid = volume && ownerIn(volume)?.uid;
    const wasDeleted = uid !== undefined && this.#deleted.has(uid);
    this.violations.push(...aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted(what, wasDeleted));
  }

  #isFormatted(content: Content): void {
    const volume = this.#lvm.volumeOf(content);
    const formatted = {
      volume: volume?.name ?? 'an unknown volume',
      data: content.precious,
      timesFormatted: content.formatted,
      isNew: (volume && ownerIn(volume))?.state === 'new',
    };
    this.violations.push(...aFilesystemIsMadeOnlyOnWhatIsNew(formatted));
  }

  #isMounted(content: Content, path: string): void {
    const volume = this.#lvm.volumeOf(content);
    const owner = volume && ownerIn(volume);
    const pv = this.#cluster.volumes.find(({ spec }) => spec?.local?.path === path);
    const isItsOwn = owner !== undefined && owner.uid === pv?.metadata.uid;
    const mounted = {
      volume: volume?.name,
      path,
      isCovering: this.#isMountPoint(path),
      belongs: isItsOwn || this.#deleted.has(owner?.uid ?? '') || this.#isOnItsWay(owner?.uid),
      isAnothers: content.isOld,
      isReady: owner?.state === 'ready',
    };
    this.violations.push(...onlyWhatIsReadyIsMountedWhereItBelongs(mounted));
  }

  #isUnmounted(path: string): void {
    const content = this.#fileSystems.contentAt(path);
    this.#isLost(`what is mounted at ${path} is unmounted`, content && this.#lvm.volumeOf(content));
  }

  #isChanged(what: string, volume: SimulatedVolume | undefined): void {
    this.#must(volume !== undefined && ownerIn(volume) !== undefined, `${what}, and it is not ours`);
  }
}

const ownerIn = ({ tags }: SimulatedVolume): Owner | undefined => ownerOf({ tags: [...tags] });
