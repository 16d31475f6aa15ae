/** PersistentVolumes. What they are made of never changes. */
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt } from '../api-object.ts';
import { builtIn } from './built-in.ts';
import { AGE, accessModes, at, column, NAME, wide } from './columns.ts';
import { persistentVolumeFaults } from './persistent-volume-faults.ts';

const PHASE = ['status', 'phase'];

function defaulted(object: ApiObject): ApiObject {
  const reclaimed = withDefaultAt(object, ['spec', 'persistentVolumeReclaimPolicy'], 'Retain');
  const moded = withDefaultAt(reclaimed, ['spec', 'volumeMode'], 'Filesystem');
  return valueAt(moded, 'spec', 'hostPath') === undefined
    ? moded
    : withDefaultAt(moded, ['spec', 'hostPath', 'type'], '');
}

function statusOf(object: ApiObject): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : textAt(object, ...PHASE);
}

function claimOf(object: ApiObject): string {
  const claim = valueAt(object, 'spec', 'claimRef');
  return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
}

/** Annotations said the class before there was a field for it. */
const classOf = (object: ApiObject): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
  textAt(object, 'spec', 'storageClassName');

export const persistentVolumes = builtIn({
  resource: PERSISTENT_VOLUMES,
  shortNames: ['pv'],
  hasStatus: true,
  returnsDeleted: true,
  defaulted,
  begun: (object) => ({
    ...object,
    status: { phase: 'Pending', lastPhaseTransitionTime: object.metadata.creationTimestamp },
  }),
  faults: persistentVolumeFaults,
  columns: [
    NAME,
    column('Capacity', at('spec.capacity.storage')),
    column('Access Modes', (object) => accessModes(listAt(object, 'spec', 'accessModes'))),
    column('Reclaim Policy', at('spec.persistentVolumeReclaimPolicy')),
    column('Status', statusOf),
    column('Claim', claimOf),
    column('StorageClass', classOf),
    column('VolumeAttributesClass', at('spec.volumeAttributesClassName', '<unset>')),
    column('Reason', at('status.reason')),
    AGE,
    wide('VolumeMode', at('spec.volumeMode', '<unset>')),
  ],
});
