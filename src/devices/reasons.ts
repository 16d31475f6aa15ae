/** Why nothing is done with a device or a volume, where that is decided before the device itself is looked at. */

export type Reason =
  | { readonly fact: 'allIsWell' }
  | { readonly fact: 'thereIsNoConfiguration'; readonly why: string }
  | { readonly fact: 'isBeingDeleted' }
  | { readonly fact: 'isUnusable'; readonly why: string }
  | { readonly fact: 'nameIsShared'; readonly paths: readonly string[] }
  | { readonly fact: 'nameIsImpossible'; readonly why: string }
  | { readonly fact: 'settingsDisagree'; readonly volume: string; readonly how: string }
  | { readonly fact: 'isLeftOutByTheFilter'; readonly path: string }
  | { readonly fact: 'deviceIsMissing'; readonly path: string; readonly nowAt?: string }
  | { readonly fact: 'deviceIsAnother'; readonly path: string; readonly recorded: string; readonly found: string }
  | { readonly fact: 'deviceHasShrunk'; readonly recordedBytes: number; readonly foundBytes: number }
  | { readonly fact: 'deviceHasAVolume'; readonly volume: string; readonly path: string }
  | { readonly fact: 'volumeIsNotOurs'; readonly why: string };

/** As the end of a sentence that begins with the device or the volume. */
export function explainReason(reason: Reason): string {
  switch (reason.fact) {
    case 'allIsWell':
      return 'is as it should be';
    case 'thereIsNoConfiguration':
      return `is left alone, since there is no configuration: ${reason.why}`;
    case 'isBeingDeleted':
      return 'is being deleted';
    case 'isUnusable':
      return `cannot be used: ${reason.why}`;
    case 'nameIsShared':
      return `would have the same name as others: ${reason.paths.join(', ')}`;
    case 'nameIsImpossible':
      return `would have a name that no volume can have: ${reason.why}`;
    case 'settingsDisagree':
      return `waits, since the volume ${reason.volume} was made with other settings: ${reason.how}`;
    case 'isLeftOutByTheFilter':
      return `is not recycled, since deviceNameFilter leaves ${reason.path} out`;
    case 'deviceIsMissing':
      return `has lost its device: ${reason.path} leads to none${reason.nowAt === undefined ? '' : `, and the device is now at ${reason.nowAt}`}`;
    case 'deviceIsAnother':
      return `has another device at ${reason.path}: it was ${reason.recorded}, and is ${reason.found}`;
    case 'deviceHasShrunk':
      return `has a device that is smaller than it was: ${reason.foundBytes} bytes instead of ${reason.recordedBytes}`;
    case 'deviceHasAVolume':
      return `is the device of the volume ${reason.volume}, which looks for it at ${reason.path}`;
    case 'volumeIsNotOurs':
      return `carries our label and is not ours: ${reason.why}`;
  }
}

/** What a person can do about it, as a sentence without its full stop. */
export function remedyOfReason({ fact }: Pick<Reason, 'fact'>): string {
  switch (fact) {
    case 'allIsWell':
    case 'isBeingDeleted':
      return 'Nothing has to be done';
    case 'thereIsNoConfiguration':
      return 'Annotate the Node with the name of a ConfigMap, or correct that';
    case 'isUnusable':
      return 'Repair or replace the device, or leave it out by deviceNameFilter';
    case 'nameIsShared':
    case 'nameIsImpossible':
      return 'Rename the link, or leave it out by deviceNameFilter';
    case 'settingsDisagree':
      return 'Set the ConfigMap back, or delete the volumes that were made with the former settings once nobody needs them';
    case 'isLeftOutByTheFilter':
      return 'Correct deviceNameFilter, or delete the volume if it is a left-over';
    case 'deviceIsMissing':
      return 'Attach the device again at this path; if it is gone for good, delete the volume';
    case 'deviceIsAnother':
      return 'Put the right device back; if that is gone for good, delete the volume, and the device here counts as a new one';
    case 'deviceHasShrunk':
      return 'Find out what happened to the device before anybody writes to it; the volume is not recycled as it is';
    case 'deviceHasAVolume':
      return 'Make the path of that volume lead to its device again, or delete that volume if nobody needs it';
    case 'volumeIsNotOurs':
      return 'Find out where it comes from; if it is a left-over, delete it';
  }
}
