/** What one policy says about one request, with one of its parameters. */
import { CelError } from '../cel/cel-error.ts';
import type { CelExpression } from '../cel/expression.ts';
import { fromJson } from '../cel/json-values.ts';
import type { CelMap, CelValue } from '../cel/values.ts';
import type { Json, JsonMap } from '../json.ts';
import type { CompiledPolicy, CompiledValidation } from './compiled.ts';
import type { AdmissionRequest, DenialReason, Policy } from './policy.ts';

/** Why the request is denied. */
export interface Objection {
  readonly message: string;
  readonly reason: DenialReason;
}

const LONGEST_MESSAGE = 5 * 1024;

export function objectionsTo(
  request: AdmissionRequest,
  policy: Policy,
  compiled: CompiledPolicy,
  params: JsonMap | undefined,
): readonly Objection[] {
  const values = valuesFor(request, policy, params);
  const failed = (message: string): readonly Objection[] =>
    policy.spec.failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];
  const conditions = compiled.conditions.map((condition) => outcomeOf(condition, values));
  if (conditions.some((each) => 'value' in each && each.value === false)) return [];
  const troubles = conditions.flatMap((each) => ('trouble' in each ? [each.trouble] : []));
  if (troubles.length > 0) return failed(aggregated(troubles));
  const all = { ...values, variables: lazily(compiled.variables, values) };
  return compiled.validations.flatMap((each) => objections(each, all, failed));
}

/** As the server puts several errors together. */
function aggregated(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}

type Values = Readonly<Record<string, CelValue>>;

function objections(
  { validation, expression, message }: CompiledValidation,
  values: Values,
  failed: (message: string) => readonly Objection[],
): readonly Objection[] {
  const outcome = outcomeOf(expression, values);
  if ('trouble' in outcome) return failed(outcome.trouble);
  if (outcome.value === true) return [];
  const words =
    messageOf(message, values) || validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
  return [{ message: words, reason: validation.reason ?? 'Invalid' }];
}

function messageOf(expression: CelExpression | undefined, values: Values): string {
  const outcome = expression && outcomeOf(expression, values);
  if (outcome === undefined || 'trouble' in outcome || typeof outcome.value !== 'string') return '';
  const message = outcome.value.trim();
  return Buffer.byteLength(message) > LONGEST_MESSAGE || message.includes('\n') ? '' : message;
}

type Outcome = { readonly value: CelValue } | { readonly trouble: string };

function outcomeOf(expression: CelExpression, values: Values): Outcome {
  try {
    return { value: expression.evaluate(values) };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { trouble: `expression '${expression.text}' resulted in error: ${error.message}` };
  }
}

/** A variable is worked out when it is asked for, and then once. */
function lazily(variables: CompiledPolicy['variables'], values: Values): CelMap {
  const known = new Map<string, CelValue>();
  const all: CelMap = {
    isMap: true,
    keys: () => variables.map(({ name }) => name),
    get: (key) => {
      const variable = variables.find(({ name }) => name === key);
      if (variable === undefined) return undefined;
      const value = known.get(variable.name) ?? worked(variable);
      known.set(variable.name, value);
      return value;
    },
  };
  const worked = ({ name, expression }: CompiledPolicy['variables'][number]): CelValue => {
    try {
      return expression.evaluate({ ...values, variables: all });
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      throw new CelError(`composited variable "${name}" fails to evaluate: ${error.message}`);
    }
  };
  return all;
}

function valuesFor(request: AdmissionRequest, { spec }: Policy, params: JsonMap | undefined): Values {
  return {
    object: fromJson(request.object ?? null),
    oldObject: fromJson(request.oldObject ?? null),
    request: fromJson(requestObject(request)),
    namespaceObject: fromJson(visibleNamespace(request.namespaceObject)),
    ...(spec.paramKind && { params: fromJson(params ?? null) }),
  };
}

/** What an AdmissionReview says of the request, less the objects. What is empty is not there. */
function requestObject(request: AdmissionRequest): JsonMap {
  const { resource, subresource = '', operation, options, userInfo, dryRun } = request;
  const { group, version, plural, kind } = resource;
  const { username, uid, groups, extra } = userInfo;
  const [gvk, gvr] = [
    { group, version, kind },
    { group, version, resource: plural },
  ];
  const parts = {
    uid: '',
    kind: gvk,
    resource: gvr,
    requestKind: gvk,
    requestResource: gvr,
    ...(subresource !== '' && { subResource: subresource, requestSubResource: subresource }),
    ...(request.name && { name: request.name }),
    ...(request.namespace && { namespace: request.namespace }),
    operation,
    userInfo: {
      ...(username && { username }),
      ...(uid && { uid }),
      ...(groups && groups.length > 0 && { groups }),
      ...(extra && Object.keys(extra).length > 0 && { extra }),
    },
    dryRun,
    options: options ?? null,
  };
  return parts satisfies Record<string, Json>;
}

/** Owners, and who wrote what, are not told. */
function visibleNamespace(namespace: JsonMap | undefined): Json {
  if (namespace === undefined) return null;
  const { ownerReferences: _, managedFields: __, ...metadata } = namespace.metadata as JsonMap;
  return { ...namespace, metadata };
}
