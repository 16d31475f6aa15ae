/** Which objects of a collection a request is about: a namespace, labels and fields. */
import { type FieldSelector, matchesFields, parseFieldSelector } from '../../kit/field-selectors.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import { parseLabelSelector } from '../../kit/selector-syntax.ts';
import { matches } from '../../kit/selectors.ts';
import type { ApiObject } from '../api-object.ts';
import type { Kind } from '../kinds/kind.ts';
import { badRequest } from './refusals.ts';
import { fieldSelectorFault, labelSelectorFault } from './selector-faults.ts';
import type { Target } from './target.ts';

export interface Selection {
  /** What the keys of the objects begin with. */
  readonly prefix: string;
  /** Whether it selects by anything but the place. */
  readonly isFiltered: boolean;
  readonly selects: (object: ApiObject) => boolean;
}

export function selectionOf({ kind, namespace, name }: Target, query: URLSearchParams): Selection {
  const labels = parsed(query.get('labelSelector') ?? '', parseLabelSelector, labelSelectorFault);
  const fields = parsed(query.get('fieldSelector') ?? '', parseFieldSelector, fieldSelectorFault);
  checkFields(kind, fields);
  const named = name === undefined ? [] : [{ field: 'metadata.name', operator: '=' as const, value: name }];
  const wanted = [...fields, ...named];
  return {
    prefix: namespace ? `${namespace}/` : '',
    isFiltered: labels.length + wanted.length > 0,
    selects: (object) => matches(labels, object.metadata.labels) && selectsFields(kind, wanted, object),
  };
}

function selectsFields(kind: Kind, selector: FieldSelector, object: ApiObject): boolean {
  if (selector.length === 0) return true;
  const { name = '', namespace = '' } = object.metadata;
  return matchesFields(selector, {
    ...kind.selectable(object),
    'metadata.name': name,
    'metadata.namespace': namespace,
  });
}

const NOTHING: ApiObject = { metadata: {} };

function checkFields(kind: Kind, selector: FieldSelector): void {
  const known = new Set(['metadata.name', 'metadata.namespace', ...Object.keys(kind.selectable(NOTHING))]);
  const unknown = selector.find(({ field }) => !known.has(field));
  if (!unknown) return;
  if (kind.isCustom || known.size > 2) throw badRequest(`field label not supported: ${unknown.field}`);
  throw badRequest(`"${unknown.field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

/** What is wrong is told in the server's words, and in ours where it has none. */
function parsed<T>(text: string, parse: (text: string) => T, fault: (text: string) => string | undefined): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidValue) throw badRequest(fault(text) ?? error.message);
    throw error;
  }
}
