/** What is called otherwise at the recovery site: StorageClasses by their whole name, all else by how it begins. The first rule that fits is taken. */
import type { Mappings, Rewrite } from '../contract.ts';

/** As much of the spec of a volume as rules can change. */
export interface Mappable {
  readonly storageClassName?: string | null | undefined;
  readonly nfs?: { readonly server: string; readonly path: string } | null | undefined;
  readonly csi?: { readonly driver: string; readonly volumeHandle: string } | null | undefined;
}

export function mappedVolume<T extends Mappable>(spec: T, mappings: Mappings = {}): T {
  const { storageClassName, nfs, csi } = spec;
  return {
    ...spec,
    ...(storageClassName && { storageClassName: mappedClass(storageClassName, mappings) }),
    ...(nfs && {
      nfs: { ...nfs, server: begunAnew(nfs.server, mappings.nfsServers), path: begunAnew(nfs.path, mappings.nfsPaths) },
    }),
    ...(csi && { csi: { ...csi, ...mappedHandle(csi, mappings) } }),
  };
}

export const mappedHandle = (
  { driver, volumeHandle }: { readonly driver: string; readonly volumeHandle: string },
  { csiDrivers, csiVolumeHandles }: Mappings = {},
) => ({ driver: begunAnew(driver, csiDrivers), volumeHandle: begunAnew(volumeHandle, csiVolumeHandles) });

export const mappedClass = (name: string, { storageClasses = [] }: Mappings = {}): string =>
  storageClasses.find(({ from }) => from === name)?.to ?? name;

function begunAnew(text: string, rules: readonly Rewrite[] = []): string {
  const rule = rules.find(({ from }) => text.startsWith(from));
  return rule ? rule.to + text.slice(rule.from.length) : text;
}
