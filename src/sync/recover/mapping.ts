/**
 * What is called otherwise at the recovery site: StorageClasses by their whole name, all else by how it begins, up to the end of a part of it.
 * The first rule that fits is taken.
 */
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
    ...(nfs && { nfs: mappedExport(nfs, mappings) }),
    ...(csi && { csi: mappedHandle(csi, mappings) }),
  };
}

export const mappedClass = (name: string, { storageClasses = [] }: Mappings = {}): string =>
  storageClasses.find(({ from }) => from === name)?.to ?? name;

function mappedExport<T extends NonNullable<Mappable['nfs']>>(nfs: T, { nfsServers, nfsPaths }: Mappings): T {
  return {
    ...nfs,
    server: begunAnew(nfs.server, PARTS.server, nfsServers),
    path: begunAnew(nfs.path, PARTS.path, nfsPaths),
  };
}

function mappedHandle<T extends NonNullable<Mappable['csi']>>(csi: T, { csiDrivers, csiVolumeHandles }: Mappings): T {
  return {
    ...csi,
    driver: begunAnew(csi.driver, PARTS.driver, csiDrivers),
    volumeHandle: begunAnew(csi.volumeHandle, PARTS.handle, csiVolumeHandles),
  };
}

/** What stands between the parts of each. A handle is written as its driver likes, in words of letters and digits. */
const PARTS = { server: /[.:]/, path: /\//, driver: /\./, handle: /[^\p{L}\p{N}]/u } as const;

/** A rule for `nas-1` says nothing of `nas-10`, whose data is another's. */
function begunAnew(text: string, separator: RegExp, rules: readonly Rewrite[] = []): string {
  const rule = rules.find(({ from }) => text.startsWith(from) && endsAPart(text, from.length, separator));
  return rule ? rule.to + text.slice(rule.from.length) : text;
}

const endsAPart = (text: string, length: number, separator: RegExp): boolean =>
  length === text.length || separator.test(text.slice(length - 1, length + 1));
