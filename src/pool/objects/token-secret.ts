/** The Secret with the token of a pool, by which its agents know each other, the operator, and those who may read and write. */
import { SECRETS, type Secret } from '../../api/secrets.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';
import { type PvPool, TOKEN_KEY } from '../contract.ts';
import { tokenSecretNameOf } from '../names.ts';
import { nameOf, ownedMetadata } from './owned.ts';

export const tokenSecretOf = (pool: PvPool, token: string): Secret & { readonly type: string } => ({
  apiVersion: apiVersionOf(SECRETS),
  kind: SECRETS.kind,
  metadata: ownedMetadata(pool, tokenSecretNameOf(nameOf(pool))),
  type: 'Opaque',
  data: { [TOKEN_KEY]: Buffer.from(token).toString('base64') },
});
