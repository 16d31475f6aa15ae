/** Questions that are asked by a POST and change nothing: may I, may he, who am I, whose token is this. */
import type { Resource } from '../../kit/kube/resource.ts';
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { badRequest } from '../server/refusals.ts';
import type { User } from '../server/target.ts';
import type { Authorizer } from './authorizer.ts';
import type { Attributes, PolicyRule } from './rules.ts';
import { ISSUER, type Tokens } from './tokens.ts';

export interface ReviewContext {
  readonly user: User;
  readonly authorizer: Authorizer;
  readonly tokens: Tokens;
}

export interface Review {
  readonly resource: Resource;
  /** What it is answered with: the same, with a status. */
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
  review(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false, (sent, context) =>
    decided(sent, context.user, context),
  ),
  review(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview', false, (sent, context) =>
    decided(sent, subjectOf(sent), context),
  ),
  review(AUTHORIZATION, 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true, (sent, context) =>
    decided(sent, subjectOf(sent), context),
  ),
  review(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', false, rulesTold),
  review(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview', false, (sent, { user }) => ({
    ...sent,
    status: { userInfo: userInfo(user) },
  })),
  review(AUTHENTICATION, 'tokenreviews', 'TokenReview', false, tokenReviewed),
];

function decided(sent: ApiObject, user: User, { authorizer }: ReviewContext): ApiObject {
  const { allowed, reason } = authorizer.decide(user, attributesIn(sent));
  return { ...sent, status: { allowed, ...(reason && { reason }) } };
}

function attributesIn(sent: ApiObject): Attributes {
  const resource = valueAt(sent, 'spec', 'resourceAttributes');
  const path = valueAt(sent, 'spec', 'nonResourceAttributes');
  if (resource === undefined) {
    if (path === undefined)
      throw badRequest(
        'spec: Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      );
    return { verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  }
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
  const rules = authorizer.rules(user, textAt(sent, 'spec', 'namespace'));
  const isPath = ({ nonResourceURLs }: PolicyRule) => nonResourceURLs.length > 0;
  return {
    ...sent,
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
  const wanted = listAt(sent, 'spec', 'audiences').map(String);
  const asked = wanted.length > 0 ? wanted : [ISSUER];
  const found = asked.map((audience) => tokens.identify(textAt(sent, 'spec', 'token'), audience)).find(Boolean);
  if (!found) return { ...sent, status: { user: {}, error: 'invalid bearer token' } };
  const status = { authenticated: true, user: userInfo(found.user), audiences: found.audiences };
  return { ...sent, status };
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
});
