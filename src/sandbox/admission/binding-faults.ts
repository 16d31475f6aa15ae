/** What is wrong with a ValidatingAdmissionPolicyBinding, in the words of the server. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json } from '../json.ts';
import { pathSegmentFaults, subdomainFaults } from '../kinds/name-faults.ts';
import { labelSelectorFaults } from '../kinds/object-selector-faults.ts';
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { matchResourcesFaults } from './match-faults.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

export function policyBindingFaults(object: ApiObject): readonly FieldError[] {
  const spec = valueAt(object, 'spec') ?? {};
  const policy = textAt(spec, 'policyName');
  const [paramRef, resources] = [valueAt(spec, 'paramRef'), valueAt(spec, 'matchResources')];
  return [
    ...(policy === ''
      ? [required('spec.policyName')]
      : subdomainFaults(policy).map((fault) => invalid('spec.policyName', policy, fault))),
    ...(isMap(paramRef) ? paramRefFaults(paramRef) : []),
    ...(isMap(resources) ? matchResourcesFaults(resources, 'spec.matchResources') : []),
    ...actionFaults(listAt(spec, 'validationActions').map(String)),
  ];
}

function paramRefFaults(paramRef: Json): readonly FieldError[] {
  const place = 'spec.paramRef';
  const [name, selector] = [textAt(paramRef, 'name'), valueAt(paramRef, 'selector')];
  const action = textAt(paramRef, 'parameterNotFoundAction');
  const isBoth = name !== '' && selector !== undefined;
  const only = 'name and selector are mutually exclusive';
  return [
    ...(name === '' ? [] : pathSegmentFaults(name).map((fault) => invalid(`${place}.name`, name, fault))),
    ...(isBoth ? [forbidden(`${place}.name`, only)] : []),
    ...labelSelectorFaults(selector, `${place}.selector`),
    ...(isBoth ? [forbidden(`${place}.selector`, only)] : []),
    ...(name === '' && selector === undefined ? [required(place, 'one of name or selector must be specified')] : []),
    ...(action === '' ? [required(`${place}.parameterNotFoundAction`)] : []),
    ...(action !== '' && !NOT_FOUND_ACTIONS.includes(action)
      ? [notSupported(`${place}.parameterNotFoundAction`, action, NOT_FOUND_ACTIONS)]
      : []),
  ];
}

const BOTH =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function actionFaults(actions: readonly string[]): readonly FieldError[] {
  const place = 'spec.validationActions';
  return [
    ...actions.flatMap((action, index) => [
      ...(ACTIONS.includes(action) ? [] : [notSupported(`${place}[${index}]`, action, ACTIONS)]),
      ...(actions.indexOf(action) < index ? [duplicate(`${place}[${index}]`, action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(place, actions, BOTH)] : []),
    ...(actions.length === 0 ? [required(place, 'at least one validation action is required')] : []),
  ];
}
