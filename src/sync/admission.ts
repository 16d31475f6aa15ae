/** That there is one PersistentVolumeSync in a cluster. Where there are two all the same, the older one counts: see `reconcile.ts`. */
import type { Singleton } from '../kit/manifests/singletons.ts';
import { PERSISTENT_VOLUME_SYNCS } from './contract.ts';

export const onlyOneSync: Singleton = {
  resource: PERSISTENT_VOLUME_SYNCS,
  sentence:
    'A cluster has one PersistentVolumeSync at most, since two would restore and delete by turns. Change or delete the one that there is:',
};
