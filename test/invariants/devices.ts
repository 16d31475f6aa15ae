/** What the devices job never does to a disk: each of these gives back, in sentences, in what it does not hold. */

/** A device in use is never written: not while it is mounted or open, not while somebody has data on it, not while its volume is bound. */
export function aDeviceInUseIsNeverWritten(seen: {
  readonly device: string;
  readonly isOpen: boolean;
  /** Whose data are on it, if he has not left. */
  readonly tenant: string | undefined;
  /** The volumes that are bound and made of it. */
  readonly bound: readonly string[];
}): readonly string[] {
  const { device, isOpen, tenant, bound } = seen;
  return [
    ...(isOpen ? [`${device} is written to while it is in use`] : []),
    ...(tenant === undefined ? [] : [`${device} is written to while it is ${tenant}'s`]),
    ...bound.map((volume) => `${device} is written to while ${volume} is bound`),
  ];
}

/** A volume is made only of a clean device that no other volume is made of. */
export function aVolumeIsMadeOnlyOfACleanDevice(seen: {
  readonly volume: string;
  readonly device: string;
  readonly isClean: boolean;
  readonly others: readonly string[];
}): readonly string[] {
  const { volume, device, isClean, others } = seen;
  return [
    ...(isClean ? [] : [`${volume} is made of ${device}, which is not clean`]),
    ...others.map((other) => `${volume} is made of ${device}, which is the disk of ${other}`),
  ];
}

/** A volume is deleted only when it is released. */
export function aVolumeIsDeletedOnlyWhenItIsReleased(volume: string, phase: string | undefined): readonly string[] {
  return phase === 'Released' ? [] : [`${volume} is deleted while it is ${phase}`];
}

/** Who has a volume finds his data on it, and who gets one finds nobody's. */
export function nobodyGetsAnothersData(seen: {
  readonly volume: string;
  readonly isBound: boolean;
  readonly isIntact: boolean;
  readonly isClean: boolean;
}): readonly string[] {
  const { volume, isBound, isIntact, isClean } = seen;
  if (isBound) return isIntact ? [] : [`the data on ${volume} are gone`];
  return isClean ? [] : [`${volume} is offered with somebody's data on it`];
}
