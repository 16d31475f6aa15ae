/** Why nothing is done with a device or a volume, where that is not for the safety of its data. */

export type Reason =
  | { readonly fact: 'allIsWell' }
  | { readonly fact: 'thereIsNoConfiguration'; readonly why: string }
  | { readonly fact: 'isBeingDeleted' }
  | { readonly fact: 'isUnusable'; readonly why: string }
  | { readonly fact: 'nameIsShared'; readonly paths: readonly string[] }
  | { readonly fact: 'nameIsImpossible'; readonly why: string }
  | { readonly fact: 'settingsDisagree'; readonly volume: string; readonly how: string }
  | { readonly fact: 'deviceIsMissing'; readonly path: string; readonly nowAt?: string }
  | { readonly fact: 'deviceIsAnother'; readonly path: string; readonly recorded: string; readonly found: string }
  | { readonly fact: 'volumeIsNotOurs'; readonly why: string };

export type Fact = Reason['fact'];
