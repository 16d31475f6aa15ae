/** Which types operators take, and what comes of them: a type, or the server's sentence that there is no such thing. */
import type { BinaryOperator } from './ast.ts';
import { BOOL, DYN, isScalar, type StaticType, typeText } from './static-types.ts';

const none = (name: string, ...types: readonly StaticType[]): StaticType | string => {
  const told = types.map(typeText);
  if (told.some((each) => each === undefined)) return DYN;
  return `found no matching overload for '${name}' applied to '(${told.join(', ')})'`;
};

export function unaryOverload(operator: '!' | '-', operand: StaticType): StaticType | string {
  if (operand.is === 'dyn') return operator === '!' ? BOOL : DYN;
  const fits = operator === '!' ? isScalar(operand, 'bool') : isScalar(operand, 'int', 'double');
  return fits ? operand : none(`${operator}_`, operand);
}

export function overload(operator: BinaryOperator, left: StaticType, right: StaticType): StaticType | string {
  const result = resultOf(operator, left, right);
  return result ?? none(operator === 'in' ? '@in' : `_${operator}_`, left, right);
}

const isNumber = (type: StaticType): boolean => isScalar(type, 'int', 'uint', 'double');

function resultOf(operator: BinaryOperator, left: StaticType, right: StaticType): StaticType | undefined {
  const isKnown = left.is !== 'dyn' && right.is !== 'dyn';
  switch (operator) {
    case '&&':
    case '||':
      return [left, right].every((each) => each.is === 'dyn' || isScalar(each, 'bool')) ? BOOL : undefined;
    case '==':
    case '!=':
      return !isKnown || !areDifferent(left, right) ? BOOL : undefined;
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const isOrdered = (isNumber(left) && isNumber(right)) || (areSame(left, right) && !isScalar(left, 'null'));
      return !isKnown || isOrdered ? BOOL : undefined;
    }
    case 'in':
      return right.is === 'scalar' ? undefined : BOOL;
    default:
      return isKnown ? arithmetic(operator, left, right) : DYN;
  }
}

function arithmetic(operator: string, left: StaticType, right: StaticType): StaticType | undefined {
  const isTime = [left, right].some((each) => isScalar(each, 'timestamp', 'duration'));
  if (isTime && (operator === '+' || operator === '-')) return DYN;
  if (operator === '+' && left.is === 'list' && right.is === 'list') return left;
  if (!areSame(left, right)) return undefined;
  const isText = isScalar(left, 'string', 'bytes');
  if (isText) return operator === '+' ? left : undefined;
  return isNumber(left) && !(operator === '%' && isScalar(left, 'double')) ? left : undefined;
}

const areSame = (left: StaticType, right: StaticType): boolean =>
  left.is === 'scalar' && right.is === 'scalar' && left.name === right.name;

/** Objects and lists may be compared to null and to each other, as far as can be told here. */
const areDifferent = (left: StaticType, right: StaticType): boolean =>
  [left, right].every(({ is }) => is === 'scalar' || is === 'optional') && typeText(left) !== typeText(right);
