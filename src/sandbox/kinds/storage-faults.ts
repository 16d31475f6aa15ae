/** What volumes and claims have in common, and can have wrong. */
import { listAt } from '../api-object.ts';
import type { JsonMap } from '../json.ts';
import { type FieldError, forbidden, notSupported, required } from '../schema/field-error.ts';

export const VOLUME_MODES = ['Block', 'Filesystem'];

const ALONE = 'ReadWriteOncePod';
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ALONE];

export function accessModeFaults(spec: JsonMap, detail: string): readonly FieldError[] {
  const field = 'spec.accessModes';
  const modes = listAt(spec, 'accessModes').map(String);
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  const isMixed = known.includes(ALONE) && known.some((mode) => mode !== ALONE);
  return [
    ...(modes.length === 0 ? [required(field, detail)] : []),
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(isMixed ? [forbidden(field, `may not use ${ALONE} with other access modes`)] : []),
  ];
}
