/**
 * Carries a plan out: one request for each object. What is created is posted, since that is the one write that never takes over what has
 * appeared meanwhile; what is changed or removed is of the version that was seen. It can be cut off at any point and done again.
 */
import { NAMESPACES } from '../../api/namespaces.ts';
import type { PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import { ApiError, hasReason } from '../../kit/kube/api-error.ts';
import { type KubeObject, refOf } from '../../kit/kube/resource.ts';
import { FIELD_MANAGER } from '../contract.ts';
import type { Alteration, Creation, Kind, RecoveryPlan, Removal, Target } from './plan.ts';
import { NotWritten, nameOfTarget, ofLatest, Pass, patch, resourceOf, type Writing, type Written } from './writing.ts';

export async function applyPlan(plan: RecoveryPlan, writing: Writing): Promise<Written> {
  const pass = new Pass(writing, sizeOf(plan));
  const versions = new Map<string, string>();
  await pass.each('disown', plan.disown, async (target) => {
    const { metadata } = await patch(writing, target, target, target.patch);
    versions.set(nameOfTarget(target), metadata.resourceVersion ?? '');
  });
  await makeNamespaces(plan, writing);
  for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
    await pass.each('create', of(kind, plan.create), (target) => create(pass, target));
    await pass.each('change', of(kind, plan.change), (target) => change(writing, latest(target, versions)));
  }
  for (const kind of ['PersistentVolumeClaim', 'PersistentVolume'] as const)
    await pass.each('remove', of(kind, plan.remove), (target) => remove(pass, latest(target, versions)));
  return pass.written;
}

export const sizeOf = ({ disown, create, change, remove }: RecoveryPlan): number =>
  disown.length + create.length + change.length + remove.length;

const of = <T extends Target>(kind: Kind, targets: readonly T[]): readonly T[] =>
  targets.filter((target) => target.kind === kind);

const latest = <T extends Alteration | Removal>(target: T, versions: ReadonlyMap<string, string>): T => {
  const resourceVersion = versions.get(nameOfTarget(target));
  return resourceVersion === undefined ? target : { ...target, resourceVersion };
};

/** One that cannot be made, for whatever reason, is told by the claims that are to go there: the others need not wait for it. */
async function makeNamespaces({ namespaces }: RecoveryPlan, { client, signal, parallel = 32 }: Writing): Promise<void> {
  await fewAtATime(parallel, namespaces, async (name) => {
    try {
      await client.create(NAMESPACES, { metadata: { name } }, { fieldManager: FIELD_MANAGER, signal });
    } catch (error) {
      const isOfOneNamespace = error instanceof ApiError && !hasReason(error, 'Unauthorized');
      if (!isOfOneNamespace || signal.aborted) throw error;
    }
  });
}

async function create(pass: Pass, target: Creation): Promise<void> {
  const { client, signal } = pass.writing;
  requireDone(pass, target);
  await client.createUnread(resourceOf(target), target.make(), { fieldManager: FIELD_MANAGER, signal });
}

/** A claim must not name a volume that somebody else has made meanwhile, and a volume not go while its claim stays. */
function requireDone(pass: Pass, { needs }: { readonly needs?: Target }): void {
  if (needs && pass.hasFailed(nameOfTarget(needs)))
    throw new NotWritten(`it has to wait: ${nameOfTarget(needs)} has failed`);
}

/** Others write to volumes and claims all the time, the binder first of all. What does not depend on that is written to a later version, too. */
async function change(writing: Writing, target: Alteration): Promise<void> {
  if (dependsOnVersion(target)) await patch(writing, target, target, target.patch);
  else await ofLatest(writing, target, target, (identity) => patch(writing, target, identity, target.patch));
}

/** To whom it is bound, what others keep it by, and how large it is, which somebody may have made it larger than. */
const dependsOnVersion = ({ patch: { metadata = {}, spec = {} } }: Alteration): boolean =>
  'finalizers' in metadata || OF_ONE_VERSION.some((field) => field in spec);

const OF_ONE_VERSION = ['claimRef', 'volumeName', 'storageClassName', 'capacity', 'resources'];

async function remove(pass: Pass, target: Removal): Promise<void> {
  const { client, signal } = pass.writing;
  requireDone(pass, target);
  await ofLatest(pass.writing, target, target, async ({ uid, resourceVersion }, object) => {
    const claim = object && anothersClaim(object, target);
    if (claim !== undefined) throw new NotWritten(`${nameOfTarget(target)} was bound to claim ${claim} meanwhile`);
    await requireRetained(pass.writing, target, object);
    await client.delete(resourceOf(target), refOf(target.key), { preconditions: { uid, resourceVersion }, signal });
  });
}

/** The volume itself is asked, not the cache: a claim may have got another one meanwhile, or the policy been changed. */
async function requireRetained({ client, signal }: Writing, target: Removal, latest?: KubeObject): Promise<void> {
  const volume =
    target.kind === 'PersistentVolume'
      ? (latest as PersistentVolume | undefined)
      : await volumeOf({ client, signal }, target, latest);
  const { persistentVolumeReclaimPolicy: policy = 'Retain' } = volume?.spec ?? {};
  if (policy !== 'Retain')
    throw new NotWritten(
      `the data of volume ${volume?.metadata.name} would go with it: its reclaim policy is ${policy}`,
    );
}

async function volumeOf(
  { client, signal }: Pick<Writing, 'client' | 'signal'>,
  { volumeName }: Removal,
  latest?: PersistentVolumeClaim,
): Promise<PersistentVolume | undefined> {
  const name = latest ? latest.spec?.volumeName : volumeName;
  return name ? await client.find(PERSISTENT_VOLUMES, { name }, { signal }) : undefined;
}

/** The claim that a volume is bound to, other than the one that it was seen with. One of the same name may be another one. */
function anothersClaim({ spec }: PersistentVolume, { claimUid }: Removal): string | undefined {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return uid === undefined || uid === claimUid ? undefined : `${namespace}/${name}`;
}
