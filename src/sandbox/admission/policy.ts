/** ValidatingAdmissionPolicies and their bindings, as far as the sandbox reads them. */
import type { LabelSelectorObject } from '../../kit/selectors.ts';
import type { JsonMap } from '../json.ts';

export interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly failurePolicy?: 'Fail' | 'Ignore';
    readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
    readonly matchConstraints: MatchResources;
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly Validation[];
  };
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: DenialReason;
}

export type DenialReason = 'Unauthorized' | 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge';

export interface Binding {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions: readonly ('Deny' | 'Warn' | 'Audit')[];
  };
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorObject;
  readonly parameterNotFoundAction?: 'Allow' | 'Deny';
}

export interface MatchResources {
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}

export interface ResourceRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** A write that policies have a say in. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly kind: string;
    readonly namespaced: boolean;
  };
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly object?: JsonMap;
  readonly oldObject?: JsonMap;
  readonly options?: JsonMap;
  readonly userInfo: UserInfo;
  /** The namespace that it goes to, where it goes to one. */
  readonly namespaceObject?: JsonMap;
  readonly dryRun: boolean;
}

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
