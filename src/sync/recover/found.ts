/** What comes of looking for an export: one that may be believed, or why there is none. */
import type { Encryption } from '../contract.ts';
import type { ExportDocument } from '../export/document.ts';
import type { KeyFact } from '../export/keys.ts';
import type { RecordFact } from '../export/sealed.ts';
import type { UnreadableFact } from '../export/unreadable.ts';
import type { Outline } from './outline.ts';

export type Found =
  /** Nothing is new since the look that gave the ETag. */
  | { readonly kind: 'unchanged' }
  /** The protected cluster has said again that the same export is up to date. */
  | { readonly kind: 'confirmed'; readonly etag: string; readonly confirmedAt: string }
  /** The pointer names this cluster itself as the writer: nothing that it exports is to be restored in it. */
  | { readonly kind: 'own'; readonly etag: string; readonly epoch: number }
  /** Something is not there yet, and will come. */
  | { readonly kind: 'waiting'; readonly why: string; readonly pointerSeen: boolean }
  /** There is one, and it must not be believed. With an ETag when that was found out by reading it. */
  | ({ readonly kind: 'refused'; readonly pointerSeen: boolean; readonly etag?: string } & Disbelief)
  | ({ readonly kind: 'export'; readonly pointerSeen: boolean } & BelievedExport);

export interface BelievedExport {
  readonly document: ExportDocument;
  readonly outline: Outline;
  /** To be given with the next look. Not the ETag of the store alone: it also says of what it is one. */
  readonly etag: string;
  /** Of the export itself. */
  readonly key: string;
  readonly sha256: string;
  readonly exportedAt: string;
  /** Nothing for an export of the original, which has no manifest. */
  readonly confirmedAt?: string;
  readonly epoch?: number;
  readonly sequence?: number;
  readonly manifestSha256?: string;
  readonly encryption?: Encryption;
}

/** Why an export is not believed, and what a person can do. */
export interface Disbelief {
  readonly fact: DisbeliefFact;
  readonly why: string;
  readonly remedy: string;
}

export type DisbeliefFact = keyof typeof REMEDIES | UnreadableFact | RecordFact | KeyFact;

const EXPORT_AGAIN = 'Let the protected cluster export again: change or label a volume there';
const LOOK_AT_THE_STORE = 'Find out who else writes to the store';
const KEYS = 'Give this cluster the keys of the protected one';

const REMEDIES = {
  exportHasNoVolumes:
    'Check that volumes are labelled on the protected cluster; to end the recovery, delete the resource',
  exportIsOlder: 'Wait for a newer one, or delete the resource and make it again to restore the older one',
  exportIsUnsigned: 'Let the protected cluster sign its exports, or set spec.signed to false',
  exportWasReplaced: LOOK_AT_THE_STORE,
  countsDiffer: LOOK_AT_THE_STORE,
  epochWentBack:
    'A cluster that was deposed still writes, or an older state of the store was restored: stop the former',
  sequenceWentBack: 'An older state of the store was restored, or replayed: wait for the next export',
  writerIsForeign: 'Two clusters write under one name: give each of them a spec.protectedCluster of its own',
  manifestIsTampered: LOOK_AT_THE_STORE,
  chainIsBroken: `${LOOK_AT_THE_STORE}. If it was set up anew, delete the resource and make it again`,
} as const;

const REMEDIES_OF_OTHERS: Readonly<Record<UnreadableFact | RecordFact | KeyFact, string>> = {
  exportIsEmpty: EXPORT_AGAIN,
  exportIsTruncated: EXPORT_AGAIN,
  exportIsForeign: LOOK_AT_THE_STORE,
  exportIsMalformed: LOOK_AT_THE_STORE,
  exportIsTooLarge: LOOK_AT_THE_STORE,
  recordIsMalformed: LOOK_AT_THE_STORE,
  recordIsOfAnotherVersion: 'Use a newer version of this program here',
  recordIsOfAnotherCluster: LOOK_AT_THE_STORE,
  signatureIsMissing: 'Let the protected cluster sign its exports, or set spec.signed to false',
  signatureIsWrong: LOOK_AT_THE_STORE,
  signerIsUnknown: KEYS,
  keyIsMissing: KEYS,
  keyIsUnusable: KEYS,
  keyIsUnknown: KEYS,
  keyIsWrong: KEYS,
};

/** Thrown as soon as one thing is found that forbids to believe it. */
export class ExportIsDoubtful extends Error {
  override readonly name = 'ExportIsDoubtful';
  readonly fact: keyof typeof REMEDIES;

  constructor(fact: keyof typeof REMEDIES, message: string) {
    super(message);
    this.fact = fact;
  }
}

/** Thrown when something is not there yet. */
export class ExportIsMissing extends Error {
  override readonly name = 'ExportIsMissing';
}

const REMEDIES_OF_ALL = { ...REMEDIES, ...REMEDIES_OF_OTHERS };

export const EVERY_DOUBT = Object.keys(REMEDIES_OF_ALL) as readonly DisbeliefFact[];

export const disbelief = (fact: DisbeliefFact, why: string): Disbelief => ({
  fact,
  why,
  remedy: REMEDIES_OF_ALL[fact],
});
