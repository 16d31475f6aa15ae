/** Conditions of requests (RFC 9110, section 13). A blob never changes, so its tag is its digest, and a strong one. */
export const tagOf = (sha256: string): string => `"${sha256}"`;

/** Whether one of the tags is that of the blob, or any will do and there is one. Weak tags are compared as strong ones for reads. */
export function matches(header: string, sha256: string | undefined): boolean {
  if (header.trim() === '*') return sha256 !== undefined;
  return sha256 !== undefined && header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === tagOf(sha256));
}

/** Whether a range is of the bytes that the sender has the rest of. */
export const isRangeOf = (ifRange: string | undefined, sha256: string): boolean =>
  ifRange === undefined || ifRange.trim() === tagOf(sha256);
