/** zod schemas for what the Kubernetes API knows and JSON does not. Each says the same to zod and to the API server. */
import * as z from 'zod';
import { INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, VALIDATIONS } from './schema-keywords.ts';

/** A number, or a text such as a percentage or the name of a port. */
export const intOrString = () => z.union([z.int(), z.string()]).meta({ [INT_OR_STRING]: true });

/** As people write them; the API server would take some odder spellings, such as a suffix alone. */
const QUANTITY = /^[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$/;

/** An amount such as `10Gi`; a number stands for itself. Read it with `Quantity`. */
export const quantity = () => z.union([z.int(), z.string().regex(QUANTITY)]).meta({ [INT_OR_STRING]: true });

/** A point in time as the API writes it, such as `2026-01-31T12:00:00Z`. */
export const dateTime = () => z.iso.datetime({ offset: true });

/** A list in which no value comes twice. Server-side apply then merges it value by value. */
export const listSet = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .refine(isUnique, 'no value may come twice')
    .meta({ [LIST_TYPE]: 'set' });

/** A list of objects that are told apart by the given fields. Server-side apply then merges it object by object. */
export function listMap<T extends z.ZodObject>(item: T, ...keys: readonly [string, ...string[]]) {
  const keyOf = (value: Readonly<Record<string, unknown>>) => keys.map((key) => value[key]);
  return z
    .array(item)
    .refine((items) => isUnique(items.map(keyOf)), `no two may have the same ${keys.join(' and ')}`)
    .meta({ [LIST_TYPE]: 'map', [LIST_MAP_KEYS]: keys });
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size === values.length;
}

/** A condition on a value, in CEL for the API server and in TypeScript for zod. */
export interface Rule<T> {
  /** In CEL; the value is `self`. */
  readonly rule: string;
  readonly message: string;
  /** The same condition for zod. Left out for a rule about a change (`oldSelf`), which zod does not see. */
  readonly holds?: (value: T) => boolean;
}

/** Rules that the schema already has stay. */
export function withRules<S extends z.ZodType>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  const meta = schema.meta();
  const before = meta?.[VALIDATIONS];
  const added = rules.map(({ rule, message }) => ({ rule, message }));
  const checked = rules.reduce(
    (narrower, { holds, message }) => (holds ? narrower.refine(holds, message) : narrower),
    schema,
  );
  return checked.meta({ ...meta, [VALIDATIONS]: [...(Array.isArray(before) ? before : []), ...added] });
}

/** Fields by their names: those that the contract has, and no others. */
export type FieldsOf<T> = Readonly<Record<keyof T, z.ZodType>>;

/** A whole number between two others. The server would say no more of one that is not than that it is too small or too large. */
export const between = (least: number, most: number, message: string) =>
  withRules(z.int32(), {
    rule: `self >= ${least} && self <= ${most}`,
    message,
    holds: (value) => value >= least && value <= most,
  });

/** A standard condition, of one of the given types. */
export const condition = <const T extends readonly string[]>(types: T) =>
  z.object({
    type: z.enum(types),
    status: z.enum(['True', 'False', 'Unknown']),
    reason: z.string(),
    message: z.string(),
    observedGeneration: z.int().optional(),
    lastTransitionTime: dateTime(),
  });
