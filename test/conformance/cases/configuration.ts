import { aMap } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const secret = (name: string, fields: object): object => ({ metadata: { name }, ...fields });

const MEBIBYTE = 1024 * 1024;

/** Config maps and secrets. */
export const configuration: Cases = {
  'values are text': [
    post('configmaps', aMap('a', { x: 1 })),
    post('configmaps', aMap('a', { x: true })),
    post('configmaps', aMap('a', { x: { y: '1' } })),
    post('configmaps', aMap('a', { x: null })),
  ],
  'there is a most that fits': [
    post('configmaps', aMap('a', { x: 'x'.repeat(MEBIBYTE), y: '' })),
    post('configmaps', aMap('b', { x: 'x'.repeat(MEBIBYTE), y: 'y' })),
    post('configmaps', { metadata: { name: 'c' }, data: { x: 'x'.repeat(MEBIBYTE) }, binaryData: { y: 'MQ==' } }),
    mergePatch('configmaps/a', { data: { y: 'y' } }),
    post('secrets', secret('a', { stringData: { x: 'x'.repeat(MEBIBYTE), y: 'y' } })),
  ],
  'a secret takes text as well': [
    post('secrets', secret('a', { stringData: { x: 'ä', y: '2' }, data: { x: 'MQ==' } })),
    mergePatch('secrets/a', { stringData: { x: '3' } }),
    get('secrets/a'),
  ],
};
