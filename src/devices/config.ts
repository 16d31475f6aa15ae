/** Reads a ConfigMap that says which devices become volumes. Strict: what is wrong in any way changes nothing on any device. */
import { isAbsolute } from 'node:path';
import { quote } from '../kit/invalid-value.ts';
import { dnsSubdomainFault } from '../kit/names.ts';
import { type Config, DEFAULT_STORAGE_CLASS, FS_TYPES, VERIFICATIONS, WIPE_METHODS } from './contract.ts';
import { type NameFilter, parseFilter } from './filter.ts';

export interface ParsedConfig {
  readonly config: Config;
  readonly accepts: NameFilter;
  /** What is ignored, for people to know. */
  readonly warnings: readonly string[];
}

const KEYS: readonly string[] = [
  'deviceDir',
  'deviceNameFilter',
  'volumeMode',
  'fsType',
  'storageClassName',
  'wipeMethod',
  'wipeVerify',
  'wipeExisting',
];
/** The longest path without the longest name. */
const LONGEST_DIRECTORY = 4096 - 256;
const VOLUME_MODES = ['Filesystem', 'Block'] as const;

/** The configuration, or each thing that is wrong with it as a sentence. */
export function parseConfig(
  data: Readonly<Record<string, string>> = {},
): ParsedConfig | { readonly faults: readonly string[] } {
  const settings = new Settings(data);
  const deviceDir = settings.read('deviceDir', DIRECTORY);
  const accepts = settings.read('deviceNameFilter', FILTER);
  const volumeMode = settings.read('volumeMode', oneOf(VOLUME_MODES));
  const fsType = volumeMode === 'Filesystem' ? settings.read('fsType', oneOf(FS_TYPES)) : undefined;
  const storageClassName = settings.read('storageClassName', STORAGE_CLASS, DEFAULT_STORAGE_CLASS);
  const wipeMethod = settings.read('wipeMethod', oneOf(WIPE_METHODS), 'zero-head');
  const wipeVerify = settings.read('wipeVerify', oneOf(VERIFICATIONS), 'sample');
  const wipeExisting = settings.read('wipeExisting', oneOf(['true', 'false']), 'false') === 'true';
  const isWhole = deviceDir && accepts && volumeMode && storageClassName && wipeMethod && wipeVerify;
  if (!isWhole || settings.faults.length > 0) return { faults: settings.faults };
  const config = {
    deviceDir,
    deviceNameFilter: data.deviceNameFilter ?? '',
    volumeMode,
    ...(fsType && { fsType }),
    storageClassName,
    wipeMethod,
    wipeVerify,
    wipeExisting,
  };
  const isIdle = data.fsType !== undefined && volumeMode === 'Block';
  return { config, accepts, warnings: isIdle ? ['fsType is ignored, since volumeMode is Block'] : [] };
}

/** One kind of value. A fault is how the sentence goes on that begins with the key; what is allowed is its end. */
interface Kind<T> {
  readonly allowed: string;
  read(text: string): { readonly value: T } | { readonly fault: string };
}

/** Reads one setting after the other, and collects what is wrong. */
class Settings {
  readonly faults: string[];
  readonly #data: ReadonlyMap<string, string>;

  constructor(data: Readonly<Record<string, string>>) {
    this.#data = new Map(Object.entries(data));
    const strangers = [...this.#data.keys()].filter((key) => !KEYS.includes(key));
    this.faults = strangers.map((key) => `${quote(key)} is not a key: the keys are ${KEYS.join(', ')}`);
  }

  /** Nothing where there is a fault. */
  read<T>(key: string, { read, allowed }: Kind<T>, otherwise?: T): T | undefined {
    const text = this.#data.get(key);
    if (text === undefined && otherwise !== undefined) return otherwise;
    const outcome = text === undefined ? { fault: 'is missing' } : read(text);
    if ('value' in outcome) return outcome.value;
    this.faults.push(`${key} ${outcome.fault}: ${allowed}`);
    return undefined;
  }
}

function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  return {
    allowed: `it is one of ${values.join(', ')}`,
    read(text) {
      const value = values.find((one) => one === text);
      return value === undefined ? not(text) : { value };
    },
  };
}

const FILTER: Kind<NameFilter> = {
  allowed:
    'it is a regular expression in the syntax of Go (RE2), without lookahead, lookbehind and backreferences, and ".*" takes every device',
  read(text) {
    if (text === '') return { fault: 'is empty' };
    if (hasControl(text)) return not(text, 'it has a line break or another control character in it');
    const value = parseFilter(text);
    return 'fault' in value ? not(text, value.fault) : { value };
  },
};

const STORAGE_CLASS: Kind<string> = {
  allowed: `it is the name of a StorageClass, or is left out for ${DEFAULT_STORAGE_CLASS}`,
  read(text) {
    const fault = dnsSubdomainFault(text);
    return fault === undefined ? { value: text } : { fault: `cannot be used (${fault})` };
  },
};

const DIRECTORY: Kind<string> = {
  allowed: 'it is the absolute path of a directory with devices, such as /dev/disk/by-path',
  read(text) {
    const fault = pathFault(text);
    return fault === undefined ? { value: text } : not(text, fault);
  },
};

/** A volume keeps the path of its device below this one. It has to lead to the same place for whoever reads it. */
function pathFault(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (Buffer.byteLength(path) > LONGEST_DIRECTORY) return 'it is longer than the system takes';
  if (hasControl(path)) return 'it has a line break or another control character in it';
  if (!isAbsolute(path)) return 'it does not begin with a slash';
  const names = path.replace(/\/+$/, '').split('/').slice(1);
  if (names.length === 0) return 'that is the whole file system';
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'it has an empty name, "." or ".." in it';
  if (names[0] === 'proc' || names[0] === 'sys')
    return `there are no devices in /${names[0]}, only links that come and go`;
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text);

const not = (text: string, why?: string) => ({
  fault: `cannot be ${quote(text)}${why === undefined ? '' : ` (${why})`}`,
});
