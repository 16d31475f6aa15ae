/** What a request that is not served is answered. */
import type { OutgoingHttpHeaders } from 'node:http';
import { errorCode } from '../kit/host/file-error.ts';
import type { Reason, Refusal } from '../pool-client/protocol.ts';
import { NotTaken } from './agent.ts';
import { StoreError } from './store.ts';

const STATUS: Readonly<Record<Reason, number>> = {
  BadKey: 400,
  BadRequest: 400,
  Unauthorized: 401,
  NotFound: 404,
  Conflict: 409,
  Stale: 409,
  Exists: 412,
  TooLarge: 413,
  DigestMismatch: 422,
  Corrupt: 500,
  Internal: 500,
  Draining: 503,
  Full: 507,
};

/** Who asks an agent that drains or is full asks others first. */
const RETRY_AFTER = { 'retry-after': '5' };
const HEADERS: Readonly<Partial<Record<Reason, OutgoingHttpHeaders>>> = {
  Unauthorized: { 'www-authenticate': 'Bearer' },
  Draining: RETRY_AFTER,
  Full: RETRY_AFTER,
};

export class MethodNotAllowed extends StoreError {
  readonly allow: string;

  constructor(methods: readonly string[]) {
    const allow = methods.join(', ');
    super('BadRequest', `only ${allow} can be asked of this`);
    this.allow = allow;
  }
}

export interface Refused {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Refusal;
}

/** Whatever is not a refusal of ours is an accident, and its details are for the log only. */
export function refusalFor(error: unknown): Refused {
  if (!(error instanceof StoreError)) return refused('Internal', accident(error));
  const refusal = refused(error.reason, error.message);
  if (error instanceof MethodNotAllowed) return { ...refusal, status: 405, headers: { allow: error.allow } };
  return error instanceof NotTaken ? { ...refusal, body: { ...refusal.body, peers: error.peers } } : refusal;
}

const refused = (reason: Reason, message: string): Refused => ({
  status: STATUS[reason],
  headers: HEADERS[reason] ?? {},
  body: { reason, message },
});

const accident = (error: unknown): string => `the agent could not do it (${errorCode(error)}): its log says why`;
