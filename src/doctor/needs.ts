/** What the jobs that run on nodes need of a machine. */

export interface Need {
  readonly name: string;
  readonly jobs: readonly string[];
  /** What cannot be done without it. */
  readonly for: string;
  /** Without it nothing works at all; otherwise only what it is for. */
  readonly isVital: boolean;
  /** Where it comes from: a Debian package, or an option of the kernel. */
  readonly from: string;
}

const LVM = ['lvm'];
const BOTH = ['devices', 'lvm'];
const vital = (name: string, what: string, from: string): Need => ({ name, jobs: LVM, for: what, isVital: true, from });
const wanted = (name: string, what: string, from: string, jobs = LVM): Need => ({
  name,
  jobs,
  for: what,
  isVital: false,
  from,
});

/** Filesystems are made by the agent for lvm, and by the kubelet for devices. */
export const TOOLS: readonly Need[] = [
  vital('lvm', 'making logical volumes', 'lvm2'),
  vital('mount', 'mounting volumes', 'mount'),
  vital('umount', 'removing volumes', 'mount'),
  vital('blkid', 'telling what is on a device before it is formatted', 'util-linux'),
  vital('setpriv', 'ending programs together with the agent', 'util-linux'),
  vital('xargs', 'formatting several volumes at a time', 'findutils'),
  vital('chattr', 'keeping pods from writing to the disk of the machine', 'e2fsprogs'),
  wanted('mkfs.ext4', 'volumes with ext4', 'e2fsprogs', BOTH),
  wanted('e2fsck', 'checking volumes with ext4', 'e2fsprogs'),
  wanted('resize2fs', 'growing volumes with ext4', 'e2fsprogs'),
  wanted('mkfs.xfs', 'volumes with xfs', 'xfsprogs', BOTH),
  wanted('xfs_repair', 'checking volumes with xfs', 'xfsprogs'),
  wanted('xfs_growfs', 'growing volumes with xfs', 'xfsprogs'),
  wanted('mkfs.btrfs', 'volumes with btrfs', 'btrfs-progs', BOTH),
  wanted('btrfs', 'growing volumes with btrfs', 'btrfs-progs'),
  wanted('cryptsetup', 'encrypted volumes', 'cryptsetup-bin'),
  wanted('fsfreeze', 'snapshots of encrypted volumes that are in use', 'util-linux'),
];

export const MODULES: readonly Need[] = [
  vital('dm_mod', 'logical volumes', 'CONFIG_BLK_DEV_DM'),
  wanted('dm_thin_pool', 'thin volumes', 'CONFIG_DM_THIN_PROVISIONING'),
  wanted('dm_snapshot', 'snapshots', 'CONFIG_DM_SNAPSHOT'),
  wanted('dm_crypt', 'encrypted volumes', 'CONFIG_DM_CRYPT'),
  wanted('ext4', 'volumes with ext4', 'CONFIG_EXT4_FS', BOTH),
  wanted('xfs', 'volumes with xfs', 'CONFIG_XFS_FS', BOTH),
  wanted('btrfs', 'volumes with btrfs', 'CONFIG_BTRFS_FS', BOTH),
  wanted('loop', 'raw block volumes, which the kubelet holds by loop devices', 'CONFIG_BLK_DEV_LOOP', ['devices']),
];
