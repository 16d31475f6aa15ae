import { aMap } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const secret = (name: string, fields: object): object => ({ metadata: { name }, ...fields });

/** Config maps and secrets. */
export const configuration: Cases = {
  'values are text': [
    post('configmaps', aMap('a', { x: 1 })),
    post('configmaps', aMap('a', { x: true })),
    post('configmaps', aMap('a', { x: { y: '1' } })),
    post('configmaps', aMap('a', { x: null })),
  ],
  'a secret takes text as well': [
    post('secrets', secret('a', { stringData: { x: 'ä', y: '2' }, data: { x: 'MQ==' } })),
    mergePatch('secrets/a', { stringData: { x: '3' } }),
    get('secrets/a'),
  ],
};
