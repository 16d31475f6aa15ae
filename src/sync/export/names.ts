/**
 * Where things are in the store. Under `<cluster>/` there is nothing but exports that the original can read, since it takes the newest
 * object of any name there; all else is under `.holdfast/<cluster>/`.
 */

const DIGITS = 10;
/** As many epochs and sequences as keep their order as text. */
export const HIGHEST_COUNT = 10 ** DIGITS - 1;

/** The original writes the name in lower case, and reads it as it is written: lower case is right on both sides. */
export const clusterPrefix = (protectedCluster: string): string => `${protectedCluster.toLowerCase()}/`;

export const exportKey = (protectedCluster: string, unixSeconds: number): string =>
  `${clusterPrefix(protectedCluster)}${unixSeconds}_storage_objects.json`;

/** For exports that the original could not read: compressed or encrypted. */
export const closedExportKey = (protectedCluster: string, unixSeconds: number): string =>
  `${closedExportPrefix(protectedCluster)}${unixSeconds}_storage_objects.bin`;

export const closedExportPrefix = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}exports/`;

export const ownPrefix = (protectedCluster: string): string => `.holdfast/${clusterPrefix(protectedCluster)}`;
/** Where it is tried what the store can do: nobody else must touch what one tries it on. */
export const probePrefix = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}probes/`;
export const probeKey = (protectedCluster: string, unique: string): string =>
  `${probePrefix(protectedCluster)}${unique}.json`;
export const pointerKey = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}pointer.json`;
export const manifestPrefix = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}manifests/`;

/** In the order of epochs and sequences, also when sorted as text. */
export const manifestKey = (protectedCluster: string, epoch: number, sequence: number): string =>
  `${manifestPrefix(protectedCluster)}${padded(epoch)}-${padded(sequence)}.json`;

const padded = (count: number): string => String(count).padStart(DIGITS, '0');

/** When an export was made, in seconds, by its name; nothing for what is no export of this cluster. */
export function exportedAt(protectedCluster: string, key: string): number | undefined {
  const seconds = /(\d{1,12})_storage_objects\.(?:json|bin)$/.exec(key)?.[1];
  if (seconds === undefined) return undefined;
  const time = Number(seconds);
  const isExport = [exportKey(protectedCluster, time), closedExportKey(protectedCluster, time)].includes(key);
  return isExport ? time : undefined;
}

/** Whose exports, manifests or pointer it is, in lower case; nothing for what is none of these. */
export function clusterIn(key: string): string | undefined {
  const [, own, original] = /^(?:\.holdfast\/([^/]+)\/|([^/]+)\/\d{1,12}_storage_objects\.json$)/.exec(key) ?? [];
  return own ?? original;
}

/** Which epoch and sequence a manifest is of, by its name; nothing for what is no manifest of this cluster. */
export function manifestPlace(protectedCluster: string, key: string): ManifestPlace | undefined {
  const [, epoch, sequence] = /(\d{10})-(\d{10})\.json$/.exec(key) ?? [];
  if (epoch === undefined || sequence === undefined) return undefined;
  const place = { epoch: Number(epoch), sequence: Number(sequence) };
  return manifestKey(protectedCluster, place.epoch, place.sequence) === key ? place : undefined;
}

export interface ManifestPlace {
  readonly epoch: number;
  readonly sequence: number;
}
