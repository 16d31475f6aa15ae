/** A token for a service account, as its TokenRequest asks. */
import type { Clock } from '../../kit/clock/clock.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt } from '../api-object.ts';
import { builtIn } from '../kinds/built-in.ts';
import { invalid as invalidValue } from '../schema/field-error.ts';
import { timestamp } from '../server/identifiers.ts';
import { badRequest, invalid, notFound } from '../server/refusals.ts';
import type { Store } from '../store/store.ts';
import { ISSUER, type TokenSubject, type Tokens } from './tokens.ts';

const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const USUAL_SECONDS = 3600;
const TOKEN_REQUEST = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenrequests',
  kind: 'TokenRequest',
  namespaced: true,
};
const BINDABLE = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

/** What is sent to the token of an account. Nothing of it is kept. */
export const tokenRequests = builtIn({
  resource: TOKEN_REQUEST,
  defaulted: (asked) => withDefaultAt(asked, ['spec', 'expirationSeconds'], USUAL_SECONDS),
});

export function answeredTokenRequest(
  account: ApiObject,
  asked: ApiObject,
  tokens: Tokens,
  store: Store,
  clock: Clock,
): ApiObject {
  const seconds = Number(valueAt(asked, 'spec', 'expirationSeconds'));
  const fault = durationFault(seconds);
  if (fault) throw invalid(TOKEN_REQUEST, '', [invalidValue('spec.expirationSeconds', seconds, fault)]);
  const given = listAt(asked, 'spec', 'audiences').map(String);
  const audiences = given.length > 0 ? given : [ISSUER];
  const boundObjectRef = valueAt(asked, 'spec', 'boundObjectRef') ?? null;
  const token = tokens.issue(subjectOf(account, boundObjectRef, store), audiences, seconds);
  const { name = '', namespace = '', uid = '' } = account.metadata;
  const { managedFields = [] } = asked.metadata;
  const now = clock.now();
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: timestamp(now), managedFields },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef },
    status: { token, expirationTimestamp: timestamp(new Date(now.getTime() + seconds * 1000)) },
  };
}

function durationFault(seconds: number): string | undefined {
  if (seconds < LEAST_SECONDS) return 'may not specify a duration less than 10 minutes';
  return seconds > MOST_SECONDS ? 'may not specify a duration larger than 2^32 seconds' : undefined;
}

function subjectOf({ metadata }: ApiObject, ref: unknown, store: Store): TokenSubject {
  const { name = '', namespace = '', uid = '' } = metadata;
  if (ref === null) return { name, namespace, uid };
  const kind = textAt(ref, 'kind');
  if (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')
    throw badRequest(`cannot bind token to object of type ${typeText(textAt(ref, 'apiVersion'))}, Kind=${kind}`);
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

const typeText = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);
