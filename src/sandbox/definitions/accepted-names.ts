/** Which of the names that a definition asks for it gets: none that another of its group has. */
import { textAt } from '../api-object.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';

export interface AcceptedNames {
  readonly names: JsonMap;
  /** Why it does not get all of them. */
  readonly conflict?: { readonly reason: string; readonly message: string };
}

/** By the field, what a conflict is called, and whose names it must not be one of. */
const FIELDS = [
  ['plural', 'PluralConflict', 'resources'],
  ['singular', 'SingularConflict', 'resources'],
  ['shortNames', 'ShortNamesConflict', 'resources'],
  ['kind', 'KindConflict', 'kinds'],
  ['listKind', 'ListKindConflict', 'kinds'],
] as const;

const textsIn = (value: Json | undefined): readonly string[] => {
  if (isList(value)) return value.map(String);
  return typeof value === 'string' ? [value] : [];
};

/** What it has already stays its own. The last conflict is told. */
export function acceptedNames(wanted: JsonMap, had: JsonMap, others: readonly JsonMap[]): AcceptedNames {
  const taken = {
    resources: new Set([had, ...others].flatMap((each) => RESOURCES.flatMap((field) => textsIn(each[field])))),
    kinds: new Set([had, ...others].flatMap((each) => KINDS.flatMap((field) => textsIn(each[field])))),
  };
  let names: JsonMap = had;
  let conflict: AcceptedNames['conflict'];
  for (const [field, reason, among] of FIELDS) {
    const own = textsIn(had[field]);
    const used = textsIn(wanted[field]).filter((name) => !own.includes(name) && taken[among].has(name));
    if (used.length > 0) conflict = { reason, message: inUse(used) };
    else names = withField(names, field, wanted[field]);
  }
  return { names: withField(names, 'categories', wanted.categories), ...(conflict && { conflict }) };
}

const RESOURCES = ['plural', 'singular', 'shortNames'];
const KINDS = ['kind', 'listKind'];

function inUse(names: readonly string[]): string {
  const messages = [...new Set(names.map((name) => `"${name}" is already in use`))];
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

function withField(names: JsonMap, field: string, value: Json | undefined): JsonMap {
  const { [field]: _, ...rest } = names;
  return value === undefined ? rest : { ...rest, [field]: value };
}

/** Of a definition that has got none yet. */
export const NO_NAMES: JsonMap = { plural: '', kind: '' };

export const namesOf = (definition: Json): JsonMap => {
  const names = isMap(definition) && isMap(definition.spec) ? definition.spec.names : undefined;
  return isMap(names) ? names : NO_NAMES;
};

export const groupOf = (definition: Json): string => textAt(definition, 'spec', 'group');
