/** What is wrong with a CustomResourceDefinition, in the words of the server: names, versions, and what all versions say alike. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, same } from '../json.ts';
import { dns1035Faults, subdomainFaults } from '../kinds/name-faults.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { notInSandbox } from '../server/refusals.ts';
import { nameFaults, namesFaults } from './definition-names.ts';
import { schemaFaults } from './schema-faults.ts';
import { columnFaults, selectableFaults, subresourceFaults } from './version-faults.ts';

/** `old` is what it was before an update. */
export function definitionFaults(object: ApiObject, old?: ApiObject, through?: string): readonly FieldError[] {
  if (through === 'status') return [];
  return [
    ...(old ? [] : nameFaults(object)),
    ...specFaults(object),
    ...(old ? changeFaults(object, old) : []),
    ...storedFaults(object),
    ...approvalFaults(object),
    ...(valueAt(object, 'spec', 'preserveUnknownFields') === true
      ? [invalid('spec.preserveUnknownFields', true, PRESERVING)]
      : []),
  ];
}

const PRESERVING =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
const SCOPES = ['Cluster', 'Namespaced'];

const versionsOf = (object: ApiObject): readonly Json[] => listAt(object, 'spec', 'versions');

function specFaults(object: ApiObject): readonly FieldError[] {
  const versions = versionsOf(object);
  const scope = textAt(object, 'spec', 'scope');
  return [
    ...groupFaults(textAt(object, 'spec', 'group')),
    ...(scope === ''
      ? [required('spec.scope')]
      : SCOPES.includes(scope)
        ? []
        : [notSupported('spec.scope', scope, SCOPES)]),
    ...versions.flatMap((version, index) =>
      isMap(schemaIn(version)) ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`)],
    ),
    ...versions.flatMap((version, index) => versionFaults(version, index, versions)),
    ...countFaults(object, versions),
    ...namesFaults(object),
    ...sharedFaults(versions),
    ...conversionFaults(valueAt(object, 'spec', 'conversion')),
  ];
}

const schemaIn = (version: Json): Json | undefined => valueAt(version, 'schema', 'openAPIV3Schema');

function groupFaults(group: string): readonly FieldError[] {
  if (group === '') return [required('spec.group')];
  const faults = subdomainFaults(group);
  if (faults.length > 0) return [invalid('spec.group', group, faults.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

/** What every version says alike, the server says once, and of the definition. */
const isShared = (versions: readonly Json[], ...path: readonly string[]): boolean => {
  const [first, ...rest] = versions.map((version) => valueAt(version, ...path));
  return first !== undefined && rest.every((each) => each !== undefined && same(each, first));
};

function versionFaults(version: Json, index: number, versions: readonly Json[]): readonly FieldError[] {
  const path = `spec.versions[${index}]`;
  const name = textAt(version, 'name');
  const faults = dns1035Faults(name);
  const own = (...field: readonly string[]) => (isShared(versions, ...field) ? undefined : valueAt(version, ...field));
  const schema = isShared(versions, 'schema') ? undefined : schemaIn(version);
  return [
    ...(faults.length > 0 ? [invalid(`${path}.name`, name, faults.join(','))] : []),
    ...deprecationFaults(version, path),
    ...(isMap(schema) ? schemaFaults({ node: schema, path: `${path}.schema.openAPIV3Schema` }) : []),
    ...subresourceFaults(own('subresources'), `${path}.subresources`),
    ...columnFaults(own('additionalPrinterColumns'), `${path}.additionalPrinterColumns`),
    ...selectableFaults(own('selectableFields'), schemaIn(version), `${path}.selectableFields`),
  ];
}

function deprecationFaults(version: Json, path: string): readonly FieldError[] {
  const warning = valueAt(version, 'deprecationWarning');
  if (typeof warning !== 'string') return [];
  const says = (detail: string) => [invalid(`${path}.deprecationWarning`, warning, detail)];
  if (valueAt(version, 'deprecated') !== true) return says('can only be set for deprecated versions');
  if (warning === '') return says('must not be an empty string');
  return warning.length > 256 ? says('must be <= 256 characters long') : [];
}

function sharedFaults(versions: readonly Json[]): readonly FieldError[] {
  const [first = null] = versions;
  const shared = (...field: readonly string[]) => (isShared(versions, ...field) ? valueAt(first, ...field) : undefined);
  const schema = isShared(versions, 'schema') ? schemaIn(first) : undefined;
  return [
    ...(isMap(schema) ? schemaFaults({ node: schema, path: 'spec.validation.openAPIV3Schema' }) : []),
    ...subresourceFaults(shared('subresources'), 'spec.subresources'),
    ...columnFaults(shared('additionalPrinterColumns'), 'spec.additionalPrinterColumns'),
    ...selectableFaults(shared('selectableFields'), schemaIn(first), 'spec.selectableFields'),
  ];
}

function countFaults(object: ApiObject, versions: readonly Json[]): readonly FieldError[] {
  const names = versions.map((version) => textAt(version, 'name'));
  const stored = versions.filter((version) => valueAt(version, 'storage') === true);
  const [first = ''] = names;
  const faults = first === '' ? [] : dns1035Faults(first);
  return [
    ...(new Set(names).size < names.length
      ? [invalid('spec.versions', versionsInGo(object), 'must contain unique version names')]
      : []),
    ...(stored.length === 1
      ? []
      : [invalid('spec.versions', versionsInGo(object), 'must have exactly one version marked as storage version')]),
    ...(faults.length > 0 ? [invalid('spec.version', first, faults.join(','))] : []),
  ];
}

/** As the server writes what it has read. What is not the same in all versions it would write out. */
function versionsInGo(object: ApiObject): Json {
  if (valueAt(object, 'spec', 'versions') === null) return null;
  const versions = versionsOf(object);
  const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];
  if (parts.some((part) => !isShared(versions, part) && versions.some((each) => valueAt(each, part) !== undefined)))
    throw notInSandbox('words for what is wrong with versions that differ');
  return versions.map((version) => ({
    Name: textAt(version, 'name'),
    Served: valueAt(version, 'served') === true,
    Storage: valueAt(version, 'storage') === true,
    Deprecated: valueAt(version, 'deprecated') === true,
    DeprecationWarning: valueAt(version, 'deprecationWarning') ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

const STRATEGIES = ['None', 'Webhook'];

function conversionFaults(conversion: Json | undefined): readonly FieldError[] {
  if (!isMap(conversion)) return [];
  const strategy = textAt(conversion, 'strategy');
  const [webhook, reviews] = [
    valueAt(conversion, 'webhook', 'clientConfig'),
    valueAt(conversion, 'webhook', 'conversionReviewVersions'),
  ];
  const place = 'spec.conversion';
  if (strategy === '') return [required(`${place}.strategy`)];
  if (strategy === 'Webhook') {
    if (isMap(webhook)) throw notInSandbox('webhooks');
    return [
      required(`${place}.webhookClientConfig`, 'required when strategy is set to Webhook'),
      required(`${place}.conversionReviewVersions`),
    ];
  }
  const unwanted = 'should not be set when strategy is not set to Webhook';
  return [
    ...(STRATEGIES.includes(strategy) ? [] : [notSupported(`${place}.strategy`, strategy, STRATEGIES)]),
    ...(isMap(webhook) ? [forbidden(`${place}.webhookClientConfig`, unwanted)] : []),
    ...(Array.isArray(reviews) && reviews.length > 0 ? [forbidden(`${place}.conversionReviewVersions`, unwanted)] : []),
  ];
}

function changeFaults(object: ApiObject, old: ApiObject): readonly FieldError[] {
  const isEstablished = listAt(old, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Established' && textAt(condition, 'status') === 'True',
  );
  const always = [['group'], ['names', 'plural']];
  const fixed = [...(isEstablished ? [['scope'], ['names', 'kind']] : []), ...always];
  return fixed.flatMap((path) => {
    const [is, was] = [object, old].map((each) => textAt(each, 'spec', ...path));
    return is === was ? [] : [invalid(['spec', ...path].join('.'), is ?? '', 'field is immutable')];
  });
}

function storedFaults(object: ApiObject): readonly FieldError[] {
  const field = 'status.storedVersions';
  const stored = listAt(object, 'status', 'storedVersions').map(String);
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')];
  const versions = versionsOf(object);
  const names = versions.map((version) => textAt(version, 'name'));
  const missing = versions
    .filter((version) => valueAt(version, 'storage') === true && !stored.includes(textAt(version, 'name')))
    .map((version) => invalid(field, stored, `must have the storage version ${textAt(version, 'name')}`));
  const gone = stored.flatMap((name, index) =>
    names.includes(name) ? [] : [invalid(`${field}[${index}]`, name, needed(name))],
  );
  return [...missing, ...gone];
}

const needed = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

const APPROVED = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Groups of Kubernetes itself are not for everybody. */
function approvalFaults(object: ApiObject): readonly FieldError[] {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(textAt(object, 'spec', 'group'))) return [];
  const place = `metadata.annotations[${APPROVED}]`;
  const approval = object.metadata.annotations?.[APPROVED];
  const words = `protected groups must have approval annotation "${APPROVED}"`;
  if (!approval) return [required(place, `${words}, ${SEE}`)];
  const isFine = approval.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(approval);
  return isFine
    ? []
    : [invalid(place, approval, `${words} with either a URL or a reason starting with "unapproved", ${SEE}`)];
}
