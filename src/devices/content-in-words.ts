/** What people are told is on a device. */
import type { Content } from '../kit/host/content.ts';

/**
 * For people: also what nobody recognises, which is wiped without a question where it may always have been there. Nothing when there
 * is nothing, or it is unknown.
 */
export function contentInWords({ signature, isBlank }: Omit<Content, 'isHeadBlank'>): string | undefined {
  if (!signature.known) return undefined;
  return signature.value ?? (isBlank ? undefined : 'data of a kind that is not recognised');
}
