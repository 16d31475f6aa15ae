/** What the lvm job never does to a logical volume: each of these gives back, in sentences, in what it does not hold. */

/** A logical volume is removed, erased, written over or unmounted only after its volume was deleted. */
export function aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted(deed: string, wasDeleted: boolean): readonly string[] {
  return wasDeleted ? [] : [`${deed}, and nobody has deleted its volume`];
}

/** A logical volume is made with the mark of its volume, when that is held, and once. */
export function aLogicalVolumeIsMadeOnce(seen: {
  readonly volume: string;
  readonly isMarked: boolean;
  readonly isHeld: boolean;
  readonly count: number;
}): readonly string[] {
  const { volume, isMarked, isHeld, count } = seen;
  return [
    ...(isMarked ? [] : [`${volume} is made without a mark`]),
    ...(isHeld ? [] : [`${volume} is made before its object is held`]),
    ...(count === 1 ? [] : [`there are ${count} logical volumes for ${volume}`]),
  ];
}

/** A filesystem is made once, on what is new, and never over somebody's data. */
export function aFilesystemIsMadeOnlyOnWhatIsNew(seen: {
  readonly volume: string;
  readonly data: string | undefined;
  readonly timesFormatted: number;
  readonly isNew: boolean;
}): readonly string[] {
  const { volume, data, timesFormatted, isNew } = seen;
  return [
    ...(data === undefined ? [] : [`${volume} is formatted over ${data}`]),
    ...(timesFormatted === 0 ? [] : [`${volume} is formatted a second time`]),
    ...(isNew ? [] : [`${volume} is formatted, and it is not new`]),
  ];
}

/** What is mounted is ready, has nothing of another on it, is where its volume says, and covers nothing. */
export function onlyWhatIsReadyIsMountedWhereItBelongs(seen: {
  readonly volume: string | undefined;
  readonly path: string;
  readonly isCovering: boolean;
  readonly belongs: boolean;
  readonly isAnothers: boolean;
  readonly isReady: boolean;
}): readonly string[] {
  const { volume, path, isCovering, belongs, isAnothers, isReady } = seen;
  return [
    ...(isCovering ? [`something is mounted over at ${path}`] : []),
    ...(belongs ? [] : [`${volume} is mounted at ${path}, where it does not belong`]),
    ...(isAnothers ? [`${volume} is mounted with what another one had on the disk`] : []),
    ...(isReady ? [] : [`${volume} is mounted before it is marked as ready`]),
  ];
}

/** What was written to a volume that nobody deleted is there. */
export function whatWasWrittenIsThere(seen: {
  readonly volume: string;
  readonly written: string;
  readonly found: string | undefined;
}): readonly string[] {
  return seen.found === seen.written ? [] : [`${seen.written} of ${seen.volume} is lost`];
}

/** Nothing is left of a volume that was deleted. */
export function nothingIsLeftOfADeletedVolume(logicalVolumes: readonly string[]): readonly string[] {
  return logicalVolumes.map((name) => `${name} is left over`);
}
