import { aMap, aPod } from '../objects.ts';
import { apply, type Cases, get, mergePatch, post, put } from '../steps.ts';

const map = (data: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
});
const by = (manager: string, more = ''): string => `configmaps/a?fieldManager=${manager}${more}`;

/** Who applies owns what it says, and takes away what it says no longer. */
export const applying: Cases = {
  'what is not there is created': [apply(by('one'), map({ x: '1' })), get('configmaps/a')],
  'applying the same again changes nothing': [
    apply(by('one'), map({ x: '1' })),
    apply(by('one'), map({ x: '1' })),
    get('configmaps/a'),
  ],
  'what is no longer applied is removed': [
    apply(by('one'), map({ x: '1', y: '2' }, { labels: { a: 'b' } })),
    apply(by('one'), map({ x: '1' })),
    apply(by('one'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
  ],
  'another owner is a conflict': [
    apply(by('one'), map({ x: '1', y: '1' })),
    apply(by('two'), map({ x: '2', y: '2' })),
    apply(by('two'), map({ x: '2', z: '2' })),
    get('configmaps/a'),
  ],
  'who insists takes it over': [
    apply(by('one'), map({ x: '1', y: '1' })),
    apply(by('two', '&force=true'), map({ x: '2' })),
    apply(by('one'), map({ y: '3' })),
  ],
  'who says the same shares it': [
    apply(by('one'), map({ x: '1' })),
    apply(by('two'), map({ x: '1' })),
    apply(by('one'), map({})),
    apply(by('two'), map({})),
  ],
  'who updates owns what it changes': [
    apply(by('one'), map({ x: '1', y: '1' })),
    put(by('two'), aMap('a', { x: '2', y: '1', z: '1' })),
    apply(by('one'), map({ x: '1', y: '1' })),
    mergePatch(by('three'), { data: { y: '3' } }),
    apply(by('one', '&force=true'), map({ x: '1', y: '1' })),
  ],
  'what somebody else has written is not removed': [
    post('configmaps?fieldManager=one', aMap('a', { x: '1' })),
    apply(by('two'), map({ y: '2' })),
    apply(by('two'), map({ y: '2', x: '1' })),
    apply(by('two'), map({ y: '2' })),
  ],
  'sets are merged': [
    apply(by('one'), map({}, { finalizers: ['example.com/a', 'example.com/b'] })),
    apply(by('two'), map({}, { finalizers: ['example.com/c'] })),
    apply(by('one'), map({}, { finalizers: ['example.com/b'] })),
    apply(by('one'), map({}, { finalizers: ['example.com/b', 'example.com/b'] })),
  ],
  'containers belong to those who say them': [
    apply('pods/a?fieldManager=one', { apiVersion: 'v1', kind: 'Pod', ...aPod('a') }),
    apply('pods/a?fieldManager=two', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'other' }] },
    }),
    apply('pods/a?fieldManager=two&force=true', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'other' }] },
    }),
  ],
  'a status is applied by itself': [
    apply('pods/a?fieldManager=one', { apiVersion: 'v1', kind: 'Pod', ...aPod('a') }),
    apply('pods/a/status?fieldManager=two', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    apply('pods/b/status?fieldManager=two', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' }, status: {} }),
  ],
  'only who applies may insist': [
    post('configmaps', aMap('a')),
    mergePatch(by('one', '&force=true'), { data: { x: '1' } }),
  ],
  'what is applied says what it is': [
    apply(by('one'), { metadata: { name: 'a' } }),
    apply(by('one'), { kind: 'ConfigMap', metadata: { name: 'a' } }),
    apply(by('one'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
    apply(by('one'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
    apply(by('one'), { apiVersion: 'v1', kind: 'ConfigMap' }),
  ],
  'what is applied says nothing of owners of fields': [
    apply(by('one'), map({}, { managedFields: [{ manager: 'one', operation: 'Apply' }] })),
  ],
  'what is applied has known fields and types': [
    apply(by('one'), { ...map({}), colour: 'red' }),
    apply(by('one'), map({ x: 1 })),
    apply(by('one'), { ...map({}), data: [] }),
  ],
  'ownership is dropped when it is told to be': [
    apply(by('one'), map({ x: '1' })),
    mergePatch('configmaps/a', { metadata: { managedFields: [{}] } }),
    apply(by('two'), map({ x: '2' })),
  ],
};
