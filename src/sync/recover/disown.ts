/**
 * Cuts what the original has tied restored objects to their resource with. That depends on no export: until it is done, whoever deletes the
 * resource in the foreground lets the garbage collector delete all of them.
 */
import { contentOf, type LocalClaims, type LocalVolumes } from './local.ts';
import { untied } from './ownership.ts';
import type { Alteration, Kind } from './plan.ts';
import { ofLatest, Pass, patch, type Writing, type Written } from './writing.ts';

interface Restored {
  readonly volumes: LocalVolumes;
  readonly claims: LocalClaims;
}

/** Those that are tied, whatever becomes of them, also what is being deleted: it must not go because the resource does. */
export const tiedTo = (sync: string, { volumes, claims }: Restored): readonly Alteration[] => [
  ...tiedIn('PersistentVolume', sync, volumes),
  ...tiedIn('PersistentVolumeClaim', sync, claims),
];

function tiedIn(kind: Kind, sync: string, local: LocalVolumes | LocalClaims): readonly Alteration[] {
  return local.keysBy('tied', sync).flatMap((key): readonly Alteration[] => {
    const [object, identity] = [local.get(key), local.identityOf(key)];
    const difference = object && untied(contentOf(object));
    return difference && identity ? [{ kind, key, ...identity, ...difference }] : [];
  });
}

/** What fails is tried again the next time. */
export async function disown(restored: Restored, writing: Writing): Promise<Written> {
  const tied = tiedTo(writing.sync, restored);
  const pass = new Pass(writing, tied.length);
  await pass.each('disown', tied, (target) =>
    ofLatest(writing, target, target, async (identity, object) => {
      const change = object ? untied(object.metadata)?.patch : target.patch;
      if (change) await patch(writing, target, identity, change);
    }),
  );
  return pass.written;
}
