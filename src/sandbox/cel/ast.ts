/** What an expression of CEL says, as a tree. Macros are still calls in it. */

export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'select'; readonly target: Expression; readonly field: string; readonly optional: boolean }
  | { readonly kind: 'index'; readonly target: Expression; readonly key: Expression; readonly optional: boolean }
  | { readonly kind: 'call'; readonly name: string; readonly target?: Expression; readonly args: readonly Expression[] }
  | { readonly kind: 'list'; readonly members: readonly Entry[] }
  | { readonly kind: 'map'; readonly entries: readonly (Entry & { readonly key: Expression })[] }
  | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'condition'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
);

/** A member of a list, or the value of a map. An optional one that is none is left out. */
export interface Entry {
  readonly value: Expression;
  readonly optional: boolean;
}

export type Literal = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%';
