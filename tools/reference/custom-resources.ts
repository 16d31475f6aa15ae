/** Every field of each kind of ours, with its type, its default and the rules that it has to obey, from its CustomResourceDefinition. */
import { customResources } from '../../src/custom-resources.ts';
import { nameOf } from '../../src/kit/kube/resource.ts';
import { type CustomResource, customResourceDefinition } from '../../src/kit/manifests/crd.ts';
import { VALIDATIONS } from '../../src/kit/manifests/schema-keywords.ts';
import { code, table } from './table.ts';

/** The fields that the originals have, too. All others are ours, and may be left out. */
const OF_ORIGINAL: Readonly<Record<string, readonly string[]>> = {
  PvPool: [
    ...['spec.image', 'spec.numPVs', 'spec.pvSizeGB', 'spec.storageClass'],
    ...['status.phase', 'status.podsInfo', 'status.podsInfo[].podName', 'status.podsInfo[].podStatus'],
    ...['status.countByState', 'status.usedPercentage'],
  ],
  PersistentVolumeSync: [
    ...['spec.protectedCluster', 'spec.mode', 'spec.cloudProvider', 'spec.retention', 'spec.pollingInterval'],
    'status.succeeded',
  ],
};

interface Field {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
  readonly additionalProperties?: Field | boolean;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly [VALIDATIONS]?: readonly { readonly rule: string; readonly message?: string }[];
}

const named = (kind: string): CustomResource => {
  const found = customResources.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  return found;
};

const schemaOf = (kind: string): Field => {
  const [version] = customResourceDefinition(named(kind)).spec.versions;
  return version.schema.openAPIV3Schema as Field;
};

/** Of its spec or of its status. */
export function fieldTable(kind: string, of: 'spec' | 'status'): string {
  const part = schemaOf(kind).properties?.[of];
  if (!part) throw new Error(`${kind} has no ${of}`);
  const originals = OF_ORIGINAL[kind] ?? [];
  const rows = rowsOf(part, `${of}.`);
  const missing = originals.filter((path) => path.startsWith(of) && !rows.some(({ path: each }) => each === path));
  if (missing.length > 0) throw new Error(`${kind} lacks fields of its original: ${missing.join(', ')}`);
  return table(
    ['field', 'type', 'whose', 'what', 'has to be'],
    rows.map(({ path, field, isRequired }) => [
      code(path),
      typeOf(field),
      originals.includes(path) ? 'original' : '',
      saidOf(field, isRequired),
      rulesOf(field),
    ]),
  );
}

interface Row {
  readonly path: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

const rowsOf = ({ properties = {}, required = [] }: Field, path: string): readonly Row[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    { path: `${path}${name}`, field, isRequired: required.includes(name) },
    ...rowsOf(field, `${path}${name}.`),
    ...(field.items ? rowsOf(field.items, `${path}${name}[].`) : []),
  ]);

function typeOf(field: Field): string {
  if (field.enum) return field.enum.map(code).join(' or ');
  if (field.type === 'array' && field.items) return `list of ${typeOf(field.items) || 'anything'}`;
  if (typeof field.additionalProperties === 'object') return `map of ${typeOf(field.additionalProperties)}`;
  return field.type ?? 'integer or string';
}

function saidOf({ description = '', default: preset }: Field, isRequired: boolean): string {
  const said = description.replace(/\.$/, '').replaceAll('|', '\\|');
  const notes = [isRequired && 'Has to be there', preset !== undefined && `Default ${code(JSON.stringify(preset))}`];
  return [said, ...notes.filter(Boolean)].filter((part) => part !== '').join('. ');
}

const rulesOf = ({ pattern, minLength, maxLength, maxItems, [VALIDATIONS]: rules = [] }: Field): string =>
  [
    ...rules.map(({ rule, message }) => (message ?? rule).replaceAll('|', '\\|')),
    pattern !== undefined && `like ${code(pattern)}`,
    minLength !== undefined && `at least ${minLength} character${minLength === 1 ? '' : 's'}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} of them`,
  ]
    .filter((part) => part !== false)
    .join('; ');

export const kindTable = (): string =>
  table(
    ['kind', 'name', 'version', 'scope', 'short names', 'what'],
    customResources.map(({ resource, shortNames = [], description }) => [
      resource.kind,
      code(nameOf(resource)),
      resource.version,
      resource.namespaced ? 'namespace' : 'cluster',
      shortNames.map(code).join(', '),
      description.replace(/\.$/, ''),
    ]),
  );

/** About the object as a whole. */
export const objectRuleTable = (): string =>
  table(
    ['kind', 'rule', 'what is said of one that breaks it'],
    customResources.flatMap(({ resource, rules = [] }) =>
      rules.map(({ rule, message }) => [resource.kind, code(rule), message.replaceAll('|', '\\|')]),
    ),
  );
