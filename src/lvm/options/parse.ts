/** From what a volume's annotations and the defaults say to checked options, or to everything that is wrong with them. Pure. */
import {
  FILE_SYSTEMS,
  type FileSystem,
  type OptionKey,
  REMOVE_POLICIES,
  SHRED_METHODS,
  type ShredMethod,
} from '../contract.ts';
import { logicalVolumeFault, mountPointFault, readSecretName, thinPoolFault, volumeGroupFault } from '../names.ts';
import type { SecretName, ThinOptions, VolumeOptions } from '../options.ts';
import { readSize } from '../size.ts';
import { readMkfsOptions } from './mkfs.ts';
import { readMountOptions } from './mount.ts';
import { Said, type Saying } from './said.ts';
import { shown } from './shown.ts';

/** What a volume asks for, and what it is judged by. */
export interface Asked extends Saying {
  /** Of the volume, and so of its logical volume. */
  readonly name: string;
  /** `spec.local.path`. */
  readonly path: string;
  readonly mountBase: string;
  /** It has its filesystem. */
  readonly isMade?: boolean | undefined;
  /** Of storage, in `spec.capacity`. */
  readonly capacity?: string | undefined;
  readonly agentNamespace: string;
  /** Whose Secrets may be read. */
  readonly secretNamespaces: readonly string[];
}

export type ParsedOptions =
  | {
      readonly ok: true;
      readonly options: VolumeOptions;
      /** What is asked for, in whole bytes. */
      readonly bytes: bigint;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly string[]; readonly warnings: readonly string[] };

export function parseOptions(asked: Asked): ParsedOptions {
  const said = new Said(asked);
  const bytes = readCapacity(asked, said);
  said.check('spec.local.path', mountPointFault(asked.path, asked.mountBase, asked.name));
  const options = readOptions(asked, said);
  const { faults, warnings } = said;
  if (!options || bytes === undefined || faults.length > 0) return { ok: false, faults, warnings };
  return { ok: true, options, bytes, warnings };
}

/** How a logical volume is to be, or is. */
interface Layout {
  readonly isSnapshot: boolean;
  readonly isThin: boolean;
}

export interface Wishes extends Pick<VolumeOptions, 'shred' | 'removePolicy'> {
  /** What cannot be read of them. The wishes are nobody's then. */
  readonly faults: readonly string[];
}

/** What is to become of a volume that is being deleted: read without the rest, of which nothing matters any more. */
export function readWishes(
  { shred, removePolicy }: Readonly<Partial<Record<OptionKey, string>>>,
  there: Layout,
): Wishes {
  const annotations = { ...(shred !== undefined && { shred }), ...(removePolicy !== undefined && { removePolicy }) };
  const said = new Said({ annotations, defaults: {} });
  const method = said.choice('shred', SHRED_METHODS, 'none');
  said.check('shred', method && overwritingFault(method, there));
  const policy = said.choice('removePolicy', REMOVE_POLICIES, 'delete');
  return { shred: method ?? 'none', removePolicy: policy ?? 'trash', faults: said.faults };
}

function readCapacity({ capacity }: Asked, said: Said): bigint | undefined {
  const size = capacity === undefined ? { fault: 'is missing: write the size of the volume' } : readSize(capacity);
  if ('bytes' in size) return size.bytes;
  said.check('spec.capacity.storage', size.fault);
  return undefined;
}

/** Nothing, or not all of it, where there is a fault. */
function readOptions(asked: Asked, said: Said): VolumeOptions | undefined {
  const snapshotOf = readOrigin(asked, said);
  const isSnapshot = snapshotOf !== undefined;
  const fsType = said.choice('fsType', FILE_SYSTEMS);
  const vg = readGroup(asked, said);
  if (isSnapshot && fsType === 'btrfs') said.check('snapshotOf', BTRFS_IS_ITS_COPY);
  const fsArgs = isSnapshot ? said.mustBeSilentOn('fsOpts', OF_ORIGIN, []) : readFsArgs(fsType, asked, said);
  const mountOpts = readMountOpts(fsType, isSnapshot, said);
  const thin = isSnapshot ? noThinPool(said) : readThin(asked, vg, said);
  const crypt = readCrypt(asked, said);
  const autoRelease = said.choice('autoRelease', ['true', 'false'], 'false') === 'true';
  const shred = said.choice('shred', SHRED_METHODS, 'none');
  const removePolicy = said.choice('removePolicy', REMOVE_POLICIES, 'delete');
  said.check('shred', shred && overwritingFault(shred, { isSnapshot, isThin: thin !== undefined }));
  if (!fsType || vg === undefined || !shred || !removePolicy) return undefined;
  return { fsType, fsArgs, mountOpts, vg, thin, crypt, autoRelease, shred, removePolicy, snapshotOf };
}

const BTRFS_IS_ITS_COPY =
  'cannot be of a btrfs: to the kernel a copy of one is the same filesystem, and it mounts only one of them; use snapshots of btrfs itself';
const OF_ORIGIN = 'a snapshot has what the volume has that it is of';

function readOrigin({ name }: Asked, said: Said): string | undefined {
  const origin = said.ofItself('snapshotOf');
  if (origin === '') return undefined;
  if (origin === name) said.check('snapshotOf', `cannot be ${shown(name)}: that is the volume itself`);
  else said.check('snapshotOf', logicalVolumeFault(origin, ''));
  return origin;
}

/** The volume's name is judged here too, since how long it may be depends on its group's. */
function readGroup({ name }: Asked, said: Said): string | undefined {
  const vg = said.text('vg');
  const fault = vg === undefined ? undefined : volumeGroupFault(vg);
  said.check('vg', fault);
  const isKnown = vg !== undefined && fault === undefined;
  said.check('metadata.name', logicalVolumeFault(name, isKnown ? vg : ''));
  return isKnown ? vg : undefined;
}

/** A volume that was made is never formatted again: what can no longer do anything is no reason to stop looking after it. */
function readFsArgs(fsType: FileSystem | undefined, { isMade }: Asked, said: Said): readonly string[] {
  const text = said.list('fsOpts');
  if (!fsType || text === undefined) return [];
  const { args, faults } = readMkfsOptions(fsType, text);
  if (faults.length === 0) return args;
  for (const fault of faults) {
    if (isMade) said.warn('fsOpts', `${fault}; it is ignored, since the volume has its filesystem`);
    else said.check('fsOpts', fault);
  }
  return [];
}

function readMountOpts(fsType: FileSystem | undefined, isSnapshot: boolean, said: Said): readonly string[] {
  const text = said.list('mountOpts');
  if (!fsType || text === undefined) return [];
  const { options, faults } = readMountOptions(fsType, text);
  for (const fault of faults) said.check('mountOpts', fault);
  if (isSnapshot && options.includes('rw')) said.check('mountOpts', 'cannot have "rw": a snapshot is only read');
  return options;
}

function noThinPool(said: Said): undefined {
  said.mustBeSilentOn('thinPool', OF_ORIGIN, undefined);
  said.mustBeSilentOn('thinPoolSize', OF_ORIGIN, undefined);
}

function readThin({ name }: Asked, vg: string | undefined, said: Said): ThinOptions | undefined {
  const pool = said.text('thinPool') ?? '';
  if (pool === '')
    return said.mustBeSilentOn('thinPoolSize', 'it is the size of a thinPool, and none is named', undefined);
  if (pool === name) said.check('thinPool', `cannot be ${shown(pool)}: that is the volume itself`);
  else said.check('thinPool', thinPoolFault(pool, vg ?? ''));
  const text = said.text('thinPoolSize') ?? '';
  if (text === '') return { pool };
  const size = readSize(text);
  if ('bytes' in size) return { pool, poolBytes: size.bytes };
  said.check('thinPoolSize', size.fault);
  return { pool };
}

/** Also of a snapshot: whoever reads one of an encrypted volume needs its key. */
function readCrypt({ agentNamespace, secretNamespaces }: Asked, said: Said): SecretName | undefined {
  const text = said.text('cryptSecret') ?? '';
  if (text === '') return undefined;
  const secret = readSecretName(text, agentNamespace);
  if ('fault' in secret) {
    said.check('cryptSecret', secret.fault);
    return undefined;
  }
  if (secretNamespaces.includes(secret.namespace)) return secret;
  const readable = secretNamespaces.length === 0 ? 'none is' : `only ${secretNamespaces.join(', ')}`;
  said.check(
    'cryptSecret',
    `cannot be ${shown(text)}: Secrets of the namespace ${shown(secret.namespace)} are not read, since --secret-namespaces of the agent does not list it (${readable})`,
  );
  return undefined;
}

function overwritingFault(shred: ShredMethod, { isSnapshot, isThin }: Layout): string | undefined {
  if (shred !== 'zero' && shred !== 'random') return undefined;
  if (isThin) return `cannot be "${shred}" with a thinPool: writing would fill the pool; use discard`;
  if (isSnapshot) return `cannot be "${shred}" with snapshotOf: writing would fill the snapshot; use discard or none`;
  return undefined;
}
