import { aMap, aPod, labelled } from '../objects.ts';
import { type Cases, get, mergePatch, post, put, remove, watch } from '../steps.ts';

/** Who watches is told what happens, in order. */
export const watches: Cases = {
  'a watch begins with what is there': [
    post('configmaps', aMap('b')),
    post('configmaps', aMap('a')),
    watch('configmaps?watch=true', 4),
    post('configmaps', aMap('c')),
    remove('configmaps/a'),
  ],
  'a watch from a version tells what has happened since': [
    post('configmaps', aMap('a')),
    post('configmaps', aMap('b')),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    remove('configmaps/b'),
    watch('configmaps?watch=1&resourceVersion={1.metadata.resourceVersion}', 4),
    post('configmaps', aMap('c')),
  ],
  'a watch goes on from a list': [
    post('configmaps', aMap('a')),
    get('configmaps'),
    watch('configmaps?watch=true&resourceVersion={2.metadata.resourceVersion}', 2),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    mergePatch('configmaps/a', { data: { x: null } }),
  ],
  'a watch at any version begins with what is there': [
    post('configmaps', aMap('a')),
    watch('configmaps?watch=true&resourceVersion=0', 2),
    post('configmaps', aMap('b')),
  ],
  'a watch from a version that is forgotten ends at once': [
    watch('configmaps?watch=true&resourceVersion=1', 2),
    watch('leases?watch=true&resourceVersion=1', 2),
  ],
  'a version has to be a number': [
    watch('configmaps?watch=true&resourceVersion=new', 1),
    watch('configmaps?watch=true&resourceVersion=-1', 1),
  ],
  'a streamed list ends with a bookmark': [
    post('configmaps', aMap('b')),
    post('configmaps', aMap('a')),
    watch('configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', 4),
    post('configmaps', aMap('c')),
  ],
  'a streamed list may be no older than a version': [
    post('configmaps', aMap('a')),
    watch(
      'configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={1.metadata.resourceVersion}',
      2,
    ),
  ],
  'without initial events only news are told': [
    post('configmaps', aMap('a')),
    watch('configmaps?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', 1),
    post('configmaps', aMap('b')),
  ],
  'what begins to be selected is added, and what ceases to be is deleted': [
    watch('configmaps?watch=true&labelSelector=in%3Dyes', 4),
    post('configmaps', labelled('a', { in: 'no' })),
    mergePatch('configmaps/a', { metadata: { labels: { in: 'yes' } } }),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    mergePatch('configmaps/a', { metadata: { labels: { in: 'no' } }, data: { x: '2' } }),
    post('configmaps', labelled('b', { in: 'yes' })),
  ],
  'a watch may be of a field': [
    watch('pods?watch=true&fieldSelector=status.phase%3DRunning', 3),
    post('pods', aPod('a', { nodeName: 'one' })),
    mergePatch('pods/a/status', { status: { phase: 'Running' } }),
    mergePatch('pods/a/status', { status: { phase: 'Succeeded' } }),
    post('pods', aPod('b', { nodeName: 'one' })),
    mergePatch('pods/b/status', { status: { phase: 'Running' } }),
  ],
  'what has not changed is not told': [
    post('configmaps', aMap('a', { x: '1' })),
    watch('configmaps?watch=true&resourceVersion={1.metadata.resourceVersion}', 1),
    put('configmaps/a', aMap('a', { x: '1' })),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    mergePatch('configmaps/a', { data: { x: '2' } }),
  ],
  'a deletion that waits for a finalizer is told in two steps': [
    post('configmaps', aMap('a', {}, { finalizers: ['example.com/wait'] })),
    watch('configmaps?watch=true&resourceVersion={1.metadata.resourceVersion}', 2),
    remove('configmaps/a'),
    mergePatch('configmaps/a', { metadata: { finalizers: null } }),
  ],
  'a watch over all namespaces sees this one': [
    watch('/api/v1/configmaps?watch=true&labelSelector=of%3D{case}', 1),
    post('configmaps', labelled('a', { of: '{case}' })),
  ],
  'a watch ends when its time is up': [
    post('configmaps', aMap('a')),
    watch('configmaps?watch=true&timeoutSeconds=1', 2),
    watch('configmaps?watch=true&timeoutSeconds=soon', 2),
  ],
  'selectors of a watch have to make sense': [
    watch('configmaps?watch=true&labelSelector=a%20b', 1),
    watch('configmaps?watch=true&fieldSelector=data.x%3D1', 1),
  ],
};
