/** What the sync job never does to either site or to the store: each of these gives back, in sentences, in what it does not hold. */

/** A restored volume is never deleted by a bad export: it goes only when the protected site has it no more. */
export function aRestoredVolumeGoesOnlyAfterItsOriginal(volume: string, isProtected: boolean): readonly string[] {
  return isProtected ? [`${volume} is deleted at the recovery site, and the protected one has it`] : [];
}

/** What the pointer said after somebody had written it. */
export interface PointerMove {
  readonly writer: string;
  readonly epoch: number;
  readonly sequence: number;
  /** Whether it would have failed if somebody else had written it meanwhile. */
  readonly isConditional: boolean;
}

/** Two writers never both move the pointer: each epoch has one writer, and neither epoch nor sequence goes down. */
export function twoWritersNeverBothMoveThePointer(moves: readonly PointerMove[]): readonly string[] {
  const writers = new Map<number, string>();
  return moves.flatMap(({ writer, epoch, sequence, isConditional }, index) => {
    const before = moves[index - 1];
    const other = writers.get(epoch) ?? writer;
    writers.set(epoch, other);
    return [
      ...(isConditional ? [] : [`${writer} writes the pointer whatever is there`]),
      ...(other === writer ? [] : [`${writer} and ${other} both write the pointer in epoch ${epoch}`]),
      ...(before && epoch < before.epoch ? [`the epoch goes down from ${before.epoch} to ${epoch}`] : []),
      ...(before && sequence < before.sequence
        ? [`the sequence goes down from ${before.sequence} to ${sequence}`]
        : []),
    ];
  });
}

/** The recovery site has exactly what the protected one has. */
export function theSitesAreEqual(protectedSite: unknown, recoverySite: unknown): readonly string[] {
  const [here, there] = [JSON.stringify(protectedSite), JSON.stringify(recoverySite)];
  return here === there ? [] : [`the recovery site has ${there}, and the protected one ${here}`];
}

/** The store is not called more often than polls and heartbeats need. */
export function theStoreIsLeftInPeace(calls: number, minutes: number, mostPerMinute: number): readonly string[] {
  return calls <= minutes * mostPerMinute ? [] : [`the store is called ${calls} times in ${minutes} minutes`];
}
