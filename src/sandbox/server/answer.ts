/** What a request is answered with. */
import { Refusal, type StatusBody } from './refusals.ts';
import type { WatchEvent } from './watches.ts';

export type Answer =
  | {
      readonly status: number;
      readonly body: object | string;
      /** Of text that is no JSON. */
      readonly contentType?: string;
      readonly warnings?: readonly string[];
    }
  | { readonly status: 200; readonly events: AsyncIterable<readonly WatchEvent[]> };

/** What was thrown, as the server says it. What is no refusal is a fault of ours. */
export function answerTo(error: unknown): Answer {
  if (error instanceof Refusal) return { status: error.status, body: error.body };
  const message = `Internal error occurred: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  const body: StatusBody = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
  return { status: 500, body };
}
