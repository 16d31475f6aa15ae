/** What the pool job never does to blobs: each of these gives back, in sentences, in what it does not hold. */

/** Replicas drop only after every leaving agent is empty. */
export function replicasDropOnlyAfterEveryLeavingAgentIsEmpty(seen: {
  readonly from: number;
  readonly to: number;
  readonly blobsOf: (ordinal: number) => number;
}): readonly string[] {
  const { from, to, blobsOf } = seen;
  const leaving = Array.from({ length: Math.max(0, from - to) }, (_, index) => to + index);
  return leaving.flatMap((ordinal) => {
    const left = blobsOf(ordinal);
    return left > 0 ? [`the agent ${ordinal} is let go with ${left} blobs`] : [];
  });
}

/** A claim is deleted only when there is no blob on it. */
export function aClaimIsDeletedOnlyWhenItIsEmpty(claim: string, blobs: number): readonly string[] {
  return blobs > 0 ? [`${claim} is deleted with ${blobs} blobs on it`] : [];
}

/** An acknowledged blob is never lost. */
export function anAcknowledgedBlobIsNeverLost(
  acknowledged: Iterable<string>,
  found: ReadonlySet<string>,
): readonly string[] {
  const lost = [...acknowledged].filter((key) => !found.has(key));
  return lost.length === 0 ? [] : [`${lost.length} blobs are lost: ${lost.slice(0, 3).join(', ')}`];
}
