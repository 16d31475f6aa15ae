/** What comes in with a request, parsed: this is the edge where text becomes objects. */
import { parse as parseYaml } from 'yaml';
import { parseJson } from '../../kit/kube/json.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';

import { type ApiObject, asObject } from '../api-object.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { invalid as invalidValue, notSupported } from '../schema/field-error.ts';
import { jsonFault } from './json-faults.ts';
import { PROTOBUF } from './protobuf.ts';
import { badRequest, invalid, notInSandbox, unknownFormat } from './refusals.ts';
import type { DeleteRequest } from './target.ts';

/** The object that a create or an update sends. */
export function objectIn(text: string, kind: Kind, contentType = JSON_TYPE): ApiObject {
  const { resource } = kind;
  if (contentType !== '' && contentType !== JSON_TYPE && contentType !== YAML_TYPE && contentType !== PROTOBUF)
    throw unknownFormat();
  const json = mapIn(
    text,
    (why) =>
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: ${why}`,
    contentType,
  );
  return typed(json, kind);
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

/** What is sent through a door of a kind. */
export const bodyIn = (text: string): JsonMap =>
  mapIn(text, (why) => `couldn't get version/kind; json parse error: ${why}`);

/** The kind may be left out where the path says it. */
export function typed(json: JsonMap, { resource }: Kind): ApiObject {
  const { kind = resource.kind, apiVersion = apiVersionOf(resource) } = json;
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return asObject({ ...json, kind, apiVersion });
  const version = String(apiVersion).split('/').at(-1) ?? '';
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** What a patch has made of an object. A real server has other words for one that is of another kind then. */
export function typedPatch(json: JsonMap, kind: Kind): ApiObject {
  const { resource, isCustom } = kind;
  const isSame = json.kind === resource.kind && json.apiVersion === apiVersionOf(resource);
  if (!isSame && !isCustom && json.kind !== undefined && json.apiVersion !== undefined)
    throw notInSandbox('words for a patch that makes another kind of an object');
  return typed(json, kind);
}

/** A patch: JSON, or YAML where it is applied. */
export function patchIn(text: string, isYaml: boolean): Json {
  try {
    return (isYaml && !/^\s*[{[]/.test(text) ? parseYaml(text) : parseJson(text)) as Json;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Map keys must be unique'))
      throw notInSandbox('YAML in which a key stands twice');
    const why = isYaml && error instanceof Error ? error.message : jsonFault(text);
    throw badRequest(`error decoding patch: ${why}`);
  }
}

/** What is applied says what it is. */
export function appliedIn(patch: Json, { resource }: Kind): ApiObject {
  const { kind = '', apiVersion = '' } = isMap(patch) ? patch : {};
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return asObject(patch);
  const [group, version] = String(apiVersion).includes('/') ? String(apiVersion).split('/') : ['', apiVersion];
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${kind}`);
}

/** By the body, or by the query for those who send none. Throws a `Refusal` for what makes no sense. */
export function deleteOptionsIn(text: string, query: URLSearchParams): Omit<DeleteRequest, 'user'> {
  const body = text.trim() === '' ? {} : mapIn(text, (why) => `couldn't get version/kind; json parse error: ${why}`);
  checkDeleteKind(body);
  const options = { ...inQuery(query), ...body } as DeleteOptions;
  const { preconditions, propagationPolicy, orphanDependents, gracePeriodSeconds, dryRun } = options;
  checkDeleteOptions(options);
  return {
    ...(preconditions && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(typeof orphanDependents === 'boolean' && { orphanDependents }),
    ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
    dryRun: (dryRun ?? []).length > 0,
  };
}

function checkDeleteKind({ kind, apiVersion }: JsonMap): void {
  if (kind === undefined || kind === 'DeleteOptions') return;
  throw badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun }: DeleteOptions): void {
  const faults = [];
  if (propagationPolicy && typeof orphanDependents === 'boolean')
    faults.push(
      invalidValue(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  if (propagationPolicy && !POLICIES.includes(propagationPolicy))
    faults.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  if (dryRun?.some((each) => each !== 'All')) faults.push(notSupported('dryRun', dryRun, ['All']));
  if (faults.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults);
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | null;
  readonly propagationPolicy?: string | null;
  readonly orphanDependents?: boolean | null;
  readonly gracePeriodSeconds?: number | null;
  readonly dryRun?: readonly string[] | null;
}

function inQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  return {
    ...(grace && { gracePeriodSeconds: numberIn(grace) }),
    ...(orphan && { orphanDependents: isTrue(orphan) }),
    ...(query.has('propagationPolicy') && { propagationPolicy: query.get('propagationPolicy') }),
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
  };
}

function numberIn(text: string): number {
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** All but two words are true in a query. */
const isTrue = (text: string): boolean => text !== 'false' && text !== '0';

/** Bodies are JSON, but clients may send YAML where they say so. */
function mapIn(text: string, fault: (why: string) => string, type = JSON_TYPE): JsonMap {
  const value = type === YAML_TYPE ? yamlIn(text, fault) : jsonIn(text, fault);
  if (value === null) return {};
  if (isMap(value)) return value;
  const found = Array.isArray(value) ? 'array' : typeof value;
  throw badRequest(fault(`json: cannot unmarshal ${found} into Go value of type ${TYPE_META} (${summaryOf(text)})`));
}

/** What Go calls that which says kind and version. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function jsonIn(text: string, fault: (why: string) => string): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    throw badRequest(fault(`${jsonFault(text)} (${summaryOf(text)})`));
  }
}

function yamlIn(text: string, fault: (why: string) => string): Json {
  try {
    return parseYaml(text, { version: '1.1' }) as Json;
  } catch (error) {
    throw badRequest(fault(`${error instanceof Error ? error.message : String(error)} (${summaryOf(text)})`));
  }
}

/** The beginning, in hexadecimal unless it looks like an object. */
function summaryOf(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const beginning = bytes.subarray(0, LONGEST_SUMMARY).toString(text.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > LONGEST_SUMMARY ? `${beginning} ...` : beginning;
}

const LONGEST_SUMMARY = 30;
