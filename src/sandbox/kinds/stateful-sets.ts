/** StatefulSets. Of the spec of one, only a few fields can be changed. */
import { STATEFUL_SETS } from '../../api/stateful-sets.ts';
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { builtIn } from './built-in.ts';
import { AGE, column, NAME, wide } from './columns.ts';
import { defaultedPodSpec } from './pod-spec.ts';
import { statefulSetFaults } from './stateful-set-faults.ts';

function defaulted(object: ApiObject): ApiObject {
  const { spec } = object as { spec?: JsonMap };
  if (!isMap(spec)) return object;
  return {
    ...object,
    spec: {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
      ...spec,
      updateStrategy: strategy(spec.updateStrategy),
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain', ...retention(spec) },
      ...(isMap(spec.template) && { template: template(spec.template) }),
      ...(spec.volumeClaimTemplates !== undefined && {
        volumeClaimTemplates: listAt(spec, 'volumeClaimTemplates').map(claimTemplate),
      }),
    },
  };
}

const retention = ({ persistentVolumeClaimRetentionPolicy: policy }: JsonMap): JsonMap => (isMap(policy) ? policy : {});

function strategy(given: Json | undefined): Json {
  const { type = 'RollingUpdate', ...rest } = isMap(given) ? given : {};
  if (type !== 'RollingUpdate') return { type, ...rest };
  return { type, ...rest, rollingUpdate: { partition: 0, ...(isMap(rest.rollingUpdate) && rest.rollingUpdate) } };
}

const template = (given: JsonMap): JsonMap => ({
  metadata: {},
  ...given,
  ...(isMap(given.spec) && { spec: defaultedPodSpec(given.spec) }),
});

function claimTemplate(given: Json): Json {
  if (!isMap(given)) return given;
  const spec = { volumeMode: 'Filesystem', ...(isMap(given.spec) && given.spec) };
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...given, spec, status: { phase: 'Pending' } };
}

const containersOf = (field: string) => (object: ApiObject) =>
  listAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, field))
    .join(',');

export const statefulSets = builtIn({
  resource: STATEFUL_SETS,
  shortNames: ['sts'],
  categories: ['all'],
  hasStatus: true,
  hasGeneration: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  defaulted,
  begun: (object) => ({ ...object, status: { replicas: 0, availableReplicas: 0 } }),
  faults: statefulSetFaults,
  columns: [
    NAME,
    column(
      'Ready',
      (object) => `${valueAt(object, 'status', 'readyReplicas') ?? 0}/${valueAt(object, 'spec', 'replicas') ?? 0}`,
    ),
    AGE,
    wide('Containers', containersOf('name')),
    wide('Images', containersOf('image')),
  ],
});
