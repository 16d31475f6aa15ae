/** Writes objects behind the API server's back, and waits until it has heard of them. */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { eventually } from '../../test/harness/wait.ts';
import type { Entry, EtcdStore } from './etcd-store.ts';

export interface Collection {
  readonly plane: ControlPlane;
  readonly etcd: EtcdStore;
  /** Where the collection is in the API. */
  readonly path: string;
}

/** Resolves when the API server has heard of it all: a reader that comes earlier would be sent the past and the present at once. */
export async function writeBehind({ plane, etcd, path }: Collection, entries: Iterable<Entry>): Promise<void> {
  const revision = await etcd.write(entries);
  await eventually(async () => {
    const { metadata } = await plane.admin.list(`${path}?resourceVersion=0&limit=1`);
    return Number(metadata.resourceVersion) >= revision;
  });
}

export function* numbers(from: number, to: number): Generator<number> {
  for (let number = from; number < to; number++) yield number;
}

/** In a stored object the first is its own: a field of 36 bytes, after which comes the version. */
const UID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
export const FIRST_UID = new RegExp(UID);
export const EVERY_UID = new RegExp(UID, 'g');

/** The uid of a copy: that of its pattern, with the copy's number, of six digits, at its end. */
export const uidOfCopy = (uid: string, number: number): string => uid.slice(0, -6) + String(number).padStart(6, '0');
