/** Namespaces. One that is deleted is there until its finalizers are gone, which is when it is empty. */
import { NAMESPACES } from '../../api/namespaces.ts';
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { builtIn, VERBS, withOldStatus } from './built-in.ts';
import { AGE, at, column, NAME } from './columns.ts';
import { dnsLabelFaults } from './name-faults.ts';

const FINALIZER = 'kubernetes';

const labelled = (object: ApiObject): ApiObject =>
  withValueAt(object, ['metadata', 'labels'], {
    ...object.metadata.labels,
    'kubernetes.io/metadata.name': object.metadata.name,
  });

export const namespaces = builtIn({
  resource: NAMESPACES,
  verbs: VERBS.filter((verb) => verb !== 'deletecollection'),
  subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  shortNames: ['ns'],
  hasStatus: true,
  returnsDeleted: true,
  nameFaults: dnsLabelFaults,
  selectable: (object) => ({ 'status.phase': textAt(object, 'status', 'phase'), name: object.metadata.name ?? '' }),
  begun: (object) => ({
    ...object,
    spec: { finalizers: [...new Set([...listAt(object, 'spec', 'finalizers'), FINALIZER])] },
    status: { phase: 'Active' },
  }),
  defaulted: labelled,
  /** Its finalizers are changed through `finalize` only. */
  updated: (object, old) =>
    withOldStatus(withValueAt(object, ['spec', 'finalizers'], valueAt(old, 'spec', 'finalizers')), old),
  marked: (object) => withValueAt(object, ['status', 'phase'], 'Terminating'),
  isHeld: (object) => listAt(object, 'spec', 'finalizers').length > 0,
  columns: [NAME, column('Status', at('status.phase')), AGE],
});
