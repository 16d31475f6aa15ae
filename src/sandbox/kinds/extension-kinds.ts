/** What extends the API: definitions of further kinds, and policies on what may be written. */
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt, withValueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { builtIn } from './built-in.ts';
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
    [['spec', 'names', 'listKind'], `${kind}List`],
    [['spec', 'conversion'], { strategy: 'None' }],
  ] as const;
  return named.reduce((one, [path, value]) => withDefaultAt(one, path, value), object);
}

/** The status tells the names that it got, and which versions are stored. */
function begunDefinition(object: ApiObject): ApiObject {
  const stored = listAt(object, 'spec', 'versions').filter((version) => valueAt(version, 'storage') === true);
  return {
    ...object,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored.map((version) => textAt(version, 'name')),
    },
  };
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
  columns: [NAME, column('PolicyName', at('spec.policyName')), column('ParamRef', paramOf), AGE],
});
