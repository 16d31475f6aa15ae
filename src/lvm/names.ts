/**
 * Which names LVM takes, and which of them lead nowhere else in /dev or on the node.
 * Each check returns how a sentence goes on that begins with what is named, or nothing when all is well.
 */
import { dnsLabelFault, dnsSubdomainFault } from '../kit/names.ts';
import { shown } from './options/shown.ts';
import type { SecretName } from './options.ts';

type Fault = string | undefined;

/** Of a name in LVM, and of one in the device mapper. */
const LONGEST_NAME = 127;
/** The device mapper has layers beside a volume, with its name and one of these at the end: -real and -cow of a snapshot's origin. */
const LONGEST_LAYER = '-real'.length;
/** And beside a thin pool. */
const LONGEST_POOL_PART = '-tpool'.length;

const STRANGE = /[^A-Za-z0-9+_.-]/u;

const RESERVED_STARTS = ['pvmove', 'snapshot'];
/** Whatever LVM makes of a volume is named after it with one of these, and it takes them for its own wherever they stand. */
const RESERVED_PARTS = [
  '_cdata',
  '_cmeta',
  '_corig',
  '_cpool',
  '_cvol',
  '_imeta',
  '_iorig',
  '_mimage',
  '_mlog',
  '_pmspare',
  '_rimage',
  '_rmeta',
  '_tdata',
  '_tmeta',
  '_vdata',
  '_vorigin',
  '_wcorig',
];

/** What is in /dev of about every node. A volume group is a directory there, beside them, and LVM makes none with such a name. */
const IN_DEV = new Set(
  `autofs block bsg btrfs-control bus char console core cpu cuse disk fd full fuse hugepages hwrng initctl input kmsg
  kvm log loop-control mapper mem mqueue net null port ptmx pts random rtc shm snapshot snd stderr stdin stdout tty
  urandom userfaultfd vfio vhost-net watchdog zero`.split(/\s+/),
);
const NUMBERED_IN_DEV =
  /^((dm-|loop|ram|rtc|sr|tty|ttyS|vcs|watchdog)\d+|nvme\d+(n\d+(p\d+)?)?|(sd|vd|xvd)[a-z]{1,2}\d*)$/;

export const volumeGroupFault = (name: string): Fault =>
  spellingFault(name) ??
  (IN_DEV.has(name) || NUMBERED_IN_DEV.test(name) ? `cannot be ${shown(name)}: that is a file in /dev` : undefined);

/** Of a logical volume in a volume group whose name is well. */
export const logicalVolumeFault = (name: string, group: string): Fault =>
  spellingFault(name) ?? reservedFault(name) ?? lengthFault(name, group, LONGEST_LAYER);

/** Of a thin pool in a volume group whose name is well. */
export const thinPoolFault = (name: string, group: string): Fault =>
  spellingFault(name) ?? reservedFault(name) ?? lengthFault(name, group, LONGEST_POOL_PART);

function spellingFault(name: string): Fault {
  const not = (why: string): string => `cannot be ${shown(name)}: ${why}`;
  if (name === '') return 'cannot be empty';
  if (name.length > LONGEST_NAME) return not(`LVM takes at most ${LONGEST_NAME} characters`);
  const stranger = STRANGE.exec(name)?.[0];
  if (stranger !== undefined) {
    return not(`LVM takes letters, digits, "+", "_", "." and "-", and not ${shown(stranger)}`);
  }
  if (name.startsWith('-')) return not('LVM takes no name that begins with a hyphen');
  return name === '.' || name === '..' ? not('that is a directory, not a name') : undefined;
}

function reservedFault(name: string): Fault {
  const not = (why: string): string => `cannot be ${shown(name)}: LVM keeps names ${why} for itself`;
  const start = RESERVED_STARTS.find((each) => name.startsWith(each));
  if (start !== undefined) return not(`that begin with ${start}`);
  const part = RESERVED_PARTS.find((each) => name.includes(each));
  return part === undefined ? undefined : not(`with ${part} in them`);
}

function lengthFault(name: string, group: string, reserve: number): Fault {
  const length = deviceMapperName(group, name).length;
  const most = LONGEST_NAME - reserve;
  if (length <= most) return undefined;
  return `cannot be ${shown(name)}: with its volume group ${shown(group)} and every hyphen doubled it has ${length} characters in the device mapper, and ${most} is the most`;
}

/** What the device mapper calls a logical volume: a single hyphen parts the names, and those in the names are doubled. */
export const deviceMapperName = (group: string, volume: string): string =>
  `${group.replaceAll('-', '--')}-${volume.replaceAll('-', '--')}`;

/** `spec.local.path` has to be where the volume is mounted, so that nobody has a directory of the node mounted over. */
export function mountPointFault(path: string, base: string, volume: string): Fault {
  const wanted = `${base.replace(/\/+$/, '')}/${volume}`;
  return path === wanted ? undefined : `cannot be ${shown(path)}: it has to be ${shown(wanted)}`;
}

/** `namespace/name`, or `name` in the agent's namespace. */
export function readSecretName(text: string, agentNamespace: string): SecretName | { readonly fault: string } {
  const parts = text.split('/');
  const [namespace, name] = parts.length === 1 ? [agentNamespace, text] : parts;
  if (parts.length > 2 || namespace === undefined || name === undefined) {
    return { fault: `cannot be ${shown(text)}: it is the name of a Secret, as NAMESPACE/NAME or NAME` };
  }
  if (dnsLabelFault(namespace) !== undefined) {
    return { fault: `cannot be ${shown(text)}: ${shown(namespace)} is not the name of a namespace` };
  }
  if (dnsSubdomainFault(name) !== undefined) {
    return { fault: `cannot be ${shown(text)}: ${shown(name)} is not the name of a Secret` };
  }
  return { namespace, name };
}
