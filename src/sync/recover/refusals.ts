/** Why an object of an export is not restored as it stands there, or one that is no longer in it stays: by the fact that forbids it. */

/** Whoever deletes a claim, or a volume that was not restored by us, may delete what is in it. */
const RETAIN_FIRST = 'Where its data is wanted, see first that the reclaim policy of its volume is Retain';

/** `wait`: it goes on by itself. Each of the others needs a person, and says what he can do. */
const REMEDIES = {
  specIsInvalid: 'Correct the object on the protected cluster',
  nodeVolume:
    'Its path is on a node of the protected cluster. Set spec.allowNodeVolumes if the nodes here have the same',
  existsAndIsNotOurs: `It is left alone. Delete it if the one of the export is to take its place. ${RETAIN_FIRST}`,
  mustBeRecreated: `It cannot be changed in place. Delete it here, and it is restored as it stands in the export. ${RETAIN_FIRST}`,
  isBeingDeleted: 'wait',
  claimIsAnothers: `The binder would give the volume to it. Let it ask for the volume by its spec.volumeName, or delete the claim. ${RETAIN_FIRST}`,
  claimHasAnotherVolume: 'Two volumes cannot belong to one claim. Remove the spec.claimRef of the one that does not',
  volumeIsAnothers: 'It would be given the data of another. Correct the spec.volumeName of the claim',
  volumeIsBound: 'It is left as it is while that claim has it. Delete the claim if the volume is to be restored',
  volumeIsNotRestored: 'It is restored when its volume is',
  handleCollides: 'Two volumes with one handle, or one server and path, would be one. Correct spec.mappings',
  namespaceIsTerminating: 'wait',
  namespaceIsReserved:
    'Namespaces that begin with "kube-" are for Kubernetes itself. Make it yourself if it is to be there',
  classDoesNotExpand: 'Set allowVolumeExpansion on its StorageClass if the claim is to grow, too',
  volumeIsInUse: 'It stays until the claim goes',
  dataWouldBeLost: 'Set the reclaim policy of the volume to Retain, or delete it yourself',
} as const;

export type Fact = keyof typeof REMEDIES;

export const EVERY_FACT = Object.keys(REMEDIES) as readonly Fact[];

export interface Refusal {
  readonly fact: Fact;
  /** What is so, of which object. */
  readonly message: string;
  /** Another object that this is so because of: when it changes, it may no longer be. */
  readonly because?: Obstacle;
}

export interface Obstacle {
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim' | 'StorageClass';
  readonly key: string;
}

export const refusal = (fact: Fact, message: string, because?: Obstacle): Refusal => ({
  fact,
  message,
  ...(because && { because }),
});

/** Nothing when it goes on by itself. */
export const remedyOf = ({ fact }: Pick<Refusal, 'fact'>): string | undefined =>
  REMEDIES[fact] === 'wait' ? undefined : REMEDIES[fact];
