/** What has to be changed in a restored object so that it is as the export has it, as a merge patch; or what would have to be and cannot. Pure. */
import { at, firstMissing, semanticallyEqual } from '../../kit/equality.ts';
import { Quantity } from '../../kit/quantity.ts';
import { FINALIZER } from '../contract.ts';
import type { DesiredClaim, DesiredMeta, DesiredVolume } from './desired.ts';
import { accessModesOf, type Content, type LocalClaim, type LocalVolume } from './local.ts';
import type { Alteration } from './plan.ts';
import { isOfTheSource, markOf, sourceMark } from './source-mark.ts';

export type Difference = Pick<Alteration, 'patch' | 'fields'>;

type Fields = Readonly<Record<string, unknown>>;

/** Nothing when it is as it should be. `claimRef` is what to write of that, if anything. */
export function volumeDifference(
  desired: DesiredVolume,
  content: Content,
  { isBound, claimRef }: { readonly isBound: boolean; readonly claimRef: Fields | undefined },
): Difference | undefined {
  const { spec: want } = desired;
  const { spec: have } = content;
  const spec: Record<string, unknown> = {
    ...(claimRef && { claimRef }),
    ...(grows(want.capacity.storage, storageOf(have.capacity)) && { capacity: { storage: want.capacity.storage } }),
    ...(accessModesOf(want) !== accessModesOf(have) && { accessModes: want.accessModes }),
    ...differing('mountOptions', want, have),
    ...differing('persistentVolumeReclaimPolicy', want, have),
    ...differing('volumeAttributesClassName', want, have),
    // A bound volume goes on belonging to a claim of the same class.
    ...(!isBound &&
      differing('storageClassName', { storageClassName: '', ...want }, { storageClassName: '', ...have })),
    ...(have.nodeAffinity === undefined && differing('nodeAffinity', want, have)),
  };
  return differenceOf(metadataDifference(desired.metadata, content), spec);
}

/** The field that cannot be changed and differs. */
export function lastingVolumeDifference(
  { spec: want }: DesiredVolume,
  { spec: have }: Content,
  local: Pick<LocalVolume, 'sourceMark'>,
): string | undefined {
  const isSameAffinity =
    have.nodeAffinity === undefined || semanticallyEqual(want.nodeAffinity, have.nodeAffinity, PRESENCE);
  if (!isSameAffinity) return 'spec.nodeAffinity';
  if (sourceMark(want) === local.sourceMark) return undefined;
  const differs = (field: string) => isOfTheSource(field) && markOf((want as Fields)[field]) !== markOf(have[field]);
  return `spec.${Object.keys({ ...want, ...have }).find(differs) ?? 'volumeMode'}`;
}

const PRESENCE = { presenceAt: at('required.nodeSelectorTerms.*') };

/** `canGrow` when its StorageClass lets it and it is bound, as the server wants it. */
export function claimDifference(desired: DesiredClaim, content: Content, canGrow: boolean): Difference | undefined {
  const { spec: want } = desired;
  const { spec: have } = content;
  const { storage } = want.resources.requests;
  const spec = {
    ...(canGrow && wouldGrow(desired, content) && { resources: { requests: { storage } } }),
    ...(want.volumeName && !have.volumeName && { volumeName: want.volumeName }),
    ...differing('volumeAttributesClassName', want, have),
  };
  return differenceOf(metadataDifference(desired.metadata, content), spec);
}

export const wouldGrow = ({ spec: want }: DesiredClaim, { spec: have }: Content): boolean =>
  grows(want.resources.requests.storage, storageOf((have.resources as Fields | undefined)?.requests));

/** The field that cannot be changed and differs. What the server adds, such as the default class or the volume of a bound claim, does not. */
export function lastingClaimDifference({ spec: want }: DesiredClaim, { spec: have }: Content): string | undefined {
  const { volumeName, volumeAttributesClassName: _, resources, ...rest } = want;
  if (volumeName && have.volumeName && volumeName !== have.volumeName) return 'spec.volumeName';
  const { requests: _requests, ...limits } = resources;
  const missing = firstMissing({ ...rest, resources: limits }, have, CLAIM_SEMANTICS);
  return missing && `spec.${missing}`;
}

const CLAIM_SEMANTICS = { unorderedAt: at('accessModes'), quantityAt: at('resources.limits.*') };

/** Whether a claim of somebody else is what the export has: the same volume, or at least one of the same kind. */
export function isSameClaim({ spec }: DesiredClaim, local: LocalClaim): boolean {
  if (accessModesOf(spec) !== local.accessModes) return false;
  if (spec.volumeName) return spec.volumeName === local.volumeName;
  return !spec.storageClassName || spec.storageClassName === local.className;
}

/** Whether a volume of somebody else has the same data, and belongs to the same claim. */
export function isSameVolume({ spec }: DesiredVolume, local: LocalVolume): boolean {
  const claim = spec.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : local.claim;
  return sourceMark(spec) === local.sourceMark && claim === local.claim;
}

function differenceOf(metadata: Fields, spec: Fields): Difference | undefined {
  const fields = [...names('metadata', metadata), ...names('spec', spec)];
  if (fields.length === 0) return undefined;
  const patch = { ...(isAny(metadata) && { metadata }), ...(isAny(spec) && { spec }) };
  return { patch, fields };
}

const isAny = (fields: Fields): boolean => Object.keys(fields).length > 0;
const names = (where: string, fields: Fields): readonly string[] =>
  Object.keys(fields).map((field) => `${where}.${field}`);

function metadataDifference(desired: DesiredMeta, content: Content): Fields {
  const labels = textDifference(desired.labels, content.labels, content.written.labels);
  const annotations = textDifference(desired.annotations, content.annotations, content.written.annotations);
  // That of the original is taken off by then.
  const others = content.finalizers.filter((each) => each !== FINALIZER);
  const lost = desired.finalizers.filter((each) => !others.includes(each));
  return {
    ...(isAny(labels) && { labels }),
    ...(isAny(annotations) && { annotations }),
    ...(lost.length > 0 && { finalizers: [...others, ...lost] }),
  };
}

type Texts = Readonly<Record<string, string>>;

/** What others have added stays. What we have written and the export has no longer goes. */
function textDifference(want: Texts, have: Texts, written: readonly string[]): Readonly<Record<string, string | null>> {
  const wrong = Object.entries(want).filter(([key, value]) => !Object.hasOwn(have, key) || have[key] !== value);
  const stale = written.filter((key) => Object.hasOwn(have, key) && !Object.hasOwn(want, key));
  return Object.fromEntries([...wrong, ...stale.map((key) => [key, null] as const)]);
}

/** Null removes a field that the export does not have. */
function differing(field: string, want: Fields, have: Fields): Fields {
  return semanticallyEqual(want[field], have[field]) ? {} : { [field]: want[field] ?? null };
}

/** Sizes never shrink: somebody may have made room here. */
function grows(want: string, have: string | undefined): boolean {
  return have === undefined || Quantity.parse(want).compare(Quantity.parse(have)) > 0;
}

const storageOf = (sizes: unknown): string | undefined => (sizes as Texts | undefined)?.storage;
