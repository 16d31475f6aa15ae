/** Reads `mountOpts`: a list with commas, and each of it checked. */
import type { FileSystem } from '../contract.ts';
import { ALLOWED } from './allowed.ts';
import { listed, shown } from './shown.ts';
import { keyAndValue, named, partFault, whyRefused } from './values.ts';

export interface ReadMountOptions {
  /** Without duplicates. */
  readonly options: readonly string[];
  /** Each is how a sentence goes on that begins with `mountOpts`. */
  readonly faults: readonly string[];
}

/** Besides those that are one with `no` in front of the other. */
const RIVALS: readonly (readonly string[])[] = [
  ['ro', 'rw'],
  ['async', 'sync'],
  ['noatime', 'relatime', 'strictatime'],
  ['grpid', 'nogrpid', 'bsdgroups', 'sysvgroups'],
  ['bsddf', 'minixdf'],
  ['inode32', 'inode64'],
  ['dioread_lock', 'dioread_nolock'],
  ['compress', 'compress-force'],
];

export function readMountOptions(fsType: FileSystem, text: string): ReadMountOptions {
  const options = [...new Set(text === '' ? [] : text.split(','))];
  return {
    options,
    faults: [...strangersFault(fsType, options), ...valueFaults(fsType, options), ...clashes(options)],
  };
}

/** In one sentence, since what is allowed is a long list. */
function strangersFault(fsType: FileSystem, options: readonly string[]): string[] {
  const { mount, mountRefused } = ALLOWED[fsType];
  const strangers = options.filter((option) => !named(mount, keyAndValue(option)[0]));
  if (strangers.length === 0) return [];
  const reasons = strangers.map((option) => {
    const why = whyRefused(mountRefused, keyAndValue(option)[0]);
    return why === undefined ? shown(option) : `${shown(option)} (${why})`;
  });
  const known = mount.map(({ name }) => name).join(', ');
  return [`cannot have ${listed(reasons)}: with ${fsType}, mount takes ${known}`];
}

function valueFaults(fsType: FileSystem, options: readonly string[]): string[] {
  const { mount, mountRefused } = ALLOWED[fsType];
  return options.flatMap((option) => {
    const [name, value] = keyAndValue(option);
    const allowed = named(mount, name);
    const fault = allowed && partFault(allowed, value, { name, refused: mountRefused });
    return fault === undefined ? [] : [`cannot have ${shown(option)}: ${fault}`];
  });
}

/** The last of them would win, and nobody would be told. */
function clashes(options: readonly string[]): string[] {
  return options.flatMap((option, i) => {
    const rival = options.slice(i + 1).find((other) => areRivals(keyAndValue(option)[0], keyAndValue(other)[0]));
    return rival === undefined ? [] : [`cannot have both ${shown(option)} and ${shown(rival)}`];
  });
}

const areRivals = (one: string, other: string): boolean =>
  one === other ||
  one === `no${other}` ||
  other === `no${one}` ||
  RIVALS.some((rivals) => rivals.includes(one) && rivals.includes(other));
