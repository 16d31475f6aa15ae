/** Why an apply is refused: it would change what others own. In the words of the server. */

import type { StatusCause } from '../../kit/kube/api-error.ts';
import { goQuoted } from '../go-text.ts';
import { type FieldPath, type FieldSet, pathsOf } from './field-set.ts';
import type { Manager, Owners } from './managers.ts';
import { elementText } from './path-element.ts';

export interface Conflicts {
  readonly message: string;
  readonly causes: readonly StatusCause[];
}

export function conflictsOf(conflicts: ReadonlyMap<string, FieldSet>, owners: Owners): Conflicts {
  const managers = [...conflicts.keys()].toSorted().flatMap((id) => {
    const manager = owners.get(id)?.manager;
    return manager ? [{ words: wordsFor(manager), paths: pathsOf(conflicts.get(id) ?? new Map()) }] : [];
  });
  const causes = managers.flatMap(({ words, paths }) => paths.map((path) => causeOf(words, path)));
  if (causes.length === 1) {
    return { message: `Apply failed with 1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`, causes };
  }
  const lines = managers.flatMap(({ words, paths }) => [
    `conflicts with ${words}:`,
    ...paths.map((path) => `- ${pathText(path)}`),
  ]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes };
}

const causeOf = (words: string, path: FieldPath): StatusCause => ({
  reason: 'FieldManagerConflict',
  message: `conflict with ${words}`,
  field: pathText(path),
});

const pathText = (path: FieldPath): string => path.map(elementText).join('');

function wordsFor({ name, operation, apiVersion, subresource }: Manager): string {
  const quoted = subresource === '' ? goQuoted(name) : `${goQuoted(name)} with subresource ${goQuoted(subresource)}`;
  return operation === 'Update' ? `${quoted} using ${apiVersion}` : quoted;
}
