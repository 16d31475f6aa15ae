/** Reads a ConfigMap that says which devices become volumes. Strict: what is wrong in any way changes nothing on any device. */
import { isAbsolute } from 'node:path';
import { quote } from '../kit/invalid-value.ts';
import { dnsSubdomainFault } from '../kit/names.ts';
import { type Config, DEFAULT_STORAGE_CLASS, FS_TYPES, type FsType, VERIFICATIONS, WIPE_METHODS } from './contract.ts';
import { type NameFilter, parseFilter } from './filter.ts';

export interface ParsedConfig {
  readonly config: Config;
  readonly accepts: NameFilter;
  /** What is ignored, for people to know. */
  readonly warnings: readonly string[];
}

const KEYS = [
  'deviceDir',
  'deviceNameFilter',
  'volumeMode',
  'fsType',
  'storageClassName',
  'wipeMethod',
  'wipeVerify',
  'wipeExisting',
] as const;
type Data = Readonly<Record<string, string>>;

/** The configuration, or each thing that is wrong with it as a sentence. */
export function parseConfig(data: Data): ParsedConfig | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const say = (fault: string) => faults.push(fault);
  for (const key of Object.keys(data))
    if (!isKnown(key)) say(`${quote(key)} is not a key; the keys are ${KEYS.join(', ')}`);
  const deviceDir = directory(data, say);
  const filterText = required(data, 'deviceNameFilter', say) ?? '';
  const accepts = parseFilter(filterText);
  if ('fault' in accepts)
    say(`deviceNameFilter ${quote(filterText)} is not a regular expression in the syntax of RE2: ${accepts.fault}`);
  const volumeMode = oneOf(data, 'volumeMode', ['Filesystem', 'Block'] as const, undefined, say) ?? 'Block';
  const fsType = fsTypeOf(data, say);
  const storageClassName = data.storageClassName || DEFAULT_STORAGE_CLASS;
  const classFault = dnsSubdomainFault(storageClassName);
  if (classFault) say(`storageClassName: ${classFault}`);
  const wipeMethod = oneOf(data, 'wipeMethod', WIPE_METHODS, 'zero-head', say) ?? 'zero-head';
  const wipeVerify = oneOf(data, 'wipeVerify', VERIFICATIONS, 'sample', say) ?? 'sample';
  const wipeExisting = oneOf(data, 'wipeExisting', ['true', 'false'] as const, 'false', say) === 'true';
  if (faults.length > 0 || 'fault' in accepts) return { faults };
  return {
    config: {
      deviceDir,
      deviceNameFilter: filterText,
      volumeMode,
      ...(fsType && { fsType }),
      storageClassName,
      wipeMethod,
      wipeVerify,
      wipeExisting,
    },
    accepts,
    warnings: data.fsType && volumeMode === 'Block' ? ['fsType is ignored, since volumeMode is Block'] : [],
  };
}

type Say = (fault: string) => void;

const isKnown = (key: string): boolean => (KEYS as readonly string[]).includes(key);

function directory(data: Data, say: Say): string {
  const path = required(data, 'deviceDir', say) ?? '';
  if (path !== '' && !isAbsolute(path)) say(`deviceDir ${quote(path)} is not an absolute path`);
  if (path.includes('\0')) say('deviceDir contains a NUL byte');
  return path;
}

/** Exactly with Filesystem. Beside Block it is ignored, as it always was. */
function fsTypeOf(data: Data, say: Say): FsType | undefined {
  if (data.volumeMode !== 'Filesystem') return undefined;
  return oneOf(data, 'fsType', FS_TYPES, undefined, say);
}

function required(data: Data, key: string, say: Say): string | undefined {
  if (!data[key]) say(`${key} is missing`);
  return data[key];
}

function oneOf<T extends string>(
  data: Data,
  key: string,
  allowed: readonly T[],
  otherwise: T | undefined,
  say: Say,
): T | undefined {
  const value = data[key];
  if (!value && otherwise !== undefined) return otherwise;
  if (!value) {
    say(`${key} is missing: it is one of ${allowed.join(', ')}`);
    return undefined;
  }
  const found = allowed.find((one) => one === value);
  if (!found) say(`${key} cannot be ${quote(value)}: it is one of ${allowed.join(', ')}`);
  return found;
}
