/** Writes options as they are in annotations and tags: read again, they are the same. */
import { Quantity } from '../../kit/quantity.ts';
import type { OptionKey } from '../contract.ts';
import type { VolumeOptions } from '../options.ts';

/** Without those that are not in force. */
export function writeOptions(options: VolumeOptions): Partial<Record<OptionKey, string>> {
  const { fsType, fsArgs, mountOpts, vg, thin, crypt, autoRelease, shred, removePolicy, snapshotOf } = options;
  return {
    fsType,
    mountOpts: mountOpts.join(','),
    vg,
    fsOpts: fsArgs.join(' '),
    ...(crypt && { cryptSecret: `${crypt.namespace}/${crypt.name}` }),
    autoRelease: `${autoRelease}`,
    ...(thin && { thinPool: thin.pool }),
    ...(thin?.poolBytes !== undefined && { thinPoolSize: Quantity.ofBytes(thin.poolBytes).toString() }),
    shred,
    removePolicy,
    ...(snapshotOf !== undefined && { snapshotOf }),
  };
}
