/** What is wrong with the schema of a definition: words that are not allowed, lists whose keys are none, rules that are no rules. */
import { BoundedMap } from '../../kit/observe/bounded-map.ts';
import { isList, type JsonMap } from '../json.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { defaultFaults } from './default-faults.ts';
import { listFaults } from './list-faults.ts';
import { type RuleCost, totalFaults } from './rule-costs.ts';
import { judgedRules, ruleTextFaults } from './rule-faults.ts';
import {
  defaultOf,
  hasUnsupportedWords,
  isSet,
  listedParts,
  namedParts,
  type Part,
  partAt,
  textOf,
} from './schema-node.ts';
import { structuralFaults } from './structural-faults.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** How a part is reached, as far as it matters for what may stand there. */
interface Place {
  readonly isRoot: boolean;
  readonly isInMetadata: boolean;
  /** Why there may be no default. */
  readonly noDefaults?: string;
  /** The part from which on nobody knows what was there before. */
  readonly uncorrelated?: string;
  readonly asksRules: boolean;
  /** How often it can be there at most, if that is known. */
  readonly times: number | undefined;
}

interface Found {
  readonly schema: readonly FieldError[];
  readonly rules: readonly FieldError[];
  readonly costs: readonly RuleCost[];
}

/** By what was judged, and where it stood: who plays clusters gives each of them the same definitions. */
const known = new BoundedMap<string, readonly FieldError[]>(32);

export function schemaFaults(root: Part): readonly FieldError[] {
  const text = `${root.path} ${JSON.stringify(root.node)}`;
  const faults = known.get(text) ?? judged(root);
  known.set(text, faults);
  return faults;
}

function judged(root: Part): readonly FieldError[] {
  const isReadable = !hasUnsupportedWords(root);
  const structural = isReadable ? structuralFaults(root) : [];
  const defaults = isReadable && structural.length === 0 ? defaultFaults(root) : [];
  const asksRules = isReadable && structural.length === 0 && defaults.length === 0;
  const nullable = isSet(root.node, 'nullable')
    ? [forbidden(`${root.path}.nullable`, 'nullable cannot be true at the root')]
    : [];
  const found = faultsOf(root, { isRoot: true, isInMetadata: false, asksRules, times: 1 });
  const dear = totalFaults(found.costs, root.path);
  return [...nullable, ...structural, ...defaults, ...found.schema, ...found.rules, ...dear];
}

function faultsOf(part: Part, place: Place): Found {
  const inner = innerFaults(part, place);
  const schema = [
    ...wordFaults(part, place),
    ...inner.flatMap((each) => each.schema),
    ...mapFaults(part),
    ...listFaults(part),
    ...ruleTextFaults(part),
  ];
  const [rules, costs] = [inner.flatMap((each) => each.rules), inner.flatMap((each) => each.costs)];
  if (schema.length > 0 || !place.asksRules) return { schema, rules, costs };
  const own = judgedRules(part, place);
  return { schema, rules: [...rules, ...own.faults], costs: [...costs, ...own.costs] };
}

function innerFaults(part: Part, place: Place): readonly Found[] {
  const { node, path } = part;
  const most = mostMembers(node);
  const times = place.times === undefined || most === undefined ? undefined : place.times * most;
  const below: Place = { ...place, isRoot: false, times };
  const values = partAt(part, 'additionalProperties');
  const items = partAt(part, 'items');
  const isAtomic = textOf(node, 'x-kubernetes-map-type') === 'atomic';
  const isKeyed = textOf(node, 'x-kubernetes-list-type') === 'map';
  const correlated = (isKnown: boolean): Place =>
    isKnown || below.uncorrelated !== undefined ? below : { ...below, uncorrelated: path };
  const ofMetadata = 'inside additionalProperties applying to object metadata';
  const unasked = { ...below, asksRules: false };
  const not = partAt(part, 'not');
  return [
    ...(values ? [faultsOf(values, place.isInMetadata ? { ...below, noDefaults: ofMetadata } : below)] : []),
    ...namedParts(part, 'properties').map((each) =>
      faultsOf(each, inProperty(each.name, part, place, correlated(!isAtomic))),
    ),
    ...(not ? [faultsOf(not, unasked)] : []),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((field) => listedParts(part, field).map((each) => faultsOf(each, unasked))),
    ...(items ? [faultsOf(items, correlated(isKeyed))] : []),
  ];
}

/** How many members it has at most: a struct has each of its fields once. */
function mostMembers(node: JsonMap): number | undefined {
  const type = textOf(node, 'type');
  const isMapped = type === 'object' && node.additionalProperties !== undefined;
  if (type !== 'array' && !isMapped) return 1;
  const limit = node[isMapped ? 'maxProperties' : 'maxItems'];
  return typeof limit === 'number' ? Math.max(0, limit) : undefined;
}

function inProperty(name: string, { node }: Part, { isRoot }: Place, below: Place): Place {
  const isMeta = ['metadata', 'kind', 'apiVersion'].includes(name);
  if (!isMeta || !(isRoot || isSet(node, 'x-kubernetes-embedded-resource'))) return below;
  return { ...below, isInMetadata: true, ...(isRoot && { noDefaults: `in top-level ${name}` }) };
}

const NOT_SUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function wordFaults({ node, path }: Part, place: Place): readonly FieldError[] {
  const type = textOf(node, 'type');
  const found: FieldError[] = [];
  const forbid = (word: string, why: string) => found.push(forbidden(`${path}.${word}`, why));
  if (type !== '' && !TYPES.includes(type)) found.push(notSupported(`${path}.type`, type, TYPES));
  if (defaultOf(node) !== undefined && place.noDefaults) forbid('default', `must not be set ${place.noDefaults}`);
  for (const word of NOT_SUPPORTED) if (isSaid(node, word)) forbid(word, `${word} is not supported`);
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (isList(node.items)) forbid('items', 'items must be a schema object and not an array');
  if (place.isInMetadata && isSet(node, 'x-kubernetes-embedded-resource'))
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  if (isSet(node, 'uniqueItems'))
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  if (Object.keys((node.properties as JsonMap | undefined) ?? {}).length > 0 && isRestricting(node))
    forbid('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  if (node['x-kubernetes-preserve-unknown-fields'] === false)
    found.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  return found;
}

const isSaid = (node: JsonMap, word: string): boolean => node[word] !== undefined && node[word] !== '';

const isRestricting = ({ additionalProperties }: JsonMap): boolean =>
  additionalProperties !== undefined && additionalProperties !== true;

function mapFaults({ node, path }: Part): readonly FieldError[] {
  const kind = node['x-kubernetes-map-type'];
  if (typeof kind !== 'string') return [];
  const [type, words] = [textOf(node, 'type'), 'must be object if x-kubernetes-map-type is specified'];
  const place = `${path}.type`;
  const typed = type === 'object' ? [] : [type === '' ? required(place, words) : invalid(place, type, words)];
  const isKnown = kind === 'atomic' || kind === 'granular';
  return [...typed, ...(isKnown ? [] : [notSupported(`${path}.x-kubernetes-map-type`, kind, ['atomic', 'granular'])])];
}
