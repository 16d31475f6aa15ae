/** Who a token belongs to and what they may see: asked of the cluster, and remembered for half a minute. */
import { createHash } from 'node:crypto';
import type { Clock } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { KubeClient } from '../kit/kube/client.ts';
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
/** Somebody who tries one token after another is not to be remembered for ever. */
const MOST_CALLERS = 500;
const AT_ONCE = 8;
/** More namespaces than that are not asked about one by one: what is in the others is not shown. */
const MOST_NAMESPACES = 500;
const LONGEST_TOKEN = 16 * 1024;

const NO_TOKEN: Refusal = {
  status: 401,
  problem: 'This console wants a token of the cluster: kubectl create token NAME makes one for a service account.',
};
const WRONG_TOKEN: Refusal = { status: 401, problem: 'The cluster does not know this token, or it has expired.' };

interface Remembered {
  readonly until: number;
  readonly caller: Promise<Caller | Refusal>;
}

export class TokenDoor implements Door {
  readonly wantsToken = true;
  readonly #options: TokenDoorOptions;
  readonly #remembered = new BoundedMap<string, Remembered>(MOST_CALLERS);

  constructor(options: TokenDoorOptions) {
    this.#options = options;
  }

  async callerIn(cluster: ConsoleCluster, authorization: string | undefined): Promise<Caller | Refusal> {
    const token = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined || token.length > LONGEST_TOKEN) return NO_TOKEN;
    const { clock } = this.#options;
    const key = `${cluster.name}:${createHash('sha256').update(token).digest('base64')}`;
    const known = this.#remembered.get(key);
    if (known && known.until > clock.monotonic()) return known.caller;
    const caller = this.#ask(cluster, token);
    this.#remembered.set(key, { until: clock.monotonic() + REMEMBERED_MS, caller });
    caller.catch(() => this.#remembered.delete(key));
    return caller;
  }

  async #ask(cluster: ConsoleCluster, token: string): Promise<Caller | Refusal> {
    const user = await userOf(cluster.client, token);
    if (!user) return WRONG_TOKEN;
    const rights = await rightsOf(cluster, user);
    return { user: user.username, rights, client: this.#options.clientFor(token) };
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
  const reportsIn = namespacesOf(views.reports.keys());
  const reports = await inNamespaces('', 'configmaps', reportsIn);
  return {
    volumes: volumes ?? false,
    nodes: nodes ?? false,
    syncs: syncs ?? false,
    reports: reports === 'all' || reportsIn.isSubsetOf(reports),
    pods: await inNamespaces(
      '',
      'pods',
      namespacesOf([...views.topology.pods.keys(), ...views.topology.waiting.keys()]),
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
