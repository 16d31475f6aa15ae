import { aPod, labelled } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const byLabels = (selector: string) => get(`configmaps?labelSelector=${encodeURIComponent(selector)}`);
const byFields = (plural: string, selector: string) => get(`${plural}?fieldSelector=${encodeURIComponent(selector)}`);

const three = [
  post('configmaps', labelled('a', { app: 'x', tier: 'front' })),
  post('configmaps', labelled('b', { app: 'y', tier: 'back' })),
  post('configmaps', labelled('c', {})),
];

/** Lists select by labels and by fields. */
export const selectors: Cases = {
  'labels are equal, or not': [...three, byLabels('app=x'), byLabels('app==y'), byLabels('app!=x')],
  'labels are one of several': [...three, byLabels('app in (x,y)'), byLabels('tier notin (front)')],
  'labels are there, or not': [...three, byLabels('app'), byLabels('!app')],
  'all requirements have to hold': [...three, byLabels('app in (x, y),tier=back'), byLabels('app=x,app=y')],
  'numbers are compared': [
    post('configmaps', labelled('a', { n: '5' })),
    post('configmaps', labelled('b', { n: 'x' })),
    byLabels('n>4'),
    byLabels('n<4'),
    byLabels('n>x'),
  ],
  'an empty value is a value': [
    post('configmaps', labelled('a', { app: '' })),
    ...three.slice(1),
    byLabels('app='),
    byLabels('app in ()'),
    byLabels('app in (,y)'),
  ],
  'a label selector has to make sense': [
    byLabels('a b'),
    byLabels('app in x'),
    byLabels('app in (x'),
    byLabels('a,,b'),
    byLabels('-a=b'),
    byLabels('a=-b'),
    byLabels('=x'),
  ],
  'every object is selected by name and namespace': [
    ...three,
    byFields('configmaps', 'metadata.name=a'),
    byFields('configmaps', 'metadata.name!=a'),
    byFields('configmaps', 'metadata.namespace={case},metadata.name==b'),
    byFields('configmaps', 'metadata.name=a,metadata.name=b'),
  ],
  'a field selector has to make sense': [
    byFields('configmaps', 'metadata.name'),
    byFields('configmaps', 'data.x=1'),
    byFields('configmaps', 'metadata.name>a'),
    byFields('pods', 'spec.unknown=1'),
    byFields('leases', 'spec.holderIdentity=x'),
  ],
  'pods are selected by their node and phase': [
    post('pods', aPod('a', { nodeName: 'one' })),
    post('pods', aPod('b')),
    byFields('pods', 'spec.nodeName=one'),
    byFields('pods', 'spec.nodeName='),
    byFields('pods', 'status.phase=Pending'),
    byFields('pods', 'status.phase!=Pending'),
    mergePatch('pods/a/status', { status: { phase: 'Running' } }),
    byFields('pods', 'status.phase=Running,spec.nodeName=one'),
  ],
  'secrets are selected by their type': [
    post('secrets', { metadata: { name: 'a' }, type: 'example.com/a' }),
    post('secrets', { metadata: { name: 'b' } }),
    byFields('secrets', 'type=example.com/a'),
    byFields('secrets', 'type=Opaque'),
  ],
  'namespaces are selected by their phase': [
    get('namespaces?fieldSelector=status.phase%3DActive,metadata.name%3D{case}'),
    get('namespaces?fieldSelector=status.phase%3DTerminating'),
  ],
  'nodes are selected by whether they take pods': [
    post('nodes', { metadata: { name: '{case}' }, spec: { unschedulable: true } }),
    get('nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3D{case}'),
    get('nodes?fieldSelector=spec.unschedulable%3Dfalse,metadata.name%3D{case}'),
  ],
  'one object by its name is not selected any more': [...three, get('configmaps/a?labelSelector=app%3Dy')],
};
