/** What extends the API: definitions of further kinds, and policies on what may be written. */
import { policyBindingFaults } from '../admission/binding-faults.ts';
import { policyFaults } from '../admission/policy-faults.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt, withValueAt } from '../api-object.ts';
import { definitionFaults } from '../definitions/definition-faults.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { builtIn, withOldStatus } from './built-in.ts';
import { AGE, at, column, integer, NAME } from './columns.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from './resources.ts';

const common = { categories: ['api-extensions'], hasGeneration: true };

function defaultedDefinition(object: ApiObject): ApiObject {
  const kind = textAt(object, 'spec', 'names', 'kind');
  const named = [
    [['spec', 'names', 'singular'], kind.toLowerCase()],
    [['spec', 'names', 'listKind'], kind === '' ? '' : `${kind}List`],
    [['spec', 'conversion'], { strategy: 'None' }],
  ] as const;
  return named.reduce((one, [path, value]) => withDefaultAt(one, path, value), object);
}

function storageVersion(object: ApiObject): string | undefined {
  const found = listAt(object, 'spec', 'versions').find((version) => valueAt(version, 'storage') === true);
  return found === undefined ? undefined : textAt(found, 'name');
}

/** The status tells the names that it got, and which versions are stored. */
function begunDefinition(object: ApiObject): ApiObject {
  const stored = storageVersion(object);
  return {
    ...object,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored === undefined ? null : [stored],
    },
  };
}

/** Whatever has been stored once may still be. */
function updatedDefinition(object: ApiObject, old: ApiObject): ApiObject {
  const kept = withOldStatus(object, old);
  const stored = listAt(kept, 'status', 'storedVersions');
  const now = storageVersion(object);
  if (now === undefined || stored.includes(now)) return kept;
  return withValueAt(kept, ['status', 'storedVersions'], [...stored, now]);
}

/** Holds a definition that is deleted until its objects are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** It is marked in a way of its own, which does not count as a new generation. */
function markedDefinition(object: ApiObject): ApiObject {
  const { finalizers = [], deletionTimestamp = '', deletionGracePeriodSeconds: _, ...metadata } = object.metadata;
  if (finalizers.includes(CLEANUP)) return object;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: deletionTimestamp,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const generation = Math.max(1, (metadata.generation ?? 1) - 1);
  const held = {
    ...object,
    metadata: { ...metadata, generation, deletionTimestamp, finalizers: [...finalizers, CLEANUP] },
  };
  return withValueAt(held, ['status', 'conditions'], [...listAt(object, 'status', 'conditions'), terminating]);
}

export const customResourceDefinitions = builtIn({
  resource: CUSTOM_RESOURCE_DEFINITIONS,
  ...common,
  shortNames: ['crd', 'crds'],
  hasStatus: true,
  updatesUnconditionally: false,
  returnsDeleted: true,
  defaulted: defaultedDefinition,
  begun: begunDefinition,
  updated: updatedDefinition,
  faults: definitionFaults,
  marked: markedDefinition,
  isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
});

function defaultedPolicy(object: ApiObject): ApiObject {
  const failing = withDefaultAt(object, ['spec', 'failurePolicy'], 'Fail');
  const constraints = valueAt(failing, 'spec', 'matchConstraints');
  return isMap(constraints) ? withValueAt(failing, ['spec', 'matchConstraints'], matching(constraints)) : failing;
}

function defaultedPolicyBinding(object: ApiObject): ApiObject {
  const resources = valueAt(object, 'spec', 'matchResources');
  return isMap(resources) ? withValueAt(object, ['spec', 'matchResources'], matching(resources)) : object;
}

function matching(given: JsonMap): JsonMap {
  const ruled = ['resourceRules', 'excludeResourceRules'].filter((field) => given[field] !== undefined);
  const rules = ruled.map((field) => [field, listAt(given, field).map(scoped)]);
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...given,
    ...Object.fromEntries(rules),
  };
}

const scoped = (rule: Json): Json => (isMap(rule) ? { scope: '*', ...rule } : rule);

export const validatingAdmissionPolicies = builtIn({
  resource: VALIDATING_ADMISSION_POLICIES,
  ...common,
  hasStatus: true,
  defaulted: defaultedPolicy,
  begun: (object) => ({ ...object, status: {} }),
  faults: policyFaults,
  columns: [
    NAME,
    integer('Validations', (object) => listAt(object, 'spec', 'validations').length),
    column('ParamKind', (object) => {
      const kind = valueAt(object, 'spec', 'paramKind');
      return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
    }),
    AGE,
  ],
});

function paramOf(object: ApiObject): string {
  const param = valueAt(object, 'spec', 'paramRef');
  if (param === undefined) return '<unset>';
  const [namespace, name] = [textAt(param, 'namespace'), textAt(param, 'name')];
  if (name === '') return '<selector>';
  return namespace ? `${namespace}/${name}` : name;
}

export const validatingAdmissionPolicyBindings = builtIn({
  resource: VALIDATING_ADMISSION_POLICY_BINDINGS,
  ...common,
  defaulted: defaultedPolicyBinding,
  faults: policyBindingFaults,
  columns: [NAME, column('PolicyName', at('spec.policyName')), column('ParamRef', paramOf), AGE],
});
