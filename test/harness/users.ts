/** Users with chosen rights: service accounts with RBAC rules and tokens, and plain users with certificates. */
import type { Certificate } from '../../src/kit/certificates.ts';
import type { Credentials } from './control-plane-files.ts';
import { RawClient, type RawObject } from './raw-client.ts';
import { mintToken } from './service-account-token.ts';
import { eventually } from './wait.ts';

/** As in rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface ServiceAccountOptions {
  readonly name: string;
  readonly namespace?: string;
  /** Granted by a ClusterRole, everywhere. */
  readonly clusterRules?: readonly PolicyRule[];
  /** Granted by a Role in each namespace. */
  readonly namespaceRules?: Readonly<Record<string, readonly PolicyRule[]>>;
  readonly token?: TokenOptions;
}

export interface TokenOptions {
  /** The API server grants 10 minutes at least. */
  readonly expirationSeconds?: number;
  /** The token dies with this object; a Pod's token also names the Pod's node. */
  readonly boundTo?: { readonly kind: 'Pod' | 'Secret' | 'Node'; readonly name: string; readonly uid: string };
}

/** As in authorization.k8s.io/v1 SelfSubjectAccessReview. */
export type Question =
  | {
      readonly verb: string;
      readonly group?: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly verb: string; readonly path: string };

/** The part of a control plane that users are made in. */
export interface Realm {
  readonly url: string;
  readonly ca: string;
  readonly admin: RawClient;
  readonly credentials: Credentials;
}

/** Makes the account with its roles and bindings, and waits until the rights are in force. */
export async function createServiceAccount(realm: Realm, options: ServiceAccountOptions): Promise<ServiceAccount> {
  const { name, namespace = 'default', clusterRules = [], namespaceRules = {}, token } = options;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const { metadata } = await realm.admin.post(path, { metadata: { name } });
  const subject: Subject = { kind: 'ServiceAccount', namespace, name };
  if (clusterRules.length > 0) await grant(realm.admin, subject, clusterRules);
  for (const [where, rules] of Object.entries(namespaceRules)) await grant(realm.admin, subject, rules, where);

  const account = new ServiceAccount(realm, { name, namespace, uid: metadata.uid });
  await account.rotate(token);
  for (const rule of clusterRules) await inForce(account, rule);
  for (const [where, rules] of Object.entries(namespaceRules)) {
    for (const rule of rules) await inForce(account, rule, where);
  }
  return account;
}

/** A certificate with which a client is this user, in these groups. */
export function userCertificate(realm: Realm, name: string, groups: readonly string[] = []): Certificate {
  return realm.credentials.authority.issueClient({ commonName: name, organizations: groups });
}

export interface AccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export class ServiceAccount implements AsyncDisposable {
  readonly identity: AccountIdentity;
  /** Acts as this account, always with the newest token. */
  readonly client: RawClient;
  readonly #realm: Realm;
  #token = '';

  constructor(realm: Realm, identity: AccountIdentity) {
    this.identity = identity;
    this.#realm = realm;
    this.client = new RawClient({ url: realm.url, ca: realm.ca, token: () => this.#token });
  }

  get token(): string {
    return this.#token;
  }

  get username(): string {
    return `system:serviceaccount:${this.identity.namespace}:${this.identity.name}`;
  }

  /** Gets a new token by TokenRequest. The one before stays valid until it expires or what it is bound to is deleted. */
  async rotate({ expirationSeconds = 3600, boundTo }: TokenOptions = {}): Promise<string> {
    const { namespace, name } = this.identity;
    const boundObjectRef = boundTo && { apiVersion: 'v1', ...boundTo };
    const answer = await this.#realm.admin.post<RawObject & { status: { token: string } }>(
      `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      { spec: { expirationSeconds, ...(boundObjectRef && { boundObjectRef }) } },
    );
    this.#token = answer.status.token;
    return this.#token;
  }

  /**
   * A token that the API server did not grant but takes for its own, with a lifetime shorter than it grants. It
   * tolerates a minute of clock skew and remembers a good token for ten seconds; -120 gives one expired at once.
   */
  mint(expirationSeconds: number): string {
    return mintToken(this.#realm.credentials.serviceAccountKey.privateKey, this.identity, expirationSeconds);
  }

  async can(question: Question): Promise<boolean> {
    const attributes =
      'path' in question ? { nonResourceAttributes: question } : { resourceAttributes: { group: '', ...question } };
    const review = await this.client.post<RawObject & { status: { allowed: boolean } }>(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: attributes },
    );
    return review.status.allowed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }
}

type Subject = { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string };

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** A role and its binding, both named after the account. */
async function grant(
  admin: RawClient,
  subject: Subject,
  rules: readonly PolicyRule[],
  namespace?: string,
): Promise<void> {
  const metadata = { name: `${subject.namespace}-${subject.name}` };
  const scope = namespace === undefined ? RBAC : `${RBAC}/namespaces/${namespace}`;
  const [role, roles, bindings] =
    namespace === undefined
      ? ['ClusterRole', 'clusterroles', 'clusterrolebindings']
      : ['Role', 'roles', 'rolebindings'];
  await admin.post(`${scope}/${roles}`, { metadata, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role, name: metadata.name };
  await admin.post(`${scope}/${bindings}`, { metadata, roleRef, subjects: [subject] });
}

/** The authorizer learns of roles and bindings a moment after they are made. */
async function inForce(account: ServiceAccount, rule: PolicyRule, namespace?: string): Promise<void> {
  const question = exampleOf(rule, namespace);
  await eventually(() => account.can(question), {
    for: `${account.username} to be allowed ${JSON.stringify(question)}`,
  });
}

function exampleOf(rule: PolicyRule, namespace?: string): Question {
  const verb = rule.verbs[0] ?? '*';
  const path = rule.nonResourceURLs?.[0];
  if (path !== undefined) return { verb, path };
  const [resource = '*', subresource] = rule.resources?.[0]?.split('/') ?? [];
  const name = rule.resourceNames?.[0];
  return {
    verb,
    group: rule.apiGroups?.[0] ?? '',
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}
