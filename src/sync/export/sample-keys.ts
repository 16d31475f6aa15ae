/** For tests: keys as the environment gives them. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { ENV } from '../contract.ts';
import { type Keys, keysFrom } from './keys.ts';

export function signingPair(): { readonly signing: string; readonly trusted: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    trusted: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

export const encryptionText = (): string => randomBytes(32).toString('base64');

/** A cluster's own, to sign and to encrypt. */
export const sampleKeys = (): Keys =>
  keysFrom({ [ENV.encryptionKey]: encryptionText(), [ENV.signingKey]: signingPair().signing });
