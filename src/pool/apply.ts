/** Carries out what was decided, one action at a time. Each carries its precondition, and can be cut off and done again. */
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import { POD_DISRUPTION_BUDGETS } from '../api/pod-disruption-budgets.ts';
import { SECRETS } from '../api/secrets.ts';
import { SERVICES } from '../api/services.ts';
import { STATEFUL_SETS, type StatefulSet } from '../api/stateful-sets.ts';
import { Retry } from '../kit/controller/outcome.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { JsonPatch, KubeClient, WriteOptions } from '../kit/kube/client.ts';
import { apiVersionOf, type KubeObject, type Ref, type Resource } from '../kit/kube/resource.ts';
import { CANCEL_ANNOTATION, FIELD_MANAGER, PV_POOLS, type PvPool, type PvPoolStatus } from './contract.ts';
import { statefulSetNameOf } from './names.ts';
import { budgetOf } from './objects/budget.ts';
import { labelsOf } from './objects/owned.ts';
import { serviceOf } from './objects/service.ts';
import { statefulSetOf } from './objects/stateful-set.ts';
import { tokenSecretOf } from './objects/token-secret.ts';
import type { Action } from './plan.ts';
import type { Seen, SeenClaim, SupportingKind } from './seen.ts';

export interface Writes {
  readonly client: KubeClient;
  /** So many random bytes, in hexadecimal digits. */
  readonly secret: (bytes: number) => string;
  readonly signal: AbortSignal;
}

/** Those that are nothing but a write to the API. */
export type Write = Exclude<Action, { do: 'order' | 'drop' }>;

const TOKEN_BYTES = 32;

/** What was written, where it is an object whose cache has to show it before the next look. */
export interface Written {
  readonly pool?: PvPool;
  readonly set?: StatefulSet;
}

export async function write(writes: Writes, seen: Seen, action: Write): Promise<Written> {
  switch (action.do) {
    case 'create':
      await createSupport(writes, seen.pool, action.kind);
      return {};
    case 'createSet':
      return createSet(writes, seen.pool, action.replicas);
    case 'scaleUp':
      return { set: await setReplicas(writes, seen, action.from, action.to) };
    case 'writeTemplate':
      return { set: await writeTemplate(writes, seen) };
    case 'lowerPartition':
      return { set: await lowerPartition(writes, seen, action.to) };
    case 'growClaim':
      await patchClaim(writes, seen.pool, action.claim, {
        spec: { resources: { requests: { storage: `${action.gib}Gi` } } },
      });
      return {};
    case 'labelClaim':
      await patchClaim(writes, seen.pool, action.claim, { metadata: { labels: labelsOf(seen.pool) } });
      return {};
    case 'ownClaim':
      await patchClaim(writes, seen.pool, action.claim, { metadata: { ownerReferences: owners(seen.pool, action) } });
      return {};
    case 'deleteClaim':
      await deleteClaim(writes, seen.pool, action.claim);
      return {};
    case 'takeCancelAway':
      return { pool: await takeCancelAway(writes, seen.pool) };
  }
}

/** Whoever made it meanwhile has made it: the next look tells whose it is. */
async function created<T extends KubeObject>(
  { client, signal }: Writes,
  resource: Resource<T>,
  object: T,
): Promise<T | undefined> {
  try {
    return await client.create(resource, object, { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    if (hasReason(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

async function createSupport(writes: Writes, pool: PvPool, kind: SupportingKind): Promise<void> {
  if (kind === 'Service') await created(writes, SERVICES, serviceOf(pool));
  else if (kind === 'Secret') await created(writes, SECRETS, tokenSecretOf(pool, writes.secret(TOKEN_BYTES)));
  else await created(writes, POD_DISRUPTION_BUDGETS, budgetOf(pool));
}

async function createSet(writes: Writes, pool: PvPool, replicas: number): Promise<Written> {
  const object = statefulSetOf(pool);
  const set = await created(writes, STATEFUL_SETS, { ...object, spec: { ...object.spec, replicas } });
  return set ? { set } : {};
}

/** Only from as many as were seen, and only of the StatefulSet and the version that were seen. */
export async function setReplicas(
  { client, signal }: Writes,
  seen: Seen,
  from: number,
  to: number,
): Promise<StatefulSet> {
  const { metadata } = setOf(seen);
  const patch: JsonPatch = [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'test', path: '/spec/replicas', value: from },
    { op: 'replace', path: '/spec/replicas', value: to },
  ];
  return versioned(client, STATEFUL_SETS, setRef(seen), patch, { fieldManager: FIELD_MANAGER, signal });
}

/** To a test that fails the server answers as to a patch that is wrong. Whether it was the version is seen by looking. */
async function versioned<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  ref: Ref,
  patch: JsonPatch,
  options: WriteOptions,
): Promise<T> {
  try {
    return await client.jsonPatch(resource, ref, patch, options);
  } catch (error) {
    if (!hasReason(error, 'Invalid')) throw error;
    const now = await client.find(resource, ref, options.signal ? { signal: options.signal } : {});
    const isStill = patch.some(
      ({ path, value }) => path === '/metadata/resourceVersion' && value === now?.metadata.resourceVersion,
    );
    throw isStill ? error : new Retry(`${resource.kind} ${ref.name} has changed meanwhile`, { cause: error });
  }
}

async function writeTemplate({ client, signal }: Writes, seen: Seen): Promise<StatefulSet> {
  return client.update(STATEFUL_SETS, statefulSetOf(seen.pool, setOf(seen)), { fieldManager: FIELD_MANAGER, signal });
}

async function lowerPartition({ client, signal }: Writes, seen: Seen, partition: number): Promise<StatefulSet> {
  const { uid = '', resourceVersion = '' } = setOf(seen).metadata;
  const patch = { spec: { updateStrategy: { rollingUpdate: { partition } } } };
  const options = { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal };
  return client.mergePatch(STATEFUL_SETS, setRef(seen), patch, options);
}

function setOf({ set, pool }: Seen): StatefulSet {
  if (!set) throw new Error(`the pool ${pool.metadata.name} has no StatefulSet that could be written`);
  return set;
}

const setRef = ({ pool: { metadata } }: Seen): Ref => ({
  namespace: metadata.namespace ?? '',
  name: statefulSetNameOf(metadata.name ?? ''),
});

async function patchClaim(
  { client, signal }: Writes,
  { metadata }: PvPool,
  { name, uid, resourceVersion }: SeenClaim,
  patch: object,
): Promise<PersistentVolumeClaim> {
  const options = { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal };
  return client.mergePatch(
    PERSISTENT_VOLUME_CLAIMS,
    { namespace: metadata.namespace ?? '', name },
    { ...patch },
    options,
  );
}

/** Not as its controller: the claims of a StatefulSet belong to whoever made them. */
function owners({ metadata }: PvPool, { claim, owned }: { readonly claim: SeenClaim; readonly owned: boolean }) {
  const { name = '', uid = '' } = metadata;
  const others = claim.owners.filter((owner) => !('uid' in owner && owner.uid === uid));
  return owned ? [...others, { apiVersion: apiVersionOf(PV_POOLS), kind: PV_POOLS.kind, name, uid }] : others;
}

async function deleteClaim({ client, signal }: Writes, { metadata }: PvPool, { name, uid }: SeenClaim): Promise<void> {
  const ref = { namespace: metadata.namespace ?? '', name };
  await client.delete(PERSISTENT_VOLUME_CLAIMS, ref, { preconditions: { uid }, signal });
}

async function takeCancelAway({ client, signal }: Writes, { metadata }: PvPool): Promise<PvPool> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const patch = { metadata: { annotations: { [CANCEL_ANNOTATION]: null } } };
  const options = { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal };
  return client.mergePatch(PV_POOLS, { namespace, name }, patch, options);
}

/** The whole of it, in the version that was seen; or, dry, only the question whether that is still the present one. */
export async function writeStatus(
  { client, signal }: Omit<Writes, 'secret'>,
  { metadata }: PvPool,
  status: PvPoolStatus | undefined,
  dryRun = false,
): Promise<PvPool> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata;
  const patch: JsonPatch = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/status', value: status ?? {} },
  ];
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER, dryRun, signal };
  return versioned(client, PV_POOLS, { namespace, name }, patch, options);
}
