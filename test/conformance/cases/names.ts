import { aMap, aVolume } from '../objects.ts';
import { type Cases, post, put } from '../steps.ts';

const named = (name: string): object => ({ metadata: { name } });
const annotated = (annotations: object): object => ({ metadata: { name: 'a', annotations } });
const withLabels = (labels: object): object => ({ metadata: { name: 'a', labels } });

/** What objects, labels, annotations and finalizers may be called. */
export const names: Cases = {
  'most names are domain names': [
    post('configmaps', named('Upper')),
    post('configmaps', named('-a')),
    post('configmaps', named('a_b')),
    post('configmaps', named('a..b')),
    post('configmaps', named('a.b-c.d')),
  ],
  'a name has up to 253 characters': [
    post('configmaps', named('a'.repeat(253))),
    post('configmaps', named('a'.repeat(254))),
    post('configmaps', named(`${'A'.repeat(254)}`)),
  ],
  'a namespace has a name of one label': [
    post('namespaces', named('{case}.a')),
    post('namespaces', named('a'.repeat(64))),
    post('namespaces', named('{case}-1')),
  ],
  'a volume may have dots in its name': [
    post('persistentvolumes', aVolume({}, { name: '{case}.a' })),
    post('persistentvolumes', aVolume({}, { name: '{case}_a' })),
  ],
  'a name is made up where there is only its beginning': [
    post('configmaps', { metadata: { generateName: 'some-' } }),
    post('configmaps', { metadata: { generateName: 'a.b.' } }),
  ],
  'a name wins over its beginning': [post('configmaps', aMap('a', {}, { generateName: 'some-' }))],
  'a label has a qualified name': [
    post('configmaps', withLabels({ 'a b': 'x' })),
    post('configmaps', withLabels({ '': 'x' })),
    post('configmaps', withLabels({ 'a/b/c': 'x' })),
    post('configmaps', withLabels({ 'UPPER/b': 'x' })),
    post('configmaps', withLabels({ ['k'.repeat(64)]: 'x' })),
    post('configmaps', withLabels({ 'a.b/C_d.e': 'x' })),
  ],
  'a label has a short value': [
    post('configmaps', withLabels({ a: 'x y' })),
    post('configmaps', withLabels({ a: '-x' })),
    post('configmaps', withLabels({ a: 'v'.repeat(64) })),
    post('configmaps', withLabels({ a: 1 })),
    post('configmaps', withLabels({ a: '' })),
  ],
  'an annotation has a qualified name and any value': [
    post('configmaps', annotated({ 'a b': 'x' })),
    post('configmaps', annotated({ 'a/b/c': 'x' })),
    post('configmaps', annotated({ 'UPPER/b': 'any value at all: \n\u00e4' })),
  ],
  'annotations have up to 256 KiB': [
    post('configmaps', annotated({ a: 'x'.repeat(256 * 1024) })),
    put('configmaps/a', annotated({ a: 'x'.repeat(256 * 1024) })),
  ],
};
