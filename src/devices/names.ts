/** The name of the volume that a device becomes. Two devices can come to the same name: then neither of them may become a volume. */

export const volumeNameOf = (node: string, device: string): string =>
  `local-${node}-${device}`.replace(/[^A-Za-z0-9.]+/g, '-').toLowerCase();

/** The name that a path ends in. */
export const nameAt = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
