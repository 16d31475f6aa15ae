/**
 * Versions of objects and of whole collections. The API server promises that they are decimal numbers which grow
 * (since Kubernetes 1.35; true of every server before it), of any length.
 */
export type ResourceVersion = string;

/** Negative when `a` is older than `b`, positive when it is newer, 0 when they are the same. */
export function compareVersions(a: ResourceVersion, b: ResourceVersion): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const newer = (a: ResourceVersion, b: ResourceVersion): ResourceVersion => (compareVersions(a, b) >= 0 ? a : b);
