/** What the protected side is asked for, and how that ends. */
import type { ExportStatus } from '../contract.ts';
import type { Counts } from '../export/manifest.ts';
import type { Form } from './new-objects.ts';
import type { Barred, Site } from './writer.ts';

export interface Request extends Site {
  readonly form: Form;
  /** Since when nothing can have changed unseen: what is confirmed is confirmed for this time. */
  readonly asOf: Date;
  /** In days. */
  readonly retention: number;
}

/** What is to be exported. */
export interface Exportable {
  readonly document: Buffer;
  readonly counts: Counts;
}

export interface ExportRequest extends Request {
  /** Puts it together, which takes a while, in turns with the requests that the store has been sent by then. */
  readonly content: () => Generator<void, Exportable>;
  /** Whether it is time for one even when nothing has changed. */
  readonly isScheduled: boolean;
}

export interface ConfirmRequest extends Request {
  /** Of the document that was exported last, as an outcome before has told; missing when there was none. */
  readonly contentSha256: string | undefined;
}

export type Outcome =
  | (Known & {
      readonly kind: 'exported';
      readonly bytes: number;
      /** When it could be restored, by the clock that only goes forward. */
      readonly storedAt: number;
    })
  /** What is exported already is what there is. */
  | (Known & { readonly kind: 'unchanged' })
  | Barred;

export interface Known {
  readonly status: ExportStatus;
  /** Of the document. */
  readonly contentSha256: string;
  /** Whether the store keeps other writers out. */
  readonly fenced: boolean;
  /** How it ended when old exports were last looked for. */
  readonly retention: Retention;
}

/** The export counts even when old ones could not be removed. */
export type Retention =
  | { readonly kind: 'done'; readonly removed: number }
  /** Not yet, or not while what is exported has no volumes in it. */
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly why: string };

/** That an export is needed: what is in the store is not known to be what there is. */
export interface Stale {
  readonly kind: 'stale';
}
