import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileBytes } from './file-bytes.ts';
import { SparseBytes } from './sparse-bytes.ts';

const MIB = 2 ** 20;
const SIZE = 8 * MIB + 512;

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-bytes-'));
  path = join(directory, 'disk');
});
afterEach(() => rmSync(directory, { recursive: true }));

const text = (content: { read(into: Uint8Array, position: number): void }, position: number, length: number) => {
  const into = Buffer.alloc(length, 'x');
  content.read(into, position);
  return into.toString();
};

test('what is written is in the file, and is there when it is opened again', () => {
  using disk = new FileBytes(path, SIZE);
  disk.write(Buffer.from('hello'), 3 * MIB - 2);
  expect(
    readFileSync(path)
      .subarray(3 * MIB - 2, 3 * MIB + 3)
      .toString(),
  ).toBe('hello');
  using again = new FileBytes(path, SIZE);
  expect(text(again, 3 * MIB - 2, 5)).toBe('hello');
});

test('the file is as large as the disk, and takes next to no room until something is written', () => {
  using disk = new FileBytes(path, SIZE);
  expect(statSync(path).size).toBe(SIZE);
  expect(disk.allocatedBytes).toBeLessThan(MIB);
  disk.write(Buffer.alloc(2 * MIB, 'x'), 0);
  expect(disk.allocatedBytes).toBeGreaterThanOrEqual(2 * MIB);
  disk.zero(0, SIZE);
  expect(disk.allocatedBytes).toBeLessThan(MIB);
  expect(disk.isZero(0, SIZE)).toBe(true);
});

test('zeroes do not touch what is beside them', () => {
  using disk = new FileBytes(path, SIZE);
  disk.write(Buffer.alloc(3 * MIB, 'x'), 0);
  disk.zero(MIB - 1, MIB + 2);
  expect(text(disk, MIB - 2, 3)).toBe('x\0\0');
  expect(text(disk, 2 * MIB, 3)).toBe('\0xx');
  expect(disk.isZero(MIB - 1, MIB + 2)).toBe(true);
  expect(disk.isZero(MIB - 2, 2)).toBe(false);
});

test('the digest tells content from other content, and nothing else', () => {
  using one = new FileBytes(path, SIZE);
  using other = new FileBytes(join(directory, 'other'), SIZE);
  expect(one.digest()).toBe(other.digest());
  one.write(Buffer.from('x'), SIZE - 1);
  expect(one.digest()).not.toBe(other.digest());
  other.write(Buffer.from('x'), SIZE - 1);
  expect(one.digest()).toBe(other.digest());
});

test('it is read as one in memory is', () => {
  using file = new FileBytes(path, SIZE);
  const memory = new SparseBytes();
  for (const disk of [file, memory]) {
    disk.write(Buffer.from('abcdef'), 65_533);
    disk.zero(65_535, 2);
  }
  expect(text(file, 65_530, 12)).toBe(text(memory, 65_530, 12));
});
