/** What keeps either side from doing its work, as people are told of it: by the name of the fact, and a sentence. */
import { Retry } from '../kit/controller/outcome.ts';
import { InvalidValue } from '../kit/invalid-value.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { KeyError } from './export/keys.ts';
import { RecordIsUnreadable } from './export/sealed.ts';
import { ExportIsUnreadable } from './export/unreadable.ts';
import type { Reason } from './reasons.ts';
import { StoreIsNotConfigured } from './store/open.ts';
import { StoreError, type StoreFault } from './store/store.ts';

export interface Trouble {
  /** As the reason of a condition. */
  readonly reason: Reason;
  readonly message: string;
  /** Whether it may well be over soon by itself. */
  readonly isPassing: boolean;
}

const REASONS = {
  unavailable: 'StoreIsUnavailable',
  denied: 'StoreDeniesAccess',
  noBucket: 'BucketIsMissing',
  preconditionFailed: 'StoreHasChanged',
  tooLarge: 'ObjectIsTooLarge',
  incomplete: 'AnswerIsIncomplete',
  unsupported: 'StoreIsUnsuitable',
} as const satisfies Readonly<Record<StoreFault, string>>;

const PASSING: ReadonlySet<StoreFault> = new Set(['unavailable', 'incomplete', 'preconditionFailed']);

/** Nothing for what is none of the store's, the cluster's, the environment's or the export's: that is thrown on. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof StoreError) {
    const { fault, message } = error;
    return { reason: REASONS[fault], message, isPassing: PASSING.has(fault) };
  }
  if (error instanceof KeyError || error instanceof ExportIsUnreadable || error instanceof RecordIsUnreadable)
    return { reason: capitalized(error.fact), message: error.message, isPassing: false };
  if (error instanceof StoreIsNotConfigured || error instanceof InvalidValue)
    return { reason: 'EnvironmentIsIncomplete', message: error.message, isPassing: false };
  if (error instanceof ApiError) return { reason: 'ClusterRefuses', message: inCluster(error), isPassing: true };
  if (error instanceof ConnectionError)
    return { reason: 'ClusterDoesNotAnswer', message: inCluster(error), isPassing: true };
  if (error instanceof Retry) return { reason: 'StoreHasChanged', message: error.message, isPassing: true };
  return undefined;
}

const inCluster = ({ message }: Error): string =>
  `the API server of this cluster does not do what it is asked for: ${message}. It is tried again`;

/** `exportIsEmpty` → `ExportIsEmpty`. */
export const capitalized = <F extends string>(fact: F): Capitalize<F> =>
  `${fact.charAt(0).toUpperCase()}${fact.slice(1)}` as Capitalize<F>;
