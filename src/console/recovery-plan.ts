/** What a recovery would do now, as steps that people can read. */
import type { Clock } from '../kit/clock/clock.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { toYaml } from '../kit/yaml.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import type { Keys } from '../sync/export/keys.ts';
import { type LookedUp, lookUp } from '../sync/recover/look-up.ts';
import type { RecoveryPlan as Plan, Target } from '../sync/recover/plan.ts';
import { remedyOf } from '../sync/recover/refusals.ts';
import type { ObjectStore } from '../sync/store/store.ts';
import type { PlanStep, RecoveryPlan } from './model.ts';
import { sentence } from './shown.ts';

/** How a console gets at the object store, where it can. */
export interface StoreAccess {
  readonly open: (provider: string) => Promise<ObjectStore>;
  readonly keys: () => Keys;
}

const NO_STEPS = { counts: { create: 0, change: 0, delete: 0, refuse: 0, same: 0 }, steps: [] };

const noPlan = (problem: string, now: Date): RecoveryPlan => ({
  at: now.toISOString(),
  ...NO_STEPS,
  problem: sentence(problem),
});

export const NO_STORE =
  'this console has no access to the object store: start it with the environment of the operator, or with --secret';

/** As the caller, who has to be allowed to read volumes, claims and namespaces. What stands in the way is told. */
export async function recoveryPlan(
  sync: PersistentVolumeSync,
  store: StoreAccess | undefined,
  { client, clock }: { readonly client: KubeClient; readonly clock: Clock },
  signal: AbortSignal,
): Promise<RecoveryPlan> {
  if (!store) return noPlan(NO_STORE, clock.now());
  try {
    const opened = await store.open(sync.spec.cloudProvider);
    try {
      const site = { sync, store: opened, keys: store.keys(), clock };
      return planOf(await lookUp(client, site, signal, () => {}), clock.now());
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return noPlan(error instanceof Error ? error.message : String(error), clock.now());
  }
}

const MOST_STEPS = 500;
const MOST_LINES = 80;

export function planOf({ found, plan }: Pick<LookedUp, 'found' | 'plan'>, now: Date): RecoveryPlan {
  const { create, change, remove, same, present, refused, held, disown } = plan;
  const heldBack = held ? held.create.length + held.change.length + held.remove.length : 0;
  return {
    at: now.toISOString(),
    export: { key: found.key, exportedAt: found.exportedAt },
    counts: {
      create: create.length,
      change: change.length + disown.length,
      delete: remove.length,
      refuse: refused.length + heldBack,
      same: same.volumes + same.claims + present.length,
    },
    steps: [...stepsOf(plan)].slice(0, MOST_STEPS),
    ...(held && { problem: sentence(`${held.message}. ${held.remedy}`) }),
  };
}

/** What is refused comes first: it is what a person has to know. Objects are made only as far as they are shown. */
function* stepsOf({ create, change, remove, refused, held, disown }: Plan): Generator<PlanStep> {
  const step = (does: PlanStep['does'], { kind, key }: Target) => ({ does, kind, name: key });
  for (const each of refused) {
    const remedy = remedyOf(each);
    yield { ...step('refuse', each), why: sentence(remedy ? `${each.message}. ${remedy}` : each.message) };
  }
  for (const each of held ? [...held.remove, ...held.change, ...held.create] : [])
    yield { ...step('refuse', each), why: sentence(held?.message ?? '') };
  for (const each of remove) yield { ...step('delete', each), why: 'It is no longer in the export.' };
  for (const each of [...disown, ...change])
    yield { ...step('change', each), diff: patchLines(each.patch), why: each.fields.join(', ') };
  let shown = 0;
  for (const each of create)
    yield { ...step('create', each), ...(shown++ < MOST_STEPS && { diff: objectLines(each.make()) }) };
}

const objectLines = (object: object): readonly string[] =>
  bounded(
    toYaml(object)
      .trimEnd()
      .split('\n')
      .map((line) => `+ ${line}`),
  );

/** A line for each field: `+` for what it becomes, and `-` for what goes. */
export function patchLines(patch: object): readonly string[] {
  return bounded(
    [...leaves(patch, '')].map(([path, value]) =>
      value === null ? `- ${path}` : `+ ${path}: ${JSON.stringify(value)}`,
    ),
  );
}

function* leaves(value: object, path: string): Generator<readonly [string, unknown]> {
  for (const [key, inner] of Object.entries(value)) {
    const name = path === '' ? key : `${path}.${key}`;
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) yield* leaves(inner, name);
    else yield [name, inner];
  }
}

const bounded = (lines: readonly string[]): readonly string[] =>
  lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `  … and ${lines.length - MOST_LINES} lines more`]
    : lines;
