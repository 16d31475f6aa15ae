/** What the server knows about one kind of object. Everything that differs between kinds is said here, and nowhere else. */
import type { StatusCause } from '../../kit/kube/api-error.ts';
import type { Resource } from '../../kit/kube/resource.ts';
import type { ApiObject } from '../api-object.ts';
import type { Schema } from '../schema/schema.ts';

export interface Kind {
  readonly resource: Resource;
  /** What it is stored as: several kinds may be forms of one. */
  readonly stored: StoredForm;
  readonly verbs: readonly string[];
  /** Besides status and scale. */
  readonly subresources: readonly Subresource[];
  /** For people: `kubectl get pod`, `po`, `all`. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly schema: Schema;
  /** Added by a CustomResourceDefinition. */
  readonly isCustom: boolean;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  /** Whether metadata.generation is counted up when anything but metadata and status changes. */
  readonly hasGeneration: boolean;
  /** An update may leave the resourceVersion out. */
  readonly updatesUnconditionally: boolean;
  /** A PUT or an apply of what is not there creates it. */
  readonly createsOnUpdate: boolean;
  /** Deleting it answers with what was deleted, and not with a Status. */
  readonly returnsDeleted: boolean;
  /** What is wrong with a name. */
  readonly nameFaults: (name: string) => readonly string[];
  /** Field selectors may ask for these, besides the name and the namespace. */
  readonly selectable: (object: ApiObject) => Readonly<Record<string, string>>;
  /** Fills in what the sender left out, both on create and on update. */
  readonly defaulted: (object: ApiObject) => ApiObject;
  /** What a new object begins with, whatever the sender says. */
  readonly begun: (object: ApiObject) => ApiObject;
  /** What an update through the object itself may not touch is taken from the old one. */
  readonly updated: (object: ApiObject, old: ApiObject) => ApiObject;
  /** What an update through the status subresource makes of it. */
  readonly withStatus: (object: ApiObject, old: ApiObject) => ApiObject;
  /** `through` is the subresource that it is written by. */
  readonly faults: (object: ApiObject, old?: ApiObject, through?: string) => readonly StatusCause[];
  /** What else is said of an object that is being deleted. */
  readonly marked: (object: ApiObject) => ApiObject;
  /** Whether something besides finalizers keeps it when it is deleted. */
  readonly isHeld: (object: ApiObject) => boolean;
  /** How long it may go on after its deletion unless the request says otherwise; nothing where deletion is not graceful. */
  readonly graceSeconds?: (object: ApiObject) => number;
  readonly columns: readonly Column[];
}

export interface StoredForm {
  /** The collection that it is in. */
  readonly name: string;
  readonly toStored?: (object: ApiObject) => ApiObject;
  readonly fromStored?: (object: ApiObject) => ApiObject;
}

/** As the kind has it. What is stored is never changed, and is shown in the same form to all who see it. */
export function seen({ stored }: Kind, object: ApiObject): ApiObject {
  if (!stored.fromStored) return object;
  const shown = forms.get(stored) ?? new WeakMap<ApiObject, ApiObject>();
  const known = shown.get(object);
  if (known) return known;
  const form = stored.fromStored(object);
  forms.set(stored, shown.set(object, form));
  return form;
}

const forms = new WeakMap<StoredForm, WeakMap<ApiObject, ApiObject>>();

/** As it is stored. */
export const kept = ({ stored }: Kind, object: ApiObject): ApiObject => stored.toStored?.(object) ?? object;

export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: string;
  /** Of the kind, where it is not that of the resource. */
  readonly group?: string;
  readonly version?: string;
}

/** Dotted paths, as a CustomResourceDefinition writes them. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Shown by `-o wide` only, unless it is 0. */
  readonly priority?: number;
  /** `now` is for how long ago something was. */
  readonly cell: (object: ApiObject, now: Date) => Cell;
}

export type Cell = string | number | boolean | null;
