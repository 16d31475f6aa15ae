/** Which volume a claim gets: as the PV controller of Kubernetes decides it. Pure. */

import { nodeSelectorOf, selectsNode } from '../../kit/node-selectors.ts';
import { Quantity } from '../../kit/quantity.ts';
import { labelSelectorOf, matches } from '../../kit/selectors.ts';
import { type Claim, labelsOf, type Node, type Volume } from './resources.ts';

/** Nothing, or why the volume is not for the claim, in the words of the PV controller. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if ((volume.spec?.storageClassName ?? '') !== (claim.spec?.storageClassName ?? ''))
    return 'storageClassName does not match';
  if (modeOf(volume) !== modeOf(claim)) return 'incompatible volumeMode';
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Whether the volume says that it is this claim's: by name only while it has not been bound. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { claimRef } = spec ?? {};
  return (
    claimRef?.name === metadata.name &&
    claimRef?.namespace === metadata.namespace &&
    (!claimRef?.uid || claimRef.uid === metadata.uid)
  );
}

/** The one that is reserved for it; or else the smallest of those that fit, on the node if there is one. */
export function bestMatch(claim: Claim, volumes: readonly Volume[], node?: Node): Volume | undefined {
  const fitting = volumes.filter((volume) => isFree(volume) && isSelected(volume, claim) && !mismatch(volume, claim));
  const here = node ? fitting.filter((volume) => isReachable(volume, node)) : fitting;
  return reservedFor(claim, volumes) ?? here.toSorted((a, b) => capacityOf(a).compare(capacityOf(b)))[0];
}

/** The one that is reserved for it, if there is one and it is large enough. */
export const reservedFor = (claim: Claim, volumes: readonly Volume[]): Volume | undefined =>
  volumes.find((volume) => isReservedFor(volume, claim) && !volume.metadata.deletionTimestamp && fitsIn(volume, claim));

/** Whether its node affinity lets the volume be used from the node. */
export function isReachable({ spec }: Volume, { metadata }: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  if (!required) return true;
  return selectsNode(nodeSelectorOf(required), { name: metadata.name ?? '', labels: metadata.labels ?? {} });
}

const fitsIn = (volume: Volume, claim: Claim): boolean =>
  capacityOf(volume).compare(requestOf(claim)) >= 0 && modeOf(volume) === modeOf(claim);

const isFree = ({ spec, metadata, status }: Volume): boolean =>
  !spec?.claimRef && !metadata.deletionTimestamp && status?.phase === 'Available';

const isSelected = (volume: Volume, { spec }: Claim): boolean =>
  !spec?.selector || matches(labelSelectorOf(spec.selector), labelsOf(volume));

const modeOf = ({ spec }: Volume | Claim): string => spec?.volumeMode ?? 'Filesystem';

const hasModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));

const capacityOf = ({ spec }: Volume): Quantity => Quantity.parse(spec?.capacity?.storage ?? '0');

export const requestOf = ({ spec }: Claim): Quantity => Quantity.parse(spec?.resources?.requests?.storage ?? '0');
