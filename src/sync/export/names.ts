/**
 * Where things are in the store. Under `<cluster>/` there is nothing but exports that the original can read, since it takes the newest
 * object of any name there; all else is under `.holdfast/<cluster>/`.
 */

const EXPORT = /^(\d{1,12})_storage_objects\.json$/;
const DIGITS = 10;

/** The original writes the name in lower case, and reads it as it is written: lower case is right on both sides. */
export const clusterPrefix = (protectedCluster: string): string => `${protectedCluster.toLowerCase()}/`;

export const exportKey = (protectedCluster: string, unixSeconds: number): string =>
  `${clusterPrefix(protectedCluster)}${unixSeconds}_storage_objects.json`;

/** For exports that the original could not read: compressed or encrypted. */
export const closedExportKey = (protectedCluster: string, unixSeconds: number): string =>
  `${ownPrefix(protectedCluster)}exports/${unixSeconds}_storage_objects.bin`;

export const ownPrefix = (protectedCluster: string): string => `.holdfast/${clusterPrefix(protectedCluster)}`;
export const pointerKey = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}pointer.json`;
export const manifestPrefix = (protectedCluster: string): string => `${ownPrefix(protectedCluster)}manifests/`;

/** In the order of epochs and sequences, also when sorted as text. */
export const manifestKey = (protectedCluster: string, epoch: number, sequence: number): string =>
  `${manifestPrefix(protectedCluster)}${padded(epoch)}-${padded(sequence)}.json`;

const padded = (count: number): string => String(count).padStart(DIGITS, '0');

/** When an export was made, in seconds, by its name; nothing for what is no export. */
export function exportedAt(protectedCluster: string, key: string): number | undefined {
  const prefix = [clusterPrefix(protectedCluster), `${ownPrefix(protectedCluster)}exports/`].find((each) =>
    key.startsWith(each),
  );
  if (prefix === undefined) return undefined;
  const seconds = EXPORT.exec(key.slice(prefix.length).replace(/\.bin$/, '.json'))?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
