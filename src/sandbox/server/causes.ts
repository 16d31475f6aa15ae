/** A fault of a field that schemas do not find. */
import type { FieldError } from '../schema/field-error.ts';

export const forbiddenField = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
});
