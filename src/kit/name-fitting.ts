/** Turns any text into a valid object name, always the same one. */
import { createHash } from 'node:crypto';
import { dnsLabelFault, LONGEST_DNS_LABEL } from './names.ts';

const DIGEST_LENGTH = 12;

/**
 * A text that is a DNS label of at most `longest` characters already comes back as it is. Any other comes back as what can be
 * kept of it and a digest of the whole, so that different texts get different names.
 */
export function fitDnsLabel(text: string, longest = LONGEST_DNS_LABEL): string {
  if (longest < DIGEST_LENGTH || longest > LONGEST_DNS_LABEL) {
    throw new RangeError(`a fitted name has ${DIGEST_LENGTH} to ${LONGEST_DNS_LABEL} characters, not ${longest}`);
  }
  if (text.length <= longest && dnsLabelFault(text) === undefined) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
  const room = Math.max(0, longest - DIGEST_LENGTH - 1);
  const kept = readablePart(text).slice(0, room).replace(/-$/, '');
  return kept === '' ? digest : `${kept}-${digest}`;
}

function readablePart(text: string): string {
  return text
    .slice(0, 4 * LONGEST_DNS_LABEL)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
}
