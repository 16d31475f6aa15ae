/** How an action ended, as a sentence. Pure. */
import { hasReason } from '../kit/kube/api-error.ts';
import type { ActionResult } from './model.ts';
import { sentence } from './shown.ts';

export const done = (text: string): ActionResult => ({ succeeded: true, sentence: sentence(text) });
export const failed = (text: string): ActionResult => ({ succeeded: false, sentence: sentence(text) });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Of what one write was to do. */
export function whyNothing(error: unknown): string {
  if (hasReason(error, 'Conflict')) return 'nothing was done: somebody else has changed it meanwhile. Look at it again';
  if (hasReason(error, 'Forbidden')) return `nothing was done: you may not do that (${error.detail})`;
  return messageOf(error);
}
