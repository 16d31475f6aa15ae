/** What people and other programs do to objects in a story. */
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import type { Step } from '../../sandbox/simulate/simulate.ts';
import type { Simulation } from '../../sandbox/simulate/simulation.ts';
import type { Objects } from '../../sandbox/store/objects.ts';

/** If it is there, and is not being deleted. */
export function edit<T extends KubeObject>(
  objects: Objects,
  resource: Resource<T>,
  key: string,
  change: (object: T) => T,
): void {
  const object = objects.get(resource, key);
  if (object && !object.metadata.deletionTimestamp) objects.update(resource, change(object));
}

/** With these labels; one that is undefined is taken away. */
export function relabelled<T extends KubeObject>(object: T, labels: Readonly<Record<string, string | undefined>>): T {
  const all = Object.entries({ ...object.metadata.labels, ...labels });
  const left = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(left) } };
}

export function removeIfThere(objects: Objects, resource: Resource, key: string): void {
  if (objects.get(resource, key)) objects.remove(resource, key);
}

/** At once, or a second after what has the name now is gone. */
export function whenGone(
  { objects, clock }: Pick<Simulation, 'objects' | 'clock'>,
  resource: Resource,
  key: string,
  act: () => void,
): void {
  if (!objects.get(resource, key)) {
    act();
    return;
  }
  const stop = objects.onChange(resource, (change) => {
    if (change.type !== 'DELETED' || change.key !== key) return;
    stop();
    clock.after(1_000, act);
  });
}

/** The same again and again, each time with the number of the time. */
export function repeated(
  ms: number,
  { times, everyMs }: { readonly times: number; readonly everyMs: number },
  what: string,
  act: (time: number) => void,
): readonly Step[] {
  return Array.from({ length: times }, (_, time) => ({ ms: ms + time * everyMs, what, act: () => act(time) }));
}
