/** What is known when it is decided what to restore: the export, this cluster, and what the resource says. */
import type { SyncSpec } from '../contract.ts';
import type { ExportDocument } from '../export/document.ts';
import type { Difference } from './difference.ts';
import type { LocalClaims, LocalNamespaces, LocalVolumes } from './local.ts';
import type { Outline } from './outline.ts';
import type { Target } from './plan.ts';
import type { Refusal } from './refusals.ts';

export interface Seen {
  /** The name of the resource. */
  readonly sync: string;
  readonly spec: RestoreSpec;
  readonly document: ExportDocument;
  readonly outline: Outline;
  readonly volumes: LocalVolumes;
  readonly claims: LocalClaims;
  readonly namespaces: LocalNamespaces;
  /** The StorageClasses of this cluster whose claims may grow. */
  readonly expandingClasses: ReadonlySet<string>;
}

export type RestoreSpec = Pick<
  SyncSpec,
  'binding' | 'mappings' | 'allowNodeVolumes' | 'allowMassDeletion' | 'massDeletion'
>;

/** What becomes of one object of an export. */
export type Verdict =
  | { readonly do: 'create'; readonly needs?: Target }
  | ({ readonly do: 'change' } & Difference)
  | { readonly do: 'nothing' }
  /** It is there, and is not ours. */
  | { readonly do: 'leave' }
  | ({ readonly do: 'refuse' } & Refusal);

export const refuse = (refusal: Refusal): Verdict => ({ do: 'refuse', ...refusal });

export const changeOrNothing = (difference: Difference | undefined): Verdict =>
  difference ? { do: 'change', ...difference } : { do: 'nothing' };
