/** A token for a service account, as its TokenRequest asks. */
import type { Clock } from '../../kit/clock/clock.ts';
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { invalid as invalidValue } from '../schema/field-error.ts';
import { timestamp } from '../server/identifiers.ts';
import { badRequest, invalid, notFound } from '../server/refusals.ts';
import type { Store } from '../store/store.ts';
import { ISSUER, type TokenSubject, type Tokens } from './tokens.ts';

const LEAST_SECONDS = 600;
const USUAL_SECONDS = 3600;
const TOKEN_REQUEST = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const BINDABLE = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

export function answeredTokenRequest(
  account: ApiObject,
  asked: ApiObject,
  tokens: Tokens,
  store: Store,
  clock: Clock,
): ApiObject {
  const seconds = Number(valueAt(asked, 'spec', 'expirationSeconds') ?? USUAL_SECONDS);
  if (seconds < LEAST_SECONDS) {
    throw invalid(TOKEN_REQUEST, '', [
      invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'),
    ]);
  }
  const given = listAt(asked, 'spec', 'audiences').map(String);
  const audiences = given.length > 0 ? given : [ISSUER];
  const boundObjectRef = valueAt(asked, 'spec', 'boundObjectRef') ?? null;
  const token = tokens.issue(subjectOf(account, boundObjectRef, store), audiences, seconds);
  const { name = '', namespace = '', uid = '' } = account.metadata;
  const now = clock.now();
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: timestamp(now) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef },
    status: { token, expirationTimestamp: timestamp(new Date(now.getTime() + seconds * 1000)) },
  };
}

function subjectOf({ metadata }: ApiObject, ref: unknown, store: Store): TokenSubject {
  const { name = '', namespace = '', uid = '' } = metadata;
  if (ref === null) return { name, namespace, uid };
  const kind = textAt(ref, 'kind');
  if (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')
    throw badRequest(`cannot bind token for serviceaccount "${name}" to object of kind ${kind}`);
  const plural = BINDABLE[kind];
  const boundName = textAt(ref, 'name');
  const found = store.collection(plural).get(kind === 'Node' ? boundName : `${namespace}/${boundName}`);
  if (!found) throw notFound({ group: '', version: 'v1', plural, kind, namespaced: true }, boundName);
  const boundTo: TokenSubject['boundTo'] = { kind, name: boundName, uid: found.metadata.uid ?? '' };
  const nodeName = kind === 'Pod' ? textAt(found, 'spec', 'nodeName') : '';
  const nodeUid = store.collection('nodes').get(nodeName)?.metadata.uid;
  const node = { name: nodeName, ...(nodeUid && { uid: nodeUid }) };
  return { name, namespace, uid, boundTo, ...(nodeName && { node }) };
}
