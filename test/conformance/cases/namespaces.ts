import { aMap } from '../objects.ts';
import { type Cases, get, mergePatch, post, remove } from '../steps.ts';

/** Namespaces, and what happens in them. */
export const namespaces: Cases = {
  'a namespace is active, and has a label with its name': [
    get('namespaces/{case}'),
    mergePatch('namespaces/{case}', { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } }),
    mergePatch('namespaces/{case}', { metadata: { labels: null } }),
  ],
  'nothing is created in a namespace that is not there': [
    post('/api/v1/namespaces/{case}-none/configmaps', aMap('a')),
    post('/apis/coordination.k8s.io/v1/namespaces/{case}-none/leases', aMap('a')),
  ],
  'some namespaces cannot be deleted': [
    remove('namespaces/default'),
    remove('namespaces/kube-system'),
    remove('namespaces/kube-public'),
  ],
  'namespaces are not deleted as a collection': [remove('namespaces')],
};
