/** Bearer tokens: who has which, and what the tokens of service accounts say and how long they hold. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { textAt } from '../api-object.ts';
import type { JsonMap } from '../json.ts';
import { newUid } from '../server/identifiers.ts';
import type { User } from '../server/target.ts';
import type { Store } from '../store/store.ts';

export const ISSUER = 'https://kubernetes.default.svc';

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The token dies with it. */
  readonly boundTo?: { readonly kind: 'Pod' | 'Secret' | 'Node'; readonly name: string; readonly uid: string };
  /** Of the pod that it is bound to. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

interface Claims {
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': JsonMap;
}

export interface Identified {
  readonly user: User;
  readonly audiences: readonly string[];
}

export class Tokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #secret: string;
  readonly #plain = new Map<string, User>();

  constructor({ store, clock, random }: { readonly store: Store; readonly clock: Clock; readonly random: Random }) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#secret = newUid(random);
  }

  /** A token that says nothing, and holds for as long as the cluster is there. */
  give(user: User): string {
    const token = newUid(this.#random);
    this.#plain.set(token, user);
    return token;
  }

  issue(subject: TokenSubject, audiences: readonly string[], seconds: number): string {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    const { namespace, name, uid, boundTo, node } = subject;
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: ISSUER,
      jti: newUid(this.#random),
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(boundTo && { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } }),
        ...(node && { node }),
      },
    };
    const content = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`;
    return `${content}.${this.#signature(content)}`;
  }

  /** Whose token it is; nothing when it is nobody's, or not any more. */
  identify(token: string): Identified | undefined {
    const found = this.review(token);
    return 'user' in found ? found : undefined;
  }

  /** Whose token it is for one of some audiences, or what is wrong with it. */
  review(token: string, wanted: readonly string[] = [ISSUER]): Identified | { readonly error: string } {
    const plain = this.#plain.get(token);
    if (plain) return wanted.includes(ISSUER) ? { user: plain, audiences: [ISSUER] } : { error: NOBODYS };
    const claims = this.#claims(token);
    if (!claims) return { error: NOBODYS };
    const audiences = wanted.filter((one) => claims.aud.includes(one));
    const fault = audiences.length === 0 ? audienceFault(claims.aud, wanted) : this.#lifeFault(claims);
    return fault ? { error: `[${NOBODYS}, ${fault}]` } : { user: userOf(claims), audiences };
  }

  #claims(token: string): Claims | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${header}.${payload}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
  }

  /** It holds until it expires, or its account or what it is bound to goes. */
  #lifeFault(claims: Claims): string | undefined {
    if (claims.exp * 1000 <= this.#clock.now().getTime()) return 'service account token has expired';
    const about = claims['kubernetes.io'];
    const namespace = textAt(about, 'namespace');
    const isThere = (collection: string, kind: string, prefix: string) => {
      const uid = textAt(about, kind, 'uid');
      const found = this.#store.collection(collection).get(`${prefix}${textAt(about, kind, 'name')}`);
      return uid === '' || found?.metadata.uid === uid;
    };
    if (!isThere('serviceaccounts', 'serviceaccount', `${namespace}/`))
      return `serviceaccounts "${textAt(about, 'serviceaccount', 'name')}" not found`;
    const isBoundToWhatIs =
      isThere('pods', 'pod', `${namespace}/`) &&
      isThere('secrets', 'secret', `${namespace}/`) &&
      (about.pod !== undefined || isThere('nodes', 'node', ''));
    return isBoundToWhatIs ? undefined : 'service account token has been invalidated';
  }

  #signature(content: string): string {
    return createHmac('sha256', this.#secret).update(content).digest('base64url');
  }
}

const NOBODYS = 'invalid bearer token';

const quotedList = (all: readonly string[]): string => `[${all.map((one) => JSON.stringify(one)).join(' ')}]`;

const audienceFault = (has: readonly string[], wanted: readonly string[]): string =>
  `token audiences ${quotedList(has)} is invalid for the target audiences ${quotedList(wanted)}`;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function userOf({ sub, jti, 'kubernetes.io': about }: Claims): User {
  const extras = [
    ['credential-id', `JTI=${jti}`],
    ['node-name', textAt(about, 'node', 'name')],
    ['node-uid', textAt(about, 'node', 'uid')],
    ['pod-name', textAt(about, 'pod', 'name')],
    ['pod-uid', textAt(about, 'pod', 'uid')],
  ] as const;
  const extra = extras
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [`authentication.kubernetes.io/${name}`, [value]]);
  const namespace = textAt(about, 'namespace');
  return {
    ...serviceAccountUser(namespace, sub.split(':').at(-1) ?? ''),
    uid: textAt(about, 'serviceaccount', 'uid'),
    extra: Object.fromEntries(extra),
  };
}

/** As whom a service account acts. */
export const serviceAccountUser = (namespace: string, name: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
