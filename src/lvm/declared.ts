/** Reads a volume as it is declared: what is asked for, or everything that is wrong with it. Pure. */
import { type LvmSettings, PROCESSED } from './contract.ts';
import type { Declared } from './decide.ts';
import { parseOptions } from './options/parse.ts';
import { writeOptions } from './options/write.ts';
import type { Volume } from './volume.ts';

export type Declaration =
  | { readonly ok: true; readonly declared: Declared; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[]; readonly warnings: readonly string[] };

export interface Surroundings {
  /** What the ConfigMap of defaults says. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly settings: Pick<LvmSettings, 'namespace' | 'secretNamespaces' | 'mountBase'>;
}

export function declarationOf(volume: Volume, { defaults, settings }: Surroundings): Declaration {
  const { name, uid, path, capacity, annotations, adopts, made, isHeld } = volume;
  const { namespace, secretNamespaces, mountBase } = settings;
  const wasProcessed = made !== undefined || annotations.status === PROCESSED;
  const asked = { annotations, defaults, name, path, mountBase, capacity, secretNamespaces };
  // What is in force is written with the finalizer, before anything is made: what is not among it was not asked for then.
  const isSettled = wasProcessed || isHeld;
  const parsed = parseOptions({ ...asked, isSettled, isMade: wasProcessed, agentNamespace: namespace });
  const faults = [...modeFaults(volume), ...(parsed.ok ? [] : parsed.faults)];
  const { warnings } = parsed;
  if (!parsed.ok || faults.length > 0) return { ok: false, faults, warnings };
  const { options, bytes } = parsed;
  const inForce = writeOptions(options);
  return { ok: true, declared: { name, uid, path, bytes, options, inForce, adopts, wasProcessed }, warnings };
}

const modeFaults = ({ volumeMode }: Volume): readonly string[] =>
  volumeMode === 'Filesystem'
    ? []
    : [`spec.volumeMode is ${volumeMode}, and what is mounted has a filesystem: it has to be Filesystem`];
