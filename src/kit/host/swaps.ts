/** The swap areas in use, as in /proc/swaps. */
import { decodeOctalEscapes } from './octal-escapes.ts';
import { TableError } from './table-error.ts';

export interface Swap {
  readonly path: string;
  readonly kind: 'partition' | 'file';
  readonly sizeBytes: number;
  readonly usedBytes: number;
  readonly priority: number;
}

/** Throws a `TableError` for a line that it does not understand. */
export function parseSwaps(text: string): readonly Swap[] {
  const [heading = '', ...lines] = text.split('\n');
  if (!heading.startsWith('Filename')) throw new TableError('swap table', heading);
  return lines.filter((line) => line !== '').map(parseLine);
}

function parseLine(line: string): Swap {
  const [, path, kind, size, used, priority] = /^(\S+)\s+(partition|file)\s+(\d+)\s+(\d+)\s+(-?\d+)$/.exec(line) ?? [];
  if (path === undefined || (kind !== 'partition' && kind !== 'file')) throw new TableError('swap table', line);
  return {
    path: decodeOctalEscapes(path),
    kind,
    sizeBytes: Number(size) * 1024,
    usedBytes: Number(used) * 1024,
    priority: Number(priority),
  };
}
