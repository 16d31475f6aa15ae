/** What is wrong with amounts. They can be read: what cannot was refused before. */
import { Quantity } from '../../kit/quantity.ts';
import { type FieldError, invalid } from '../schema/field-error.ts';

const ZERO = Quantity.parse('0');

const isLess = (amount: string): boolean => Quantity.parse(amount).compare(ZERO) < 0;

export const positiveFaults = (field: string, amount: string): readonly FieldError[] =>
  Quantity.parse(amount).compare(ZERO) > 0 ? [] : [invalid(field, amount, 'must be greater than zero')];

export const resourceFaults = (field: string, amount: string): readonly FieldError[] =>
  isLess(amount)
    ? [invalid(field, Number(Quantity.parse(amount).toBytesCeil()), 'must be a valid resource quantity')]
    : [];

export const notNegativeFaults = (field: string, value: number): readonly FieldError[] =>
  value >= 0 ? [] : [invalid(field, value, 'must be greater than or equal to 0')];
