/** The expressions of a policy, compiled once. */
import { type CelExpression, compileCel } from '../cel/expression.ts';
import type { Policy, Validation } from './policy.ts';

export interface CompiledPolicy {
  readonly conditions: readonly CelExpression[];
  readonly variables: readonly { readonly name: string; readonly expression: CelExpression }[];
  readonly validations: readonly CompiledValidation[];
}

export interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: CelExpression;
  readonly message: CelExpression | undefined;
}

const NAMES = ['object', 'oldObject', 'request', 'namespaceObject'];

/**
 * Throws `CelSyntaxError` for a policy that a server would not take, and `CelUnsupported` for one that asks for what the sandbox does
 * not have, such as the authorizer.
 */
export function compiledPolicy({ spec }: Policy): CompiledPolicy {
  const names = [...NAMES, ...(spec.paramKind ? ['params'] : [])];
  const all = [...names, 'variables'];
  return {
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compileCel(expression, names)),
    variables: (spec.variables ?? []).map(({ name, expression }) => ({
      name,
      expression: compileCel(expression, all),
    })),
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      expression: compileCel(validation.expression, all),
      message: validation.messageExpression === undefined ? undefined : compileCel(validation.messageExpression, all),
    })),
  };
}
