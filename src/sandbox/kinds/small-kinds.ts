/** Kinds that hardly differ from what all kinds are: what is in them is for others to understand. */
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { POD_DISRUPTION_BUDGETS } from '../../api/pod-disruption-budgets.ts';
import { SECRETS } from '../../api/secrets.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { LEASES } from '../../kit/lead/lease.ts';
import { type ApiObject, textAt, valueAt, withDefaultAt } from '../api-object.ts';
import type { JsonMap } from '../json.ts';
import { builtIn } from './built-in.ts';
import { AGE, at, column, countAt, integer, NAME } from './columns.ts';
import { SERVICE_ACCOUNTS } from './resources.ts';
import {
  configMapFaults,
  disruptionBudgetFaults,
  leaseFaults,
  secretFaults,
  storageClassFaults,
} from './small-kind-faults.ts';

export const configMaps = builtIn({
  resource: CONFIG_MAPS,
  shortNames: ['cm'],
  faults: configMapFaults,
  columns: [NAME, column('Data', (object) => countAt('data')(object) + countAt('binaryData')(object)), AGE],
});

/** What is written as plain text is kept encoded. */
function encoded({ stringData, ...object }: ApiObject): ApiObject {
  const plain = Object.entries((stringData ?? {}) as Record<string, string>);
  const given = { type: 'Opaque', ...object };
  if (plain.length === 0) return given;
  const data = plain.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...given, data: { ...(object.data as JsonMap | undefined), ...Object.fromEntries(data) } };
}

export const secrets = builtIn({
  resource: SECRETS,
  selectable: (object) => ({ type: textAt(object, 'type') }),
  defaulted: encoded,
  faults: secretFaults,
  columns: [NAME, column('Type', at('type')), column('Data', (object) => `${countAt('data')(object)}`), AGE],
});

export const serviceAccounts = builtIn({
  resource: SERVICE_ACCOUNTS,
  subresources: [
    { name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  ],
  shortNames: ['sa'],
  returnsDeleted: true,
  columns: [NAME, AGE],
});

export const leases = builtIn({
  resource: LEASES,
  createsOnUpdate: true,
  updatesUnconditionally: false,
  faults: leaseFaults,
  columns: [NAME, column('Holder', at('spec.holderIdentity')), AGE],
});

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const isDefaultClass = ({ metadata: { annotations = {} } }: ApiObject): boolean =>
  annotations[DEFAULT_CLASS] === 'true' || annotations['storageclass.beta.kubernetes.io/is-default-class'] === 'true';

export const storageClasses = builtIn({
  resource: STORAGE_CLASSES,
  shortNames: ['sc'],
  faults: storageClassFaults,
  returnsDeleted: true,
  defaulted: (object) =>
    withDefaultAt(withDefaultAt(object, ['reclaimPolicy'], 'Delete'), ['volumeBindingMode'], 'Immediate'),
  columns: [
    column('Name', (object) => `${object.metadata.name}${isDefaultClass(object) ? ' (default)' : ''}`),
    column('Provisioner', at('provisioner')),
    column('ReclaimPolicy', at('reclaimPolicy', '<unset>')),
    column('VolumeBindingMode', at('volumeBindingMode', '<unset>')),
    column('AllowVolumeExpansion', at('allowVolumeExpansion', 'false')),
    AGE,
  ].map((each, index) => (index === 0 ? { ...each, format: 'name' } : each)),
});

export const podDisruptionBudgets = builtIn({
  resource: POD_DISRUPTION_BUDGETS,
  shortNames: ['pdb'],
  faults: disruptionBudgetFaults,
  hasStatus: true,
  hasGeneration: true,
  begun: (object) => ({
    ...object,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  columns: [
    NAME,
    column('Min Available', at('spec.minAvailable', 'N/A')),
    column('Max Unavailable', at('spec.maxUnavailable', 'N/A')),
    integer('Allowed Disruptions', (object) => Number(valueAt(object, 'status', 'disruptionsAllowed') ?? 0)),
    AGE,
  ],
});
