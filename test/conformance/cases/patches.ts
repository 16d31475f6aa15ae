import { aMap, aPod } from '../objects.ts';
import { type Cases, jsonPatch, mergePatch, patchAs, post, strategicPatch } from '../steps.ts';

const pod = aPod('a', {
  containers: [
    {
      name: 'one',
      image: 'a',
      env: [
        { name: 'X', value: '1' },
        { name: 'Y', value: '2' },
      ],
    },
    { name: 'two', image: 'b', args: ['x', 'y'] },
  ],
  tolerations: [{ key: 'a', operator: 'Exists' }],
});

/** Three ways to say what is to change. */
export const patches: Cases = {
  'a merge patch merges maps and replaces lists': [
    post('configmaps', aMap('a', { x: '1', y: '2' }, { finalizers: ['example.com/a'] })),
    mergePatch('configmaps/a', { data: { x: null, z: '3' }, metadata: { finalizers: ['example.com/b'] } }),
    mergePatch('configmaps/a', { data: null }),
    mergePatch('configmaps/a', {}),
  ],
  'a JSON patch is a list of operations': [
    post('configmaps', aMap('a', { x: '1', y: '2' }, { labels: { 'a/b': 'c' } })),
    jsonPatch('configmaps/a', [
      { op: 'test', path: '/data/x', value: '1' },
      { op: 'add', path: '/data/z', value: '3' },
      { op: 'remove', path: '/data/y' },
      { op: 'replace', path: '/metadata/labels/a~1b', value: 'd' },
      { op: 'copy', from: '/data/z', path: '/data/w' },
      { op: 'move', from: '/data/x', path: '/data/v' },
    ]),
    jsonPatch('configmaps/a', [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/a'] }]),
    jsonPatch('configmaps/a', [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' }]),
    jsonPatch('configmaps/a', [{ op: 'remove', path: '/metadata/finalizers/0' }]),
    jsonPatch('configmaps/a', []),
  ],
  'a JSON patch that cannot be applied is refused': [
    post('configmaps', aMap('a', { x: '1' })),
    jsonPatch('configmaps/a', [{ op: 'test', path: '/data/x', value: '2' }]),
    jsonPatch('configmaps/a', [{ op: 'test', path: '/data/none', value: '2' }]),
    jsonPatch('configmaps/a', [{ op: 'remove', path: '/data/none' }]),
    jsonPatch('configmaps/a', [{ op: 'replace', path: '/data/none', value: '1' }]),
    jsonPatch('configmaps/a', [{ op: 'add', path: '/none/deeper', value: '1' }]),
    jsonPatch('configmaps/a', [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/a' }]),
  ],
  'a JSON patch has to be one': [
    post('configmaps', aMap('a', { x: '1' })),
    jsonPatch('configmaps/a', { op: 'remove', path: '/data' }),
    jsonPatch('configmaps/a', [{ op: 'twist', path: '/data' }]),
    jsonPatch('configmaps/a', [{ path: '/data' }]),
    jsonPatch('configmaps/a', [{ op: 'remove' }]),
    jsonPatch('configmaps/a', 'nonsense'),
  ],
  'a merge patch has to be one': [
    post('configmaps', aMap('a', { x: '1' })),
    mergePatch('configmaps/a', []),
    mergePatch('configmaps/a', '"text"'),
    mergePatch('configmaps/a', '{'),
    mergePatch('configmaps/a', ''),
  ],
  'a strategic patch merges lists by their keys': [
    post('pods', pod),
    strategicPatch('pods/a', { spec: { containers: [{ name: 'two', image: 'c' }] } }),
    strategicPatch('pods/a', { metadata: { finalizers: ['example.com/a'] } }),
    strategicPatch('pods/a', { metadata: { finalizers: ['example.com/b'] } }),
    strategicPatch('pods/a', { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } }),
  ],
  'a patch is of a known type': [
    post('configmaps', aMap('a')),
    patchAs('application/json', 'configmaps/a', {}),
    patchAs('text/plain', 'configmaps/a', {}),
    patchAs('application/merge-patch+json; charset=utf-8', 'configmaps/a', { data: { x: '1' } }),
  ],
};
