/** What the errors of the Azure SDK mean. */
import { type Explanation, explainRefusal, explainSilence, type Refusal } from './remote-failure.ts';
import type { StoreFault } from './store.ts';

/** Where the status says something else, or nothing. */
const KNOWN: Readonly<Record<string, StoreFault>> = {
  ContainerNotFound: 'noBucket',
  ContainerDisabled: 'denied',
  InvalidAuthenticationInfo: 'denied',
  BlobAlreadyExists: 'preconditionFailed',
  /** An object that must be what it was, and is not there. */
  BlobNotFound: 'preconditionFailed',
  BlobImmutableDueToPolicy: 'denied',
  LeaseIdMissing: 'denied',
};

export function explainAzure(error: unknown): Explanation {
  const refusal = refusalOf(error);
  return refusal === undefined ? explainSilence(error) : explainRefusal(refusal, KNOWN);
}

/** What the server has answered; nothing when it has not. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number')) return undefined;
  if (error.statusCode < 300) return undefined;
  const [message = ''] = error.message.split('\n');
  return { status: error.statusCode, code: codeOf(error), message: message.startsWith('{') ? '' : message };
}

/** An answer without a body has it in a header only, which is among the details. */
function codeOf(error: Error): string {
  const { code, details } = error as Error & {
    readonly code?: unknown;
    readonly details?: { readonly errorCode?: unknown };
  };
  return [code, details?.errorCode].find((each) => typeof each === 'string') ?? '';
}
