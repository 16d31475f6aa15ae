import { expect, it } from 'vitest';
import { kubeCall } from '../../harness/kube-call.ts';

const cases: readonly [string, string][] = [
  ['GET /api/v1/persistentvolumes', 'list persistentvolumes'],
  ['GET /api/v1/persistentvolumes?watch=true&resourceVersion=5', 'watch persistentvolumes'],
  ['GET /api/v1/persistentvolumes?watch=1', 'watch persistentvolumes'],
  ['GET /api/v1/persistentvolumes?watch=false', 'list persistentvolumes'],
  ['GET /api/v1/persistentvolumes/pv-1', 'get persistentvolumes pv-1'],
  ['PATCH /api/v1/persistentvolumes/pv-1/status', 'patch persistentvolumes pv-1 /status'],
  ['POST /api/v1/namespaces/default/pods', 'create pods in default'],
  ['GET /api/v1/namespaces', 'list namespaces'],
  ['GET /api/v1/namespaces/default', 'get namespaces default'],
  ['PUT /api/v1/namespaces/default/finalize', 'update namespaces default /finalize'],
  ['POST /api/v1/namespaces/n/serviceaccounts/s/token', 'create serviceaccounts s /token in n'],
  ['DELETE /apis/apps/v1/namespaces/n/statefulsets', 'deletecollection statefulsets.apps in n'],
  ['DELETE /apis/apps/v1/namespaces/n/statefulsets/s', 'delete statefulsets.apps s in n'],
  ['PUT /apis/apps/v1/namespaces/n/statefulsets/s/scale', 'update statefulsets.apps s /scale in n'],
  ['GET /readyz', 'get '],
  ['GET /bucket/key', 'get '],
];

it.each(cases)('reads %s as "%s"', (request, meaning) => {
  const [method = '', url = ''] = request.split(' ');
  const { verb, group, resource, name, subresource, namespace } = kubeCall(method, url);
  const words = [
    `${verb} ${resource}${group && `.${group}`}`,
    name,
    subresource && `/${subresource}`,
    namespace && `in ${namespace}`,
  ];
  expect(words.filter((word) => word !== '').join(' ')).toBe(meaning);
});
