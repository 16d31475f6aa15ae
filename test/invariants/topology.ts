/** What the topology job never does, and what it comes to: each of these gives back, in sentences, in what it does not hold. */

/** A volume is never said to be where nobody has ever used it. */
export function aVolumeIsOnlySaidToBeWhereItWasUsed(seen: {
  readonly volume: string;
  readonly zones: readonly string[];
  readonly used: ReadonlySet<string>;
}): readonly string[] {
  return seen.zones
    .filter((zone) => !seen.used.has(zone))
    .map((zone) => `${seen.volume} is said to be in ${zone}, where nobody has used it`);
}

/** A volume's zone label is never narrowed while another user is there, of whom the job can know. */
export function aZoneIsNeverGivenUpWhileItIsUsed(seen: {
  readonly volume: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly used: ReadonlySet<string>;
}): readonly string[] {
  return seen.before
    .filter((zone) => !seen.after.includes(zone) && seen.used.has(zone))
    .map((zone) => `${seen.volume} is no longer said to be in ${zone}, where it is in use`);
}

/** In the end a volume says where it is used, and nothing else. */
export function aVolumeSaysWhereItIsUsed(seen: {
  readonly volume: string;
  readonly zone: string | undefined;
  readonly label: string | undefined;
}): readonly string[] {
  return seen.label === seen.zone ? [] : [`${seen.volume} is used in ${seen.zone} and says ${seen.label}`];
}
