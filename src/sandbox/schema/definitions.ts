/** How schemas of built-in kinds are kept in built-in.json and go-fields.json: as OpenAPI has them, with definitions that are shared. */
import type { Json } from '../json.ts';

export interface KindSchemas {
  /** `apps/v1/StatefulSet` → the name of its definition. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Definitions;
}

export type Definitions = Readonly<Record<string, SchemaNode>>;

/** A part of an OpenAPI document, or of the schema in a CustomResourceDefinition. */
export interface SchemaNode {
  readonly [keyword: string]: Json | SchemaNode | Definitions | undefined;
  /** The name of a definition. What stands beside it is said about this use of it. */
  readonly $ref?: string;
}

/** What the Go types of the server say about the fields of a definition. */
export interface GoFields {
  /** Fields that tell empty from absent. */
  readonly pointers: readonly string[];
  /** Fields that are written out also when they are empty. */
  readonly written: readonly string[];
  /** The types of fields that have a name. */
  readonly types: Readonly<Record<string, string>>;
  /** The structs that fields are embedded by, which errors name, too. */
  readonly embedded?: Readonly<Record<string, string>>;
}
