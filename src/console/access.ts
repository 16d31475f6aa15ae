/** Who a token belongs to and what they may see: asked of the cluster, and remembered for half a minute. */
import { createHash } from 'node:crypto';
import type { Clock } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { type RateLimit, RateLimiter } from '../kit/kube/rate-limit.ts';
import { BoundedMap } from '../kit/observe/bounded-map.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller, Door } from './door.ts';
import type { Refusal } from './guard.ts';
import type { Namespaces, Rights } from './rights.ts';

export interface TokenDoorOptions {
  readonly clock: Clock;
  /** A client that says who it is by this token, and by nothing else. */
  readonly clientFor: (token: string) => KubeClient;
}

/** As the cluster tells it, to be told to the cluster again. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const REMEMBERED_MS = 30_000;
/** Those whom the cluster knows are remembered apart from those whom it does not: who tries one token after another pushes only themselves out. */
const MOST_CALLERS = 500;
/** Each question about a token is some requests to the API server. Of tokens that are not remembered so many are asked about at a time, and in a second. */
const MOST_AT_A_TIME = 16;
const NEW_TOKENS: RateLimit = { perSecond: 5, burst: 50 };
const AT_ONCE = 8;
/** More namespaces than that are not asked about one by one: what is in the others is not shown. */
const MOST_NAMESPACES = 500;
const LONGEST_TOKEN = 16 * 1024;

const NO_TOKEN: Refusal = {
  status: 401,
  problem: 'This console wants a token of the cluster: kubectl create token NAME makes one for a service account.',
};
const WRONG_TOKEN: Refusal = { status: 401, problem: 'The cluster does not know this token, or it has expired.' };
const TOO_MANY: Refusal = {
  status: 503,
  problem: 'Too many new tokens are brought to this console at this moment: ask again.',
  retryAfterS: 2,
};

interface Remembered<T> {
  readonly until: number;
  readonly answer: T;
}

export class TokenDoor implements Door {
  readonly wantsToken = true;
  readonly #options: TokenDoorOptions;
  /** Those who are asked about again when it is older are not new. */
  readonly #callers = new BoundedMap<string, Remembered<Caller>>(MOST_CALLERS);
  readonly #strangers = new BoundedMap<string, Remembered<Refusal>>(MOST_CALLERS);
  readonly #asked = new Map<string, Promise<Caller | Refusal>>();
  readonly #newTokens: RateLimiter;
  /** How many that are new are asked about now. */
  #newAtATime = 0;

  constructor(options: TokenDoorOptions) {
    this.#options = options;
    this.#newTokens = new RateLimiter(options.clock, NEW_TOKENS);
  }

  async callerIn(cluster: ConsoleCluster, authorization: string | undefined): Promise<Caller | Refusal> {
    const token = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined || token.length > LONGEST_TOKEN) return NO_TOKEN;
    const key = `${cluster.name}:${createHash('sha256').update(token).digest('base64')}`;
    const known = this.#callers.get(key);
    const remembered = known ?? this.#strangers.get(key);
    if (remembered && remembered.until > this.#options.clock.monotonic()) return remembered.answer;
    const asked = this.#asked.get(key);
    if (asked) return asked;
    if (!known && !this.#mayAskOfNew()) return TOO_MANY;
    const asking = this.#ask(cluster, token, key, known === undefined);
    this.#asked.set(key, asking);
    return asking;
  }

  #mayAskOfNew(): boolean {
    return this.#newAtATime < MOST_AT_A_TIME && this.#newTokens.tryTake();
  }

  async #ask(cluster: ConsoleCluster, token: string, key: string, isNew: boolean): Promise<Caller | Refusal> {
    const share = isNew ? 1 : 0;
    this.#newAtATime += share;
    try {
      const user = await userOf(cluster.client, token);
      if (!user) return this.#isStranger(key);
      const rights = await rightsOf(cluster, user);
      const caller = { user: user.username, rights, client: this.#options.clientFor(token) };
      this.#callers.set(key, this.#now(caller));
      return caller;
    } finally {
      this.#newAtATime -= share;
      this.#asked.delete(key);
    }
  }

  #isStranger(key: string): Refusal {
    this.#callers.delete(key);
    this.#strangers.set(key, this.#now(WRONG_TOKEN));
    return WRONG_TOKEN;
  }

  #now<T>(answer: T): Remembered<T> {
    return { until: this.#options.clock.monotonic() + REMEMBERED_MS, answer };
  }
}

async function userOf(client: KubeClient, token: string): Promise<User | undefined> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token },
  };
  const answer = (await client.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)) as {
    readonly status?: { readonly authenticated?: boolean; readonly user?: User };
  };
  return answer.status?.authenticated === true && answer.status.user?.username ? answer.status.user : undefined;
}

interface Question {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

async function rightsOf(cluster: ConsoleCluster, user: User): Promise<Rights> {
  const { views, client } = cluster;
  const may = (question: Question) => mayList(client, user, question);
  const everywhere = (group: string, resource: string) => may({ group, resource });
  const [volumes, nodes, syncs] = await fewAtATime(AT_ONCE, CLUSTER_WIDE, ([group, resource]) =>
    everywhere(group, resource),
  );
  const namespacesOf = (keys: Iterable<string>) => new Set([...keys].map((key) => key.split('/')[0] ?? ''));
  const inNamespaces = async (group: string, resource: string, among: ReadonlySet<string>): Promise<Namespaces> => {
    if (await everywhere(group, resource)) return 'all';
    const asked = [...among].slice(0, MOST_NAMESPACES);
    const answers = await fewAtATime(AT_ONCE, asked, (namespace) => may({ group, resource, namespace }));
    return new Set(asked.filter((_, index) => answers[index]));
  };
  return {
    volumes: volumes ?? false,
    nodes: nodes ?? false,
    syncs: syncs ?? false,
    reports: await inNamespaces('', 'configmaps', namespacesOf(views.reports.keys())),
    pods: await inNamespaces(
      '',
      'pods',
      namespacesOf([
        ...views.topology.pods.keys(),
        ...views.topology.waiting.keys(),
        ...views.topology.claims.keys(),
        ...views.claims.keys(),
      ]),
    ),
    pools: await inNamespaces('pvpool.noobaa.com', 'pvpools', namespacesOf(views.pools.keys())),
  };
}

const CLUSTER_WIDE = [
  ['', 'persistentvolumes'],
  ['', 'nodes'],
  ['storage.cndev.nl', 'persistentvolumesyncs'],
] as const;

async function mayList(client: KubeClient, user: User, { group, resource, namespace }: Question): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...(uid && { uid }),
      ...(groups && { groups }),
      ...(extra && { extra }),
      resourceAttributes: { verb: 'list', group, resource, ...(namespace !== undefined && { namespace }) },
    },
  };
  const answer = (await client.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review)) as {
    readonly status?: { readonly allowed?: boolean };
  };
  return answer.status?.allowed === true;
}

/** Who the console itself is, for the audit lines of what is done on loopback. */
export async function ownUser(client: KubeClient): Promise<string | undefined> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const answer = (await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review)) as {
    readonly status?: { readonly userInfo?: { readonly username?: string } };
  };
  return answer.status?.userInfo?.username;
}
