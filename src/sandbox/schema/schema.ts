/**
 * What the sandbox knows about the shape of a kind of object: one description from which it is pruned, defaulted, validated, patched
 * and its fields are owned. Built-in kinds and those that a CustomResourceDefinition adds are described alike.
 */
import type { Json } from '../json.ts';

export interface Schema extends ValueChecks, Topology, Structure, Native {
  readonly default?: Json;
  /** For strategic merge patches: the field that tells the members of a list apart. */
  readonly patchMergeKey?: string;
  readonly patchStrategy?: readonly PatchStrategy[];
  /** CEL. */
  readonly rules?: readonly Rule[];
}

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

interface Structure {
  /** None where any value is allowed. */
  readonly type?: SchemaType;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The values of a map whose keys are free. */
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly nullable?: boolean;
  readonly preserveUnknownFields?: boolean;
  /** Has apiVersion, kind and metadata of its own. */
  readonly embeddedResource?: boolean;
  readonly intOrString?: boolean;
}

/** What is said of built-in kinds only. The server reads them into types of Go, and what it answers is what those write. */
interface Native {
  readonly native?: boolean;
  /** An empty field of a struct is left out, or kept as it came (a pointer), or written out even if it never came. */
  readonly whenEmpty?: 'omitted' | 'kept' | 'written';
  /** What an error calls the struct, `PodSpec`. */
  readonly goName?: string;
  /** What an error calls the type of a field, `[]v1.Container`, where OpenAPI does not tell. */
  readonly goType?: string;
  /** What an error puts before the name of the field: the struct that it is embedded by. */
  readonly goWithin?: string;
}

/** How the owners of an object's fields share lists and maps. Lists are atomic where nothing is said, maps are granular. */
interface Topology {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
}

/** What a value has to fulfil. Those inside of `allOf` and its like say nothing about the structure. */
export interface ValueChecks {
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

/** An entry of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}
