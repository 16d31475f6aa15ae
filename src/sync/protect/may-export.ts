/** Whether a cluster could export as its resource says, and no less secretly than the one that it takes over from. Pure. */
import { ENV, type SyncSpec } from '../contract.ts';
import { type Keys, missingKey } from '../export/keys.ts';

const WHOSE = 'Put it into the Secret of the operator of this cluster, and name that with --secret';

/** Why it could not, or should not without a person who says so, and what to do. */
export function whyNotExport(
  { signed, encryption = 'None' }: Pick<SyncSpec, 'signed' | 'encryption'>,
  keys: Keys,
  { wasEncrypted }: { readonly wasEncrypted: boolean },
): string | undefined {
  if (signed && !keys.signing)
    return `${missingKey(ENV.signingKey, 'signing of exports').message} ${WHOSE}; or set spec.signed to false`;
  if (encryption !== 'None' && !keys.encryption)
    return `${missingKey(ENV.encryptionKey, 'encryption of exports').message} ${WHOSE}`;
  if (wasEncrypted && encryption === 'None')
    return 'the exports so far are encrypted, and those of this cluster would not be. Set spec.encryption to AES-256-GCM, or use --allow-plain if everyone who can read the store may read them';
  return undefined;
}
