/** Pods. One that runs on a node is deleted in two steps: it is told to end, and goes when the node says that it has. */
import { PODS } from '../../api/pods.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import { notInSandbox } from '../server/refusals.ts';
import { builtIn } from './built-in.ts';
import { AGE, at, column, NAME, wide } from './columns.ts';
import { readyOf, restartsOf, statusOf } from './pod-cells.ts';
import { defaultedPodSpec } from './pod-spec.ts';
import { podSpecFaults } from './pod-spec-faults.ts';

/** What is bound to no node, or has ended, has nothing to end gracefully. */
function graceSeconds(object: ApiObject): number {
  const phase = textAt(object, 'status', 'phase');
  if (!textAt(object, 'spec', 'nodeName') || phase === 'Failed' || phase === 'Succeeded') return 0;
  return Number(valueAt(object, 'spec', 'terminationGracePeriodSeconds') ?? 30);
}

function defaulted(object: ApiObject): ApiObject {
  const { spec } = object;
  if (!isMap(spec as never)) return object;
  return withDefaultAt({ ...object, spec: defaultedPodSpec(spec as never) }, ['spec', 'enableServiceLinks'], true);
}

const begun = (object: ApiObject): ApiObject => ({ ...object, status: { phase: 'Pending', qosClass: qosOf(object) } });

/** What a pod is promised decides who is put out first. */
function qosOf(object: ApiObject): string {
  const containers = [...listAt(object, 'spec', 'containers'), ...listAt(object, 'spec', 'initContainers')];
  const amounts = containers.map((container) =>
    ['requests', 'limits'].map((what) => valueAt(container, 'resources', what) ?? {}),
  );
  if (amounts.every(([requests, limits]) => isNothing(requests) && isNothing(limits))) return 'BestEffort';
  const isGuaranteed = amounts.every(([requests, limits]) =>
    ['cpu', 'memory'].every((name) => {
      const limit = textAt(limits, name);
      return limit !== '' && (textAt(requests, name) || limit) === limit;
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

const isNothing = (amounts: unknown): boolean => Object.keys(amounts ?? {}).length === 0;

/** What may change of a pod: its images, how long it may run, what it tolerates, and, once, its node. */
function isChangeable(object: ApiObject, old: ApiObject): boolean {
  const fixed = (each: ApiObject): Json => {
    const { activeDeadlineSeconds: _a, tolerations: _t, nodeName: _n, ...spec } = (each.spec ?? {}) as JsonMap;
    const containers = ['containers', 'initContainers'].map((field) => [
      field,
      listAt(each, 'spec', field).map((container) => (isMap(container) ? { ...container, image: '' } : container)),
    ]);
    return { ...spec, ...Object.fromEntries(containers) };
  };
  const node = textAt(old, 'spec', 'nodeName');
  const tolerated = listAt(object, 'spec', 'tolerations');
  const tolerates = (one: Json) => tolerated.some((each) => same(each, one));
  return (
    same(fixed(object), fixed(old)) &&
    listAt(old, 'spec', 'tolerations').every(tolerates) &&
    (node === '' || node === textAt(object, 'spec', 'nodeName'))
  );
}

const UNCHANGED = 'words for a pod that is changed in more than its images, tolerations and deadline';

const orNone = (path: string) => at(path, '<none>');

export const pods = builtIn({
  resource: PODS,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  ],
  hasStatus: true,
  hasGeneration: true,
  returnsDeleted: true,
  selectable: (object) => ({
    'spec.nodeName': textAt(object, 'spec', 'nodeName'),
    'spec.restartPolicy': textAt(object, 'spec', 'restartPolicy'),
    'spec.schedulerName': textAt(object, 'spec', 'schedulerName'),
    'spec.serviceAccountName': textAt(object, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': textAt(object, 'spec', 'hostNetwork') || 'false',
    'status.phase': textAt(object, 'status', 'phase'),
    'status.podIP': textAt(object, 'status', 'podIP'),
    'status.podIPs': textAt(object, 'status', 'podIP'),
    'status.nominatedNodeName': textAt(object, 'status', 'nominatedNodeName'),
  }),
  defaulted,
  begun,
  faults: (object, old, through) => {
    if (old && through === undefined && !isChangeable(object, old)) throw notInSandbox(UNCHANGED);
    return podSpecFaults(valueAt(object, 'spec'), 'spec');
  },
  graceSeconds,
  columns: [
    NAME,
    column('Ready', readyOf),
    column('Status', statusOf),
    column('Restarts', restartsOf),
    AGE,
    wide('IP', orNone('status.podIP')),
    wide('Node', orNone('spec.nodeName')),
    wide('Nominated Node', orNone('status.nominatedNodeName')),
    wide('Readiness Gates', () => '<none>'),
  ],
});
