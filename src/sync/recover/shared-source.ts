/** Where the data of a volume is, of the kinds of volumes that rules of mapping can move: two of them may become one by that. */

import type { Mappings } from '../contract.ts';
import { type Mappable, mappedVolume } from './mapping.ts';

export type MovableSource = Pick<Mappable, 'nfs' | 'csi'>;

/** As an API server may have it. */
interface Unchecked {
  readonly nfs?: Partial<MovableSource['nfs']>;
  readonly csi?: Partial<MovableSource['csi']>;
}

/** Nothing of a volume of another kind: no rule changes where its data is. */
export function movableSource({ nfs, csi }: Unchecked): MovableSource | undefined {
  if (csi?.driver && csi.volumeHandle) return { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } };
  if (nfs?.server && nfs.path) return { nfs: { server: nfs.server, path: nfs.path } };
  return undefined;
}

/** One text for one place, whichever way it is written: names of hosts have no case, and slashes more than one are one. */
export function sourceKey({ nfs, csi }: MovableSource): string {
  if (csi) return `csi\n${csi.driver}\n${csi.volumeHandle}`;
  return `nfs\n${nfs?.server.toLowerCase()}\n${nfs?.path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')}`;
}

export const mappedKey = (source: MovableSource, mappings: Mappings | undefined): string =>
  sourceKey(mappedVolume(source, mappings));
