import { aMap } from '../objects.ts';
import { type Cases, mergePatch, patchAs, post, put, remove } from '../steps.ts';

const typed = (type: string, body: unknown) => post('configmaps', body, { 'content-type': type });

/** What goes wrong before anybody looks at an object. */
export const protocol: Cases = {
  'not every method is allowed': [
    put('configmaps', aMap('a')),
    post('configmaps/a', aMap('a')),
    mergePatch('configmaps', {}),
    remove('/api/v1/configmaps'),
    post('/api/v1/pods', {}),
    post('/apis/apps/v1/namespaces/{case}/statefulsets/a/scale', {}),
    remove('/apis/apps/v1/namespaces/{case}/statefulsets/a/status'),
  ],
  'bodies are of a known type': [
    typed('text/plain', aMap('a')),
    typed('application/xml', '<a/>'),
    typed('application/json; charset=utf-8', aMap('a')),
    post('configmaps', aMap('b'), { 'content-type': '' }),
  ],
  'bodies may be YAML': [
    typed('application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n'),
    typed('application/yaml', 'metadata:\n  name: b\ndata:\n  x: yes\n'),
  ],
  'a patch is not of the type of an object': [
    post('configmaps', aMap('a')),
    patchAs('application/json', 'configmaps/a', {}),
    patchAs('application/yaml', 'configmaps/a', {}),
  ],
  'bodies are JSON': [
    post('configmaps', '{'),
    post('configmaps', 'nonsense'),
    post('configmaps', '{"metadata": {"name": "a"}} trailing'),
    post('configmaps', '[]'),
    post('configmaps', '"text"'),
    post('configmaps', 'null'),
    post('configmaps', ''),
    put('configmaps/a', '{'),
  ],
  'an object is made of the types that it should be': [
    post('configmaps', { metadata: 'a' }),
    post('configmaps', { metadata: { name: 1 } }),
    post('configmaps', { metadata: { name: 'a', labels: [] } }),
    post('configmaps', { metadata: { name: 'a' }, data: 'x' }),
    post('pods', { metadata: { name: 'a' }, spec: { containers: {} } }),
    post('leases', { metadata: { name: 'a' }, spec: { leaseDurationSeconds: 1.5 } }),
  ],
};
