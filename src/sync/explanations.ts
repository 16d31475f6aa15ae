/** What each code of this job means, for people who meet it. What to do is what the refusals themselves say. */
import { type Explanation, explainedOf, failed, news, refused, waits } from '../kit/explanation.ts';
import type { FindingFact } from './export/verify-chain.ts';
import type { EndingReason, EventReason, PlaceReason } from './reasons.ts';
import { type DisbeliefFact, disbelief } from './recover/found.ts';
import { type Fact, remedyOf } from './recover/refusals.ts';
import type { StoreFault } from './store/store.ts';
import { capitalized } from './trouble.ts';

type Said = readonly [means: string, why: string];

const REFUSALS: Readonly<Record<Fact, Said>> = {
  specIsInvalid: [
    'the API server would not take the object',
    'it stands so in the export, and is not changed on the way',
  ],
  nodeVolume: ['the volume is a path on a node', 'here it would be a path on another machine, with other data or none'],
  existsAndIsNotOurs: [
    'an object of that name is here, and was not restored by us',
    'what somebody else made is never replaced',
  ],
  mustBeRecreated: [
    'the object differs in a field that cannot be changed',
    'it would have to be deleted, which is left to a person',
  ],
  isBeingDeleted: ['the object is being deleted', 'it is restored when it is gone'],
  claimIsAnothers: [
    'a claim of the same name is here that does not ask for this volume',
    'the binder would give it the data of the volume',
  ],
  claimHasAnotherVolume: ['two volumes name the same claim', 'only one of them can belong to it'],
  volumeIsAnothers: [
    'the claim asks for a volume that belongs to another claim',
    'it would be given the data of another',
  ],
  volumeIsBound: ['the volume is bound to another claim here', 'it is not taken from whoever has it'],
  volumeIsNotRestored: [
    'the volume of the claim is refused',
    'without its volume the claim would be given an empty one',
  ],
  handleCollides: [
    'two volumes would have the same handle, or the same server and path',
    'they would be one and the same storage',
  ],
  namespaceIsTerminating: ['the namespace is being deleted', 'nothing can be made in it'],
  namespaceIsReserved: ['the namespace is one of Kubernetes itself', 'it is not made by others'],
  classDoesNotExpand: [
    'the claim is larger in the export, and its class does not let it grow',
    'the API server would refuse it',
  ],
  volumeIsInUse: ['the volume is no longer in the export, and a claim uses it', 'it is not taken from whoever has it'],
  dataWouldBeLost: [
    'the volume is no longer in the export, and its reclaim policy is Delete',
    'removing the object would delete the data',
  ],
};

const TAMPERED = 'nothing is restored or removed on the word of an export that may not be what was written';
const OLDER = 'what was restored would be set back to an older state';

const DOUBTS: Readonly<Record<DisbeliefFact, Said>> = {
  exportHasNoVolumes: [
    'the export has no volumes at all',
    'it would remove all that was restored, and is more likely a mistake',
  ],
  exportIsOlder: ['the export is older than one that was believed before', OLDER],
  exportIsUnsigned: ['the export is not signed', 'spec.signed asks for a signature by a trusted key'],
  exportWasReplaced: ['the bytes of the export are not those that its manifest names', TAMPERED],
  countsDiffer: ['the export has not as many objects as its manifest says', TAMPERED],
  epochWentBack: ['the export is of an earlier writer than the last one', OLDER],
  sequenceWentBack: ['the export has a lower number than the last one', OLDER],
  writerIsForeign: [
    'another cluster has written the export than before',
    'two clusters write under one name, and their volumes would be mixed',
  ],
  manifestIsTampered: ['the manifest is not the one that the pointer names', TAMPERED],
  chainIsBroken: ['the manifests do not hang together', TAMPERED],
  exportIsEmpty: ['the export has no bytes', 'nothing may be concluded from it, least of all that objects are gone'],
  exportIsTruncated: [
    'the export ends in the middle',
    'nothing may be concluded from it, least of all that objects are gone',
  ],
  exportIsForeign: ['the object in the store is no export', TAMPERED],
  exportIsMalformed: ['the export cannot be read', TAMPERED],
  exportIsTooLarge: ['the export is larger than any that is written', TAMPERED],
  recordIsMalformed: ['a manifest or the pointer cannot be read', TAMPERED],
  recordIsOfAnotherVersion: [
    'a manifest or the pointer is of a version that is not known here',
    'what is not understood is not believed',
  ],
  recordIsOfAnotherCluster: ['a manifest or the pointer is of another cluster', TAMPERED],
  signatureIsMissing: ['a manifest or the pointer is not signed', 'spec.signed asks for a signature by a trusted key'],
  signatureIsWrong: ['a manifest or the pointer is not as it was signed', TAMPERED],
  signerIsUnknown: ['a manifest or the pointer is signed by a key that is not trusted here', TAMPERED],
  keyIsMissing: ['a key is needed and not set', 'without it nothing can be encrypted, signed or opened'],
  keyIsUnusable: ['a key in the environment cannot be used', 'it is of another kind, or cut off'],
  keyIsUnknown: ['the export was encrypted with a key that is not known here', 'it cannot be opened'],
  keyIsWrong: ['the export cannot be opened with its key', 'it was changed, or the key was'],
};

const STORE = 'It is tried again. If that stays so, look at the store, and at the network to it';

const PLACES: Readonly<Record<PlaceReason, Explanation>> = {
  StoreIsUnavailable: failed('the object store does not answer', 'the network, or the store itself', STORE),
  StoreDeniesAccess: refused(
    'the object store denies access',
    'the credentials are wrong, or lack a right',
    'Correct OBJECT_STORAGE_ACCOUNT and OBJECT_STORAGE_SECRET; it needs to read, write, list and delete',
  ),
  BucketIsMissing: refused(
    'there is no bucket of that name',
    'buckets are made by people',
    'Make it, or correct OBJECT_STORAGE_BUCKET',
  ),
  StoreHasChanged: waits(
    'somebody else has written to the store at the same moment',
    'it is looked at again before anything is written',
  ),
  ObjectIsTooLarge: refused(
    'an object in the store is larger than any that is written',
    'it is taken for a mistake or an attack',
    'Find out who else writes to the store',
  ),
  AnswerIsIncomplete: failed('the store has broken off its answer', 'half of an export says nothing', STORE),
  StoreIsUnsuitable: refused('the store cannot do what is needed', 'the message says what', 'Use another store'),
  EnvironmentIsIncomplete: refused(
    'a variable of the environment is missing or wrong',
    'the store cannot be reached without it',
    'Set it in the Secret that the operator has its environment from; the message names it',
  ),
  ClusterRefuses: failed(
    'the API server of this cluster refuses something',
    'a right, a quota or a policy',
    'It is tried again. For rights see holdfast manifests rbac',
  ),
  ClusterDoesNotAnswer: failed(
    'the API server of this cluster does not answer',
    'the network, or the server itself',
    'It is tried again',
  ),
};

const ENDINGS: Readonly<Record<EndingReason | EventReason, Explanation>> = {
  AnotherResourceIsOlder: refused(
    'there is an older PersistentVolumeSync in this cluster',
    'two would undo each other, so only the oldest counts',
    'Delete one of them',
  ),
  CachesAreIncomplete: waits(
    'not all volumes and claims of this cluster have been seen yet',
    'an export of a part would look as if the rest were gone',
  ),
  AnotherClusterTookOver: refused(
    'another cluster has taken over the exports',
    'two writers would overwrite each other, so this one writes no more',
    'To follow the other, set spec.mode to Recovery; to take over again, use holdfast sync failback',
  ),
  ExportsAreAnothers: refused(
    'the exports under that name are those of another cluster',
    'they are never written over',
    'Give this cluster a spec.protectedCluster of its own; or, if it was built anew or its resource was, use holdfast sync failback',
  ),
  OldExportsStay: failed(
    'it is exported, but old exports cannot be removed',
    'the store refuses it; the message says why',
    'Let the operator delete in its bucket, or raise spec.retention',
  ),
  Exported: news('the definitions of the volumes are in the store', 'all is as it should be'),
  IsTheWriter: news('this cluster is the one that exports', 'nobody else has taken over'),
  WaitingForExport: waits(
    'there is nothing to restore yet',
    'the protected cluster has not exported under that name',
    'See that it exports there: holdfast status sync on the protected cluster',
  ),
  NoExportYet: waits(
    'there is nothing to restore yet',
    'the protected cluster has not exported under that name',
    'See that it exports there: holdfast status sync on the protected cluster',
  ),
  FailoverUnderWay: waits(
    'this cluster itself is the writer',
    'a failover was begun here: nothing is restored meanwhile',
    'If it was cut off, run holdfast sync failover again',
  ),
  DryRun: news(
    'spec.dryRun is set: it is planned, and nothing is written',
    'that was asked for',
    'Take spec.dryRun away to have it done',
  ),
  InSync: news('all that is in the newest export is restored', 'all is as it should be'),
  MassDeletion: refused(
    'the export would remove many of the restored volumes at once',
    'that is more likely a mistake on the protected cluster than meant, so nothing is removed',
    'Look what is gone there. If it is meant, set spec.allowMassDeletion',
  ),
  WriteFailed: failed(
    'an object could not be written in this cluster',
    'the API server refused it; the message says why',
    'It is tried again. Mend what the message names',
  ),
  Restored: news('volumes and claims were created, changed or removed', 'the newest export says so'),
  Released: news(
    'restored objects are no longer looked after, and stay',
    'the resource was deleted, or changed its mode',
  ),
  Recovered: news('what was wrong is over', 'the Event names what it was'),
};

const LOOK = 'Find out who else writes to the store. The next export of the protected cluster begins a new link';

/** What `holdfast sync verify` finds, besides. */
const FINDINGS: Readonly<Record<Exclude<FindingFact, DisbeliefFact | StoreFault>, Explanation>> = {
  newestIsMissing: refused(
    'the pointer names a manifest that is not there, or is not what it was',
    'the newest export cannot be restored',
    LOOK,
  ),
  manifestIsUnreadable: refused('a manifest cannot be read', 'what it says cannot be believed', LOOK),
  nameIsWrong: refused(
    'the name of a manifest says another epoch or number than it does itself',
    'it was copied or renamed',
    LOOK,
  ),
  epochHasTwoWriters: refused(
    'two clusters have written in the same epoch',
    'the store does not keep two writers apart, and their exports are mixed',
    'Let only one of them export: give the other one a spec.protectedCluster of its own, or set its spec.mode to Recovery',
  ),
  pointerIsMissing: refused(
    'nothing says which export is the newest',
    'there are manifests, so the pointer was removed; without manifests they are exports of the original, and all is well',
    'Let the protected cluster export again: change or label a volume there',
  ),
  exportIsMissing: refused('an export that a manifest speaks of is not there', 'it cannot be restored', LOOK),
  nothingIsExported: refused(
    'there is no export of that cluster in the store',
    'the store was emptied, the name is another one, or nothing was exported yet',
    'Correct --cluster and OBJECT_STORAGE_BUCKET; the message names the clusters that there are. Otherwise see that the protected cluster exports: holdfast status sync',
  ),
  exportIsUnused: news('no manifest speaks of an export', 'it is by the original, or was never finished'),
  manifestIsUnused: news(
    'the pointer does not lead to a manifest',
    'it is of a writer that was cut off, or was deposed',
  ),
  objectIsStrange: news(
    'there is an object in the store that is no export of ours',
    'the original may take it for the newest export',
    'Move it elsewhere',
  ),
  signingBeganLater: news(
    'a manifest is not signed, and is older than the first one that is',
    'signing was turned on later, and what is signed names it by its hash',
    'Nothing: it goes with spec.retention. With --strict it counts as broken',
  ),
  pointerIsSound: news('the pointer is as it was written', 'it was looked at'),
  exportIsSound: news('the export is as it was written', 'it was looked at'),
};

const refusalOf = (fact: Fact): Explanation => {
  const [means, why] = REFUSALS[fact];
  const remedy = remedyOf({ fact });
  return remedy === undefined ? waits(means, why) : refused(means, why, remedy);
};

const doubtOf = (fact: DisbeliefFact): Explanation => {
  const [means, why] = DOUBTS[fact];
  return refused(means, why, disbelief(fact, '').remedy);
};

const eachOf = <F extends string>(table: Readonly<Record<F, Said>>, of: (fact: F) => Explanation) =>
  Object.fromEntries((Object.keys(table) as F[]).map((fact) => [fact, of(fact)])) as Record<F, Explanation>;

const TABLE: Readonly<
  Record<keyof typeof FINDINGS | Fact | DisbeliefFact | PlaceReason | EndingReason | EventReason, Explanation>
> = {
  ...eachOf(REFUSALS, refusalOf),
  ...eachOf(DOUBTS, doubtOf),
  ...PLACES,
  ...ENDINGS,
  ...FINDINGS,
};

export const explained = explainedOf(TABLE, (code) => [capitalized(code)]);
