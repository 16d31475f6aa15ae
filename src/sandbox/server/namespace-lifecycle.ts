/** Nothing is created in a namespace that is not there, or is going; and some namespaces stay. */

import { NAMESPACES } from '../../api/namespaces.ts';
import { valueAt } from '../api-object.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPlugin, Admitted } from './admission.ts';
import { forbidden, notFound } from './refusals.ts';

const LASTING: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceLifecycle = (store: Store): AdmissionPlugin => ({
  /** Before anything else is looked at. */
  mutate: (asked) => {
    if (asked.operation === 'CREATE') checkCreate(asked, store);
    return asked.object;
  },
  check: (asked) => {
    if (asked.operation === 'DELETE') checkDelete(asked);
  },
});

function checkDelete({ target: { kind, name = '' } }: Admitted): void {
  if (kind.resource.plural === 'namespaces' && LASTING.has(name))
    throw forbidden(kind.resource, name, 'this namespace may not be deleted');
}

function checkCreate({ target: { kind, namespace }, object }: Admitted, store: Store): void {
  if (!kind.resource.namespaced || namespace === undefined) return;
  const found = store.collection('namespaces').get(namespace);
  if (!found) throw notFound(NAMESPACES, namespace);
  if (valueAt(found, 'status', 'phase') !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw forbidden(kind.resource, object?.metadata.name ?? '', why, [cause]);
}
