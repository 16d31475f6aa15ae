/** What stores that we make ourselves have to know: when a condition holds, and which key comes first. */
import type { PutOptions } from './store.ts';

/** `etag` is that of what is there now; nothing when nothing is. */
export function conditionHolds(etag: string | undefined, condition: PutOptions['condition']): boolean {
  if (condition === undefined) return true;
  return 'absent' in condition ? etag === undefined : etag === condition.etag;
}

export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
