/** What the operators of CEL do. */
import type { BinaryOperator } from './ast.ts';
import { CelError, noSuchOverload } from './cel-error.ts';
import { compare, equal } from './equality.ts';
import { joined } from './lists.ts';
import { type CelValue, Duration, isCelList, isCelMap, Timestamp, Uint } from './values.ts';

export function operate(operator: Exclude<BinaryOperator, '&&' | '||'>, a: CelValue, b: CelValue): CelValue {
  switch (operator) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case '<':
      return compare(a, b) < 0;
    case '<=':
      return compare(a, b) <= 0;
    case '>':
      return compare(a, b) > 0;
    case '>=':
      return compare(a, b) >= 0;
    case 'in':
      return isIn(a, b);
    default:
      return calculate(operator, a, b);
  }
}

function isIn(value: CelValue, container: CelValue): boolean {
  if (isCelList(container)) return container.some((each) => equal(each, value));
  if (isCelMap(container)) return container.get(value) !== undefined;
  throw noSuchOverload();
}

type Arithmetic = '+' | '-' | '*' | '/' | '%';

function calculate(operator: Arithmetic, a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint')
    return within(integers(operator, a, b), -(2n ** 63n), 2n ** 63n - 1n);
  if (a instanceof Uint && b instanceof Uint)
    return new Uint(within(integers(operator, a.value, b.value), 0n, 2n ** 64n - 1n));
  if (typeof a === 'number' && typeof b === 'number') return doubles(operator, a, b);
  if (operator === '+') return added(a, b);
  if (operator === '-') return subtracted(a, b);
  throw noSuchOverload();
}

function integers(operator: Arithmetic, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      if (b === 0n) throw new CelError('division by zero');
      return a / b;
    default:
      if (b === 0n) throw new CelError('modulus by zero');
      return a % b;
  }
}

function within(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least || value > most) throw new CelError('integer overflow');
  return value;
}

function doubles(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      throw noSuchOverload();
  }
}

function added(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (isCelList(a) && isCelList(b)) return joined(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(a.nanos + b.nanos);
  throw noSuchOverload();
}

function subtracted(a: CelValue, b: CelValue): CelValue {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(a.nanos - b.nanos);
  throw noSuchOverload();
}

export function negate(operator: '!' | '-', value: CelValue): CelValue {
  if (operator === '!' && typeof value === 'boolean') return !value;
  if (operator === '-' && typeof value === 'bigint') return within(-value, -(2n ** 63n), 2n ** 63n - 1n);
  if (operator === '-' && typeof value === 'number') return -value;
  if (operator === '-' && value instanceof Duration) return new Duration(-value.nanos);
  throw noSuchOverload();
}
