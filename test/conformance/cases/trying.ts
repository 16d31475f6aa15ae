import { aMap } from '../objects.ts';
import { apply, type Cases, get, mergePatch, post, put, remove } from '../steps.ts';

const odd = { ...aMap('a', { x: '1' }), colour: 'red' };

/** Writes that only try, and how exactly writes are read. */
export const trying: Cases = {
  'a create that only tries leaves nothing': [
    post('configmaps?dryRun=All', aMap('a', { x: '1' })),
    get('configmaps/a'),
    post('configmaps?dryRun=All', aMap('A')),
    post('configmaps?dryRun=All', { metadata: { generateName: 'some-' } }),
  ],
  'a change that only tries changes nothing': [
    post('configmaps', aMap('a', { x: '1' })),
    put('configmaps/a?dryRun=All', aMap('a', { x: '2' })),
    mergePatch('configmaps/a?dryRun=All', { data: { x: '3' } }),
    apply('configmaps/a?dryRun=All&fieldManager=one', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...aMap('a', { y: '3' }),
    }),
    get('configmaps/a'),
  ],
  'a deletion that only tries deletes nothing': [
    post('configmaps', aMap('a')),
    remove('configmaps/a?dryRun=All'),
    remove('configmaps/a', { dryRun: ['All'] }),
    remove('configmaps?dryRun=All'),
    get('configmaps/a'),
  ],
  'trying sees what would go wrong': [
    post('configmaps', aMap('a')),
    post('configmaps?dryRun=All', aMap('a')),
    put('configmaps/a?dryRun=All', aMap('a', {}, { resourceVersion: '1' })),
    remove('configmaps/b?dryRun=All'),
  ],
  'there is one way to try': [
    post('configmaps?dryRun=Some', aMap('a')),
    put('configmaps/a?dryRun=true', aMap('a')),
    mergePatch('configmaps/a?dryRun=Some', {}),
    remove('configmaps/a?dryRun=Some'),
  ],
  'unknown fields are dropped, with a warning': [
    post('configmaps', odd),
    post('configmaps?fieldValidation=Warn', { ...odd, metadata: { name: 'b', colour: 'red' } }),
    post('configmaps?fieldValidation=Ignore', { ...odd, metadata: { name: 'c' } }),
    get('configmaps/a'),
  ],
  'there are three ways to read fields': [
    post('configmaps?fieldValidation=Exact', aMap('a')),
    mergePatch('configmaps/a?fieldValidation=Exact', {}),
  ],
};
