/** Questions that are asked by a POST and change nothing: may I, may he, who am I, whose token is this. */
import type { Resource } from '../../kit/kube/resource.ts';
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import { type FieldError, invalid as invalidValue } from '../schema/field-error.ts';
import { timestamp } from '../server/identifiers.ts';
import { badRequest, invalid } from '../server/refusals.ts';
import type { User } from '../server/target.ts';
import type { Authorizer } from './authorizer.ts';
import type { Attributes, PolicyRule } from './rules.ts';
import type { Tokens } from './tokens.ts';

export interface ReviewContext {
  readonly user: User;
  readonly authorizer: Authorizer;
  readonly tokens: Tokens;
  readonly now: Date;
}

export interface Review {
  readonly resource: Resource;
  /** What it is answered with: what was sent, with a status. Throws a `Refusal` for a question that is none. */
  readonly answer: (sent: ApiObject, context: ReviewContext) => ApiObject;
}

const review = (
  group: string,
  plural: string,
  kind: string,
  namespaced: boolean,
  answer: Review['answer'],
): Review => ({
  resource: { group, version: 'v1', plural, kind, namespaced },
  answer,
});

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

export const REVIEWS: readonly Review[] = [
  review(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false, (sent, context) => {
    check(questionFaults(sent));
    return decided(sent, context.user, context);
  }),
  review(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview', false, (sent, context) => {
    check([...questionFaults(sent), ...subjectFaults(sent)]);
    return decided(sent, subjectOf(sent), context);
  }),
  review(AUTHORIZATION, 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true, (sent, context) => {
    check([...questionFaults(sent), ...subjectFaults(sent), ...placeFaults(sent)]);
    return decided(sent, subjectOf(sent), context);
  }),
  review(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', false, rulesTold),
  review(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview', false, (sent, { user, now }) => ({
    ...sent,
    metadata: { creationTimestamp: timestamp(now) },
    status: { userInfo: userInfo(user) },
  })),
  review(AUTHENTICATION, 'tokenreviews', 'TokenReview', false, tokenReviewed),
];

function decided(sent: ApiObject, user: User, { authorizer }: ReviewContext): ApiObject {
  const { allowed, reason } = authorizer.decide(user, attributesIn(sent));
  return { ...sent, status: { allowed, ...(reason && { reason }) } };
}

/** The server does not say of what kind the question was. */
function check(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: AUTHORIZATION, kind: '' }, '', faults);
}

const RESOURCE = ['spec', 'resourceAttributes'] as const;
const PATH = ['spec', 'nonResourceAttributes'] as const;

function questionFaults(sent: ApiObject): readonly FieldError[] {
  const [resource, path] = [valueAt(sent, ...RESOURCE), valueAt(sent, ...PATH)];
  if (resource !== undefined && path !== undefined)
    return [invalidValue(PATH.join('.'), inGo(path), 'cannot be specified in combination with resourceAttributes')];
  if (resource !== undefined || path !== undefined) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue(RESOURCE.join('.'), null, detail)];
}

function subjectFaults(sent: ApiObject): readonly FieldError[] {
  const { name, groups } = subjectOf(sent);
  if (name !== '' || groups.length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** A question about a namespace is asked in it. */
function placeFaults(sent: ApiObject): readonly FieldError[] {
  const [resource, path] = [valueAt(sent, ...RESOURCE), valueAt(sent, ...PATH)];
  const namespace = textAt(resource, 'namespace');
  const isElsewhere = resource !== undefined && namespace !== sent.metadata.namespace;
  return [
    ...(isElsewhere
      ? [invalidValue('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace')]
      : []),
    ...(path === undefined ? [] : [invalidValue(PATH.join('.'), inGo(path), 'disallowed on this kind of request')]),
  ];
}

/** As the server writes what it has read. */
const inGo = (path: Json): Json => ({ Path: textAt(path, 'path'), Verb: textAt(path, 'verb') });

function attributesIn(sent: ApiObject): Attributes {
  const resource = valueAt(sent, ...RESOURCE);
  const path = valueAt(sent, ...PATH);
  if (resource === undefined) return { verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  const subresource = textAt(resource, 'subresource');
  return {
    verb: textAt(resource, 'verb'),
    group: textAt(resource, 'group'),
    resource: textAt(resource, 'resource'),
    ...(subresource && { subresource }),
    namespace: textAt(resource, 'namespace'),
    name: textAt(resource, 'name'),
  };
}

const subjectOf = (sent: ApiObject): User => ({
  name: textAt(sent, 'spec', 'user'),
  groups: listAt(sent, 'spec', 'groups').map(String),
});

function rulesTold(sent: ApiObject, { user, authorizer }: ReviewContext): ApiObject {
  const namespace = textAt(sent, 'spec', 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = authorizer.rules(user, namespace);
  const isPath = ({ nonResourceURLs }: PolicyRule) => nonResourceURLs.length > 0;
  return {
    ...sent,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter((rule) => !isPath(rule))
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames.length > 0 && { resourceNames }),
        })),
      nonResourceRules: rules.filter(isPath).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    },
  };
}

function tokenReviewed(sent: ApiObject, { tokens }: ReviewContext): ApiObject {
  const token = textAt(sent, 'spec', 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const wanted = listAt(sent, 'spec', 'audiences').map(String);
  const found = tokens.review(token, wanted.length > 0 ? wanted : undefined);
  if ('error' in found) return { ...sent, status: { user: {}, error: found.error } };
  return { ...sent, status: { authenticated: true, user: userInfo(found.user), audiences: found.audiences } };
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
});
