/** Looks at a pool: at what the API says of it, cached or live, and at what each of its agents says by itself, now. */
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PODS } from '../api/pods.ts';
import { SECRETS, type Secret } from '../api/secrets.ts';
import { STATEFUL_SETS, type StatefulSet } from '../api/stateful-sets.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { Known } from '../kit/known.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { type Ref, refOf } from '../kit/kube/resource.ts';
import type { AgentStatus } from '../pool-client/protocol.ts';
import type { Agents } from './agents.ts';
import { POOL_LABEL, PV_POOLS, type PvPool, TOKEN_KEY } from './contract.ts';
import type { PoolMemory } from './memory.ts';
import { budgetNameOf, claimNameOf, podNameOf, serviceNameOf, statefulSetNameOf, tokenSecretNameOf } from './names.ts';
import { belongsTo } from './objects/owned.ts';
import { statefulSetOf } from './objects/stateful-set.ts';
import { addresseeOf } from './plan.ts';
import { refusedPods } from './refused-pods.ts';
import { agentsAsReported } from './reported-agents.ts';
import { type Member, replicasOf, type Seen, type SeenClaim, type SeenPod, type SupportingKind } from './seen.ts';
import { claimOf, type OwnedObject, type PoolViews, podOf } from './views.ts';

export interface LookParts {
  readonly views: PoolViews;
  readonly client: KubeClient;
  readonly agents: Pick<Agents, 'status' | 'isEmpty'>;
  readonly clock: Clock;
}

/** What the API says. */
interface Objects {
  readonly pool: PvPool;
  readonly set: StatefulSet | undefined;
  readonly pods: readonly SeenPod[];
  readonly claims: readonly SeenClaim[];
}

export interface Sight {
  readonly seen: Seen;
  readonly token: string;
}

/** As many agents are asked at the same time. */
const AT_ONCE = 64;

export async function look(parts: LookParts, pool: PvPool, memory: PoolMemory, signal: AbortSignal): Promise<Sight> {
  return sightOf(parts, objectsOf(parts.views, pool), memory, signal);
}

function objectsOf(views: PoolViews, pool: PvPool): Objects {
  const key = `${pool.metadata.namespace}/${pool.metadata.name}`;
  const set = views.sets.get(inNamespace(pool, statefulSetNameOf(nameOf(pool))));
  return { pool, set, pods: views.pods.by('pool', key), claims: views.claims.by('pool', key) };
}

/** Once more, and at the API itself: a cache may be behind, and what follows cannot be taken back. */
export async function lookAgain(
  parts: LookParts,
  { pool }: Seen,
  memory: PoolMemory,
  signal: AbortSignal,
): Promise<Sight> {
  const { client } = parts;
  const ref = refOf(`${pool.metadata.namespace}/${pool.metadata.name}`);
  const [live, set, pods] = await Promise.all([
    client.get(PV_POOLS, ref, { signal }),
    client.find(STATEFUL_SETS, { ...ref, name: statefulSetNameOf(ref.name) }, { signal }),
    livePods(client, ref, signal),
  ]);
  const count = Math.max(set ? replicasOf(set) : 0, live.status?.operation?.from ?? 0);
  const claims = await fewAtATime(
    AT_ONCE,
    Array.from({ length: count }, (_, ordinal) => ordinal),
    async (ordinal) => {
      const name = claimNameOf(ref.name, ordinal);
      const claim = await client.find(PERSISTENT_VOLUME_CLAIMS, { ...ref, name }, { signal });
      return claim ? claimOf(claim) : undefined;
    },
  );
  const objects = { pool: live, set, pods, claims: claims.filter((claim) => claim !== undefined) };
  return sightOf(parts, objects, memory, signal);
}

async function livePods(client: KubeClient, { namespace = '', name }: Ref, signal: AbortSignal) {
  const pods: SeenPod[] = [];
  for await (const page of client.pages(PODS, { namespace, labelSelector: `${POOL_LABEL}=${name}`, signal }))
    pods.push(...page.flatMap((pod) => podOf(pod) ?? []));
  return pods;
}

async function sightOf(parts: LookParts, objects: Objects, memory: PoolMemory, signal: AbortSignal): Promise<Sight> {
  const { client, views } = parts;
  const { pool } = objects;
  const secretRef = { namespace: pool.metadata.namespace ?? '', name: tokenSecretNameOf(nameOf(pool)) };
  const secret = await client.find(SECRETS, secretRef, { signal });
  const token = secret && belongsTo(pool, secret) ? tokenOf(secret) : '';
  return { seen: await seenOf(parts, objects, supportsOf(views, pool, secret), token, memory, signal), token };
}

/**
 * As a person sees it who has no token: the agents are not asked, but taken to be as the operator has reported them, and the Secret is
 * taken to be there.
 */
export async function lookFromOutside(
  parts: Omit<LookParts, 'agents'>,
  pool: PvPool,
  memory: PoolMemory,
  signal: AbortSignal,
): Promise<Seen> {
  const { missing, foreign } = supportsOf(parts.views, pool, undefined);
  const standing = { missing: missing.filter((kind) => kind !== 'Secret'), foreign };
  return seenOf(
    { ...parts, agents: agentsAsReported(pool) },
    objectsOf(parts.views, pool),
    standing,
    '',
    memory,
    signal,
  );
}

type Standing = ReturnType<typeof supportsOf>;

async function seenOf(
  parts: LookParts,
  objects: Objects,
  standing: Standing,
  token: string,
  memory: PoolMemory,
  signal: AbortSignal,
): Promise<Seen> {
  const { clock, views } = parts;
  const { pool, set } = objects;
  const ours = set && belongsTo(pool, set) ? set : undefined;
  const foreignSet = set && !ours ? [`StatefulSet ${set.metadata.name}`] : [];
  const pressure = memory.pressureAt(clock.monotonic());
  const members = await withRefusals(
    parts,
    ours,
    await membersOf(parts, { ...objects, set: ours }, token, signal),
    signal,
  );
  return {
    pool,
    now: clock.now(),
    foreign: [...foreignSet, ...standing.foreign],
    missing: standing.missing,
    ...(ours && { set: ours }),
    isTemplateOld: ours !== undefined && statefulSetOf(pool, ours) !== ours,
    members,
    claims: objects.claims.toSorted((a, b) => a.ordinal - b.ordinal),
    classes: new Map([...views.classes.keys()].flatMap((name) => classEntry(views, name))),
    taken: memory.taken,
    ...(pressure && { pressure }),
  };
}

function classEntry({ classes }: PoolViews, name: string) {
  const found = classes.get(name);
  return found ? [[name, found] as const] : [];
}

const nameOf = ({ metadata: { name = '' } }: PvPool): string => name;
const inNamespace = ({ metadata: { namespace } }: PvPool, name: string): string => `${namespace}/${name}`;

const tokenOf = ({ data }: Secret): string =>
  Buffer.from(data?.[TOKEN_KEY] ?? '', 'base64')
    .toString()
    .trim();

/** What a pool needs beside its StatefulSet: what is not there, and what is somebody else's. */
function supportsOf(views: PoolViews, pool: PvPool, secret: Secret | undefined) {
  const name = nameOf(pool);
  const isOurs = ({ owner }: OwnedObject) => owner === pool.metadata.uid;
  const service = views.services.get(inNamespace(pool, serviceNameOf(name)));
  const budget = views.budgets.get(inNamespace(pool, budgetNameOf(name)));
  const found: readonly (readonly [SupportingKind, string, boolean | undefined])[] = [
    ['Service', serviceNameOf(name), service && isOurs(service)],
    ['Secret', tokenSecretNameOf(name), secret && belongsTo(pool, secret)],
    ['PodDisruptionBudget', budgetNameOf(name), budget && isOurs(budget)],
  ];
  return {
    missing: found.filter(([, , ours]) => ours === undefined).map(([kind]) => kind),
    foreign: found.filter(([, , ours]) => ours === false).map(([kind, its]) => `${kind} ${its}`),
  };
}

async function membersOf(
  parts: LookParts,
  objects: Objects,
  token: string,
  signal: AbortSignal,
): Promise<readonly Member[]> {
  const { pool, set } = objects;
  const ordinals = objects.pods.map(({ name }) => ordinalOf(nameOf(pool), name));
  const count = Math.max(
    set ? replicasOf(set) : 0,
    pool.status?.operation?.from ?? 0,
    ...ordinals.map((one) => one + 1),
  );
  const all = Array.from({ length: count }, (_, ordinal) => ordinal);
  return fewAtATime(AT_ONCE, all, (ordinal) => memberOf(parts, objects, ordinal, token, signal));
}

/** Where all pods are there nobody is asked. */
async function withRefusals(
  { client, clock }: LookParts,
  set: StatefulSet | undefined,
  members: readonly Member[],
  signal: AbortSignal,
): Promise<readonly Member[]> {
  if (!set || !members.slice(0, replicasOf(set)).some(({ pod }) => pod === undefined)) return members;
  const refusals = await refusedPods(client, set, clock.now(), signal);
  return members.map((member) => {
    const refusal = member.pod ? undefined : refusals.get(member.name);
    return refusal === undefined ? member : { ...member, refusal };
  });
}

/** A pod of another name is nobody's member. */
function ordinalOf(pool: string, pod: string): number {
  const prefix = `${statefulSetNameOf(pool)}-`;
  const ordinal = pod.startsWith(prefix) ? Number(pod.slice(prefix.length)) : Number.NaN;
  return Number.isSafeInteger(ordinal) && podNameOf(pool, ordinal) === pod && ordinal < MOST_ORDINAL ? ordinal : -1;
}

/** More than any pool may have; a pod that somebody named so is not asked for a million members. */
const MOST_ORDINAL = 2_000;

async function memberOf(
  { agents }: LookParts,
  { pool, set, pods, claims }: Objects,
  ordinal: number,
  token: string,
  signal: AbortSignal,
): Promise<Member> {
  const name = podNameOf(nameOf(pool), ordinal);
  const pod = pods.find((each) => each.name === name);
  const claim = claims.find((each) => each.ordinal === ordinal);
  // The token is told to nobody else, whatever their pod is called.
  const isOurs = pod !== undefined && set !== undefined && pod.setUid === set.metadata.uid;
  const to = isOurs ? addresseeOf({ name, pod }) : undefined;
  const agent: Known<AgentStatus> = to ? await agents.status(to, token, signal) : NO_ADDRESS;
  const isToBeListed = to && agent.known && agent.value.state === 'Decommissioned' && agent.value.blobs !== undefined;
  const isListedEmpty = isToBeListed ? await agents.isEmpty(to, token, signal) : NOT_ASKED;
  return { ordinal, name, ...(pod && { pod }), ...(claim && { claim }), agent, isListedEmpty };
}

const NO_ADDRESS = { known: false, why: 'its pod does not run or has no address' } as const;
const NOT_ASKED = { known: false, why: 'it was not asked for its listing' } as const;
