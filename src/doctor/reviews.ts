/** Asks the API server whether the account of a job may do what its controller declares. */
import { controllers } from '../controllers.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { LEASES } from '../kit/lead/lease.ts';
import type { Access, Verb } from '../kit/manifests/controller-spec.ts';
import { ELECTION } from '../kit/manifests/rbac.ts';
import type { Right } from './cluster.ts';
import type { Installed } from './writers.ts';

interface Asking {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

/** One question: a verb on one kind, in one place, of one name. */
export interface Question {
  readonly access: Access;
  readonly verb: Verb;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

const AT_ONCE = 8;
const REVIEWS = '/apis/authorization.k8s.io/v1';

/** All that a job declares. Where it elects, its lease as well; Events may be withheld, and then there are none. */
export function questionsOn(installed: Installed): readonly Question[] {
  const controller = controllers.find(({ name }) => name === installed.job);
  if (!controller) return [];
  const accesses: readonly Access[] = [
    ...controller.reads,
    ...controller.writes,
    ...(installed.elects ? [ELECTION] : []),
  ];
  return accesses.flatMap((access) =>
    placesOf(access, installed).flatMap((namespace) =>
      (access.names ?? [undefined]).flatMap((name) => access.verbs.map((verb) => ({ access, verb, namespace, name }))),
    ),
  );
}

function placesOf({ scope = 'cluster' }: Access, installed: Installed): readonly (string | undefined)[] {
  if (scope === 'own') return [installed.namespace];
  return scope === 'chosen' ? installed.secretNamespaces : [undefined];
}

export async function rightsOf(asking: Asking, installed: Installed): Promise<readonly Right[]> {
  const ask = await reviewerOf(asking, installed);
  return await fewAtATime(AT_ONCE, questionsOn(installed), async (question) => ({
    access: question.access,
    verb: question.verb,
    namespace: question.namespace,
    isAllowed: await ask(question),
  }));
}

type Ask = (question: Question) => Promise<boolean>;

/** To ask for another account is a right of its own. Whoever has it not may still ask for itself. */
async function reviewerOf(asking: Asking, { namespace, account }: Installed): Promise<Ask> {
  const user = `system:serviceaccount:${namespace}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const another: Ask = (question) => review(asking, 'subjectaccessreviews', { user, groups }, question);
  const probe: Question = { access: { resource: LEASES, verbs: ['get'] }, verb: 'get' };
  try {
    await another(probe);
    return another;
  } catch (error) {
    if (!hasReason(error, 'Forbidden') || (await ownName(asking)) !== user) throw error;
    return (question) => review(asking, 'selfsubjectaccessreviews', {}, question);
  }
}

async function review(
  { client, signal }: Asking,
  kind: 'subjectaccessreviews' | 'selfsubjectaccessreviews',
  who: object,
  { access: { resource, subresource }, verb, namespace, name }: Question,
): Promise<boolean> {
  const resourceAttributes = {
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
  const answer = await client.raw('POST', `${REVIEWS}/${kind}`, { spec: { ...who, resourceAttributes } }, { signal });
  return Object(Object(answer).status).allowed === true;
}

async function ownName({ client, signal }: Asking): Promise<string> {
  const answer = await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { signal });
  return String(Object(Object(Object(answer).status).userInfo).username ?? '');
}
