/** What a failed write of an Event means. Pure. */
import { ApiError, hasReason } from '../kube/api-error.ts';
import { ConnectionError } from '../kube/transport.ts';
import { NotLeading } from '../lead/lease-gate.ts';
import type { DropReason } from './event-metrics.ts';

export type Verb = 'create' | 'patch';

export type Verdict =
  /** It passes by itself: the same again, a little later. */
  | 'again'
  /** The Event to be patched is not there any more, as after the hour for which a server keeps them. */
  | 'vanished'
  /** An Event of that name is there. */
  | 'taken'
  /** It never will be written. */
  | DropReason;

export function judge(failure: unknown, verb: Verb): Verdict {
  if (failure instanceof ConnectionError) return 'again';
  if (failure instanceof NotLeading) return 'not_leading';
  if (!(failure instanceof ApiError)) return 'rejected';
  if (failure.status === 401 || failure.status === 429 || failure.status >= 500) return 'again';
  if (hasReason(failure, 'Forbidden')) return isTerminating(failure) ? 'namespace_gone' : 'forbidden';
  if (verb === 'patch' && hasReason(failure, 'NotFound', 'Conflict')) return 'vanished';
  if (verb === 'create' && hasReason(failure, 'AlreadyExists')) return 'taken';
  return hasReason(failure, 'NotFound') ? 'namespace_gone' : 'rejected';
}

const isTerminating = ({ causes }: ApiError): boolean => causes.some(({ reason }) => reason === 'NamespaceTerminating');
