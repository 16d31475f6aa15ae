/** What a write says in its query: as whom, how strictly, and whether in earnest. */
import { forbidden, invalid as invalidValue, notSupported, required, tooLong } from '../schema/field-error.ts';
import { invalid } from './refusals.ts';
import type { WriteRequest } from './target.ts';

export const APPLY = 'application/apply-patch+yaml';

const META = 'meta.k8s.io';
const KINDS: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
  DELETE: 'DeleteOptions',
};

type WriteOptions = Pick<WriteRequest, 'dryRun' | 'force' | 'fieldManager' | 'fieldValidation'>;

/** Throws a `Refusal` for what it does not know. */
export function writeOptionsIn(method: string, query: URLSearchParams, contentType: string): WriteOptions {
  if (query.size === 0 && method !== 'PATCH') return NONE;
  const dryRun = query.getAll('dryRun');
  const validation = query.get('fieldValidation') ?? '';
  const manager = query.get('fieldManager');
  const faults = [
    ...(dryRun.every((each) => each === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])]),
    ...(isValidation(validation) || validation === ''
      ? []
      : [notSupported('fieldValidation', validation, VALIDATIONS)]),
    ...(method === 'PATCH' ? patchFaults(query, contentType) : []),
    ...managerFaults(manager ?? ''),
  ];
  if (faults.length > 0) throw invalid({ group: META, kind: KINDS[method] ?? '' }, '', faults);
  return {
    dryRun: dryRun.length > 0,
    force: query.get('force') === 'true',
    ...(manager && { fieldManager: manager }),
    ...(isValidation(validation) && { fieldValidation: validation }),
  };
}

/** Of the many that say nothing. */
const NONE: WriteOptions = { dryRun: false, force: false };

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

const isValidation = (text: string): text is 'Ignore' | 'Strict' | 'Warn' => text !== '' && VALIDATIONS.includes(text);

const LONGEST_MANAGER = 128;

function managerFaults(manager: string) {
  return [
    ...(Buffer.byteLength(manager) > LONGEST_MANAGER ? [tooLong('fieldManager', LONGEST_MANAGER)] : []),
    ...unprintableFaults(manager),
  ];
}

/** The first is told, and where it is. */
function unprintableFaults(manager: string) {
  const found = /\p{C}/u.exec(manager);
  if (!found) return [];
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const place = Buffer.byteLength(manager.slice(0, found.index));
  return [invalidValue('fieldManager', manager, `invalid character U+${code} (at position ${place})`)];
}

function patchFaults(query: URLSearchParams, contentType: string) {
  if (contentType !== APPLY)
    return query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : [];
  return query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
}
