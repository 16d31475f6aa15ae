/** PersistentVolumeClaims. All that changes of one, once it is made, is how much it asks for. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt, withValueAt } from '../api-object.ts';
import { notInSandbox } from '../server/refusals.ts';
import { builtIn } from './built-in.ts';
import { AGE, accessModes, at, column, NAME, wide } from './columns.ts';
import { claimFaults } from './persistent-volume-claim-faults.ts';

const isBound = (object: ApiObject): boolean => textAt(object, 'spec', 'volumeName') !== '';

const statusOf = (object: ApiObject): string =>
  object.metadata.deletionTimestamp ? 'Terminating' : textAt(object, 'status', 'phase');

const classOf = (object: ApiObject): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
  textAt(object, 'spec', 'storageClassName');

const SOURCES = ['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'];

/** Only claims and snapshots are filled from, and not here; another source is left out without a word. */
function withoutStrangeSource(object: ApiObject): ApiObject {
  const source = valueAt(object, 'spec', 'dataSource');
  const isKnown = SOURCES.includes(`${textAt(source, 'apiGroup')}/${textAt(source, 'kind')}`);
  if (isKnown || valueAt(object, 'spec', 'dataSourceRef') !== undefined)
    throw notInSandbox('claims that are filled from something');
  return source === undefined ? object : withValueAt(object, ['spec', 'dataSource'], undefined);
}

export const persistentVolumeClaims = builtIn({
  resource: PERSISTENT_VOLUME_CLAIMS,
  shortNames: ['pvc'],
  hasStatus: true,
  returnsDeleted: true,
  defaulted: (object) => withDefaultAt(object, ['spec', 'volumeMode'], 'Filesystem'),
  begun: (object) => ({ ...withoutStrangeSource(object), status: { phase: 'Pending' } }),
  faults: claimFaults,
  columns: [
    NAME,
    column('Status', statusOf),
    column('Volume', at('spec.volumeName')),
    column('Capacity', (object) => (isBound(object) ? textAt(object, 'status', 'capacity', 'storage') : '')),
    column('Access Modes', (object) => (isBound(object) ? accessModes(listAt(object, 'status', 'accessModes')) : '')),
    column('StorageClass', classOf),
    column('VolumeAttributesClass', at('spec.volumeAttributesClassName', '<unset>')),
    AGE,
    wide('VolumeMode', at('spec.volumeMode', '<unset>')),
  ],
});
