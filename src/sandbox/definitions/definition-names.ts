/** The names in a definition: its own, and those of what it defines. */
import { type ApiObject, listAt, textAt } from '../api-object.ts';
import { dns1035Faults } from '../kinds/name-faults.ts';
import { type FieldError, invalid, required } from '../schema/field-error.ts';

/** It is called by what it defines, besides what goes for every name. */
export function nameFaults(object: ApiObject): readonly FieldError[] {
  const { name = '' } = object.metadata;
  const wanted = `${textAt(object, 'spec', 'names', 'plural')}.${textAt(object, 'spec', 'group')}`;
  return name === wanted ? [] : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

const NEEDED = ['plural', 'singular', 'kind', 'listKind'] as const;
const MIXED: readonly string[] = ['kind', 'listKind'];

export function namesFaults(object: ApiObject): readonly FieldError[] {
  const nameOf = (field: string) => textAt(object, 'spec', 'names', field);
  const place = (field: string) => `spec.names.${field}`;
  const listed = (field: string) =>
    listAt(object, 'spec', 'names', field).flatMap((name, index) =>
      labelFaults(String(name), `${place(field)}[${index}]`),
    );
  const [kind, listKind] = [nameOf('kind'), nameOf('listKind')];
  return [
    ...NEEDED.filter((field) => nameOf(field) === '').map((field) => required(place(field))),
    ...NEEDED.flatMap((field) =>
      nameOf(field) === '' ? [] : labelFaults(nameOf(field), place(field), MIXED.includes(field)),
    ),
    ...listed('shortNames'),
    ...(kind !== '' && kind === listKind
      ? [invalid(place('listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...listed('categories'),
  ];
}

function labelFaults(name: string, field: string, isMixed = false): readonly FieldError[] {
  const faults = dns1035Faults(isMixed ? name.toLowerCase() : name);
  if (faults.length === 0) return [];
  const words = isMixed ? 'may have mixed case, but should otherwise match: ' : '';
  return [invalid(field, name, `${words}${faults.join(',')}`)];
}
