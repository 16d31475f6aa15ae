/** Mounting, without the mounting: what a mount table says of a place, how a table of our own is written, and what mount(8) says of it. */
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { decodeOctalEscapes } from '../kit/host/octal-escapes.ts';

export type MountedAt =
  | { readonly kind: 'nothing' }
  /** Our device, all of it, and nothing below or above it. */
  | { readonly kind: 'ours'; readonly mount: Mount }
  /** One mount of something else, or of a part of our device. */
  | { readonly kind: 'other'; readonly mount: Mount }
  /** Several, one upon the other: only the uppermost is seen by who looks there. */
  | { readonly kind: 'stacked'; readonly mounts: readonly Mount[] };

/** The uppermost mount is the last one of the table. A filesystem with a number of its own (btrfs) must have been given its device's. */
export function mountedAt(mounts: readonly Mount[], path: string, device: DeviceNumber): MountedAt {
  const there = mounts.filter(({ mountPoint }) => mountPoint === path);
  const [mount, ...others] = there;
  if (!mount) return { kind: 'nothing' };
  if (others.length > 0) return { kind: 'stacked', mounts: there };
  return { kind: mount.device === device && mount.root === '/' ? 'ours' : 'other', mount };
}

/** A line of an fstab(5). */
export interface FstabEntry {
  readonly source: string;
  readonly path: string;
  readonly fsType: string;
  readonly options: readonly string[];
}

/** What mount(8) reads as the end of a field, of a line or of an escape; and a hash, which begins a comment. */
const PARTS_FIELDS = /[ \t\n\r\\#]/g;

const encodeOctalEscapes = (text: string): string =>
  text.replace(PARTS_FIELDS, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** For `mount --all`, which mounts what is not mounted there yet. Throws for what no such table can hold. */
export function renderFstab(entries: readonly FstabEntry[]): string {
  return entries.map(renderLine).join('');
}

function renderLine({ source, path, fsType, options }: FstabEntry): string {
  const fields = [source, path, fsType, options.join(',') || 'defaults'];
  const empty = fields.some((field) => field === '');
  if (empty || options.some((option) => option === '' || option.includes(',')))
    throw new TypeError(`no table of mounts can hold ${JSON.stringify(fields)}`);
  return `${[...fields.map(encodeOctalEscapes), '0', '0'].join(' ')}\n`;
}

/** Of a table that we wrote. */
export function parseFstab(text: string): readonly FstabEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [source = '', path = '', fsType = '', options = ''] = line.split(' ').map(decodeOctalEscapes);
      return { source, path, fsType, options: options === 'defaults' ? [] : options.split(',') };
    });
}

export interface MountFailures {
  /** What mount(8) said of each path, by path. */
  readonly byPath: ReadonlyMap<string, string>;
  /** What it said of none of them. */
  readonly others: readonly string[];
}

/** A line without a path belongs to the last one that has one. */
const GOES_ON = /^\s+/;
/** That is said of a mount that has worked. */
const WARNING = /^WARNING:/;
/** It stands below every failure. */
const ADVICE = /dmesg\(1\) may have more information/;

/** What mount(8) complained of, by the paths that it was to mount at. It says nothing of those that it has mounted, or that were. */
export function mountFailures(stderr: string, paths: readonly string[]): MountFailures {
  const byPath = new Map<string, string>();
  const others: string[] = [];
  for (const complaint of complaintsIn(stderr)) {
    const path = subjectOf(complaint, paths);
    if (path === undefined) others.push(complaint);
    else note(byPath, path, complaint.slice(complaint.indexOf(path) + path.length + ': '.length));
  }
  return { byPath, others };
}

function complaintsIn(stderr: string): readonly string[] {
  const complaints: string[] = [];
  for (const line of stderr.split('\n').filter((text) => text.trim() !== '' && !ADVICE.test(text))) {
    const last = complaints.pop();
    if (last !== undefined && GOES_ON.test(line)) complaints.push(`${last} ${line.trim()}`);
    else complaints.push(...(last === undefined ? [] : [last]), line.trim());
  }
  return complaints;
}

/** One path can be the beginning of another: the longest is meant. */
function subjectOf(complaint: string, paths: readonly string[]): string | undefined {
  return paths
    .filter((path) => complaint.startsWith(`mount: ${path}: `))
    .reduce<string | undefined>((longest, path) => (path.length > (longest?.length ?? 0) ? path : longest), undefined);
}

function note(byPath: Map<string, string>, path: string, said: string): void {
  if (WARNING.test(said)) return;
  byPath.set(path, [...(byPath.has(path) ? [byPath.get(path)] : []), said].join(' '));
}
