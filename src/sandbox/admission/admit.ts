/** Whether ValidatingAdmissionPolicies let a request pass. */
import type { JsonMap } from '../json.ts';
import { type CompiledPolicy, compiledPolicy } from './compiled.ts';
import { type Objection, objectionsTo } from './decide.ts';
import { labelsOf, matches, selects } from './matching.ts';
import type { AdmissionRequest, Binding, DenialReason, Policy } from './policy.ts';

/** Where policies and their parameters are. */
export interface PolicySources {
  readonly policies: () => readonly Policy[];
  readonly bindings: () => readonly Binding[];
  /** All objects of a kind, and whether they live in namespaces; undefined for a kind that there is not. */
  readonly params: (kind: { readonly apiVersion: string; readonly kind: string }) => ParamObjects | undefined;
}

export interface ParamObjects {
  readonly namespaced: boolean;
  readonly objects: readonly JsonMap[];
}

export interface Verdict {
  readonly denial?: Denial;
  /** What the client is warned of. */
  readonly warnings: readonly string[];
}

/** What the server answers. */
export interface Denial {
  /** Of the whole, which names the object. */
  readonly message: string;
  /** Of its only cause. */
  readonly cause: string;
  readonly reason: DenialReason;
  readonly code: number;
}

const CODES = { Unauthorized: 401, Forbidden: 403, Invalid: 422, RequestEntityTooLarge: 413 } as const;

export function admit(request: AdmissionRequest, sources: PolicySources): Verdict {
  const denials: Denial[] = [];
  const warnings: string[] = [];
  for (const policy of sources.policies()) {
    if (!matches(request, policy.spec.matchConstraints)) continue;
    for (const binding of sources.bindings()) {
      if (binding.spec.policyName !== policy.metadata.name) continue;
      if (binding.spec.matchResources && !matches(request, binding.spec.matchResources)) continue;
      for (const objection of objectionsBy(request, policy, binding, sources)) {
        const { validationActions } = binding.spec;
        if (validationActions.includes('Deny') || objection.isFault)
          denials.push(denialOf(objection, policy, binding, request));
        if (validationActions.includes('Warn') && !objection.isFault)
          warnings.push(warningOf(objection, policy, binding));
      }
    }
  }
  const [denial] = denials;
  return { ...(denial && { denial }), warnings };
}

/** A fault of the binding itself is told whatever is to be done about objections. */
type Told = Objection & { readonly isFault?: true };

function objectionsBy(
  request: AdmissionRequest,
  policy: Policy,
  binding: Binding,
  sources: PolicySources,
): readonly Told[] {
  const params = paramsFor(request, policy, binding, sources);
  if (typeof params !== 'string') {
    return params.flatMap((param) => objectionsTo(request, policy, compiledOnce(policy), param));
  }
  if (policy.spec.failurePolicy === 'Ignore') return [];
  return [{ message: `failed to configure binding: ${params}`, reason: 'Invalid', isFault: true }];
}

const compiled = new WeakMap<Policy, CompiledPolicy>();

function compiledOnce(policy: Policy): CompiledPolicy {
  const found = compiled.get(policy) ?? compiledPolicy(policy);
  compiled.set(policy, found);
  return found;
}

/** The policy is asked once for each; or a sentence that says why it cannot be asked. */
function paramsFor(
  request: AdmissionRequest,
  { spec: { paramKind } }: Policy,
  { spec: { paramRef } }: Binding,
  sources: PolicySources,
): readonly (JsonMap | undefined)[] | string {
  if (!paramKind || !paramRef) return [undefined];
  const found = sources.params(paramKind);
  if (!found) return `paramKind kind \`${paramKind.apiVersion}, Kind=${paramKind.kind}\` not known`;
  if (paramRef.namespace && !found.namespaced)
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  const namespace = paramRef.namespace || request.namespace || '';
  if (found.namespaced && namespace === '') {
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  }
  const { name, selector = {} } = paramRef;
  const isIn = (object: JsonMap) => !found.namespaced || metadataOf(object).namespace === namespace;
  const isMeant = (object: JsonMap) => (name ? metadataOf(object).name === name : selects(selector, labelsOf(object)));
  const params = found.objects.filter((object) => isIn(object) && isMeant(object));
  if (params.length > 0 || paramRef.parameterNotFoundAction !== 'Deny') return params;
  return 'no params found for policy binding with `Deny` parameterNotFoundAction';
}

const metadataOf = (object: JsonMap): JsonMap => object.metadata as JsonMap;

function denialOf({ message, reason }: Objection, policy: Policy, binding: Binding, request: AdmissionRequest): Denial {
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  const cause = `${who} denied request: ${message}`;
  const { group, plural } = request.resource;
  const what = `${group === '' ? plural : `${plural}.${group}`} ${JSON.stringify(request.name ?? '')}`;
  return { message: `${what} is forbidden: ${cause}`, cause, reason, code: CODES[reason] };
}

const warningOf = ({ message }: Objection, policy: Policy, binding: Binding): string =>
  `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${message}`;
