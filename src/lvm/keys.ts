/** The keys that volumes are encrypted with. They are read when they are needed, and kept nowhere. */

import { SECRETS } from '../api/secrets.ts';
import { Refuse } from '../kit/controller/outcome.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { SecretName } from './options.ts';
import type { OtherFact } from './reasons.ts';

export interface Keys {
  readonly key: Uint8Array;
  /** The one before, while it is being replaced. */
  readonly previousKey?: Uint8Array | undefined;
  /** Of the Secret: another one may hold other keys. */
  readonly version: string;
}

export async function readKeys(client: KubeClient, name: SecretName, signal: AbortSignal): Promise<Keys> {
  const secret = await client.find(SECRETS, name, { signal });
  const said = `${name.namespace}/${name.name}`;
  if (!secret) throw missing(`there is no Secret ${said}`);
  const key = bytesOf(secret.data?.key);
  if (!key) throw missing(`the Secret ${said} has no data with the name "key"`);
  const previousKey = bytesOf(secret.data?.previousKey);
  const isAnother = previousKey !== undefined && !Buffer.from(previousKey).equals(key);
  return { key, ...(isAnother && { previousKey }), version: secret.metadata.resourceVersion ?? '' };
}

const bytesOf = (base64: string | undefined): Uint8Array | undefined => {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  return bytes.length > 0 ? bytes : undefined;
};

export const cryptsetupIsMissing = (): Refuse =>
  new Refuse({
    fact: 'cryptsetupIsMissing' satisfies OtherFact,
    message: 'the volume is to be encrypted, and the node has no cryptsetup',
    remedy: 'Install cryptsetup on the node',
    recheckMs: 30_000,
  });

const missing = (message: string): Refuse =>
  new Refuse({
    fact: 'keyIsMissing' satisfies OtherFact,
    message,
    remedy: 'Make the Secret that the annotation cryptSecret names',
    recheckMs: 30_000,
  });
