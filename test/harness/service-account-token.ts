/** Signs a service account token as the API server itself would, with a lifetime of choice. */
import { sign } from 'node:crypto';
import { SERVICE_ACCOUNT_ISSUER } from './control-plane-flags.ts';
import type { AccountIdentity } from './users.ts';

export function mintToken(privateKey: string, { namespace, name, uid }: AccountIdentity, seconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: SERVICE_ACCOUNT_ISSUER,
    aud: [SERVICE_ACCOUNT_ISSUER],
    sub: `system:serviceaccount:${namespace}:${name}`,
    iat: now,
    nbf: now,
    exp: now + seconds,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  };
  const content = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
