import { describe, expect, test } from 'vitest';
import { flagsFor } from './start-anew.ts';

const MIB = 2 ** 20;
const OPERATOR = ['/usr/bin/holdfast', 'topology'];

const inMemory = (memoryBytes: number, given: readonly string[] = []) =>
  flagsFor({ memoryBytes, given, line: OPERATOR });

describe('Node', () => {
  test('leaves in a small container more than half of the memory to others than the heap', () => {
    expect(inMemory(128 * MIB)).toEqual(['--max-old-space-size=56', '--max-semi-space-size=2']);
    expect(inMemory(512 * MIB, ['--max-semi-space-size=16'])).toContain('--max-old-space-size=225');
  });

  test.each([
    ['there is no limit', 0, []],
    ['the limit is not known', Number.NaN, []],
    ['there is plenty', 2 ** 40, []],
    ['somebody has said it', 128 * MIB, ['--max-old-space-size=80']],
    ['somebody has said it as a share', 128 * MIB, ['--max-old-space-size-percentage=50']],
  ])('is not told anything when %s', (_when, memory, given) => {
    expect(inMemory(memory, given)).toEqual([]);
  });
});

describe('an agent', () => {
  const flagsOf = (line: readonly string[], memoryBytes = 0, given: readonly string[] = []) =>
    flagsFor({ memoryBytes, given, line });

  test.each([
    ['by its job', ['/usr/bin/holdfast', 'devices']],
    ['with flags', ['/usr/bin/holdfast', 'devices', '--node-name', 'worker-1']],
    ['by the name of the original', ['/local-pv-provisioner', '--node-name', 'worker-1']],
    ['by the name of the original alone', ['/local-pv-provisioner']],
  ])('is small also where there is no limit: started %s', (_how, line) => {
    expect(flagsOf(line)).toEqual(expect.arrayContaining(['--max-semi-space-size=2', '--no-turbofan']));
  });

  test.each([
    ['another job', ['/usr/bin/holdfast', 'topology']],
    ['what a person runs beside it', ['/usr/bin/holdfast', 'devices', 'plan']],
    ['the program without a command', ['/usr/bin/holdfast']],
  ])('is not %s', (_what, line) => {
    expect(flagsOf(line)).toEqual([]);
  });

  test('is started anew once, in whatever memory', () => {
    const line = ['/usr/bin/holdfast', 'devices'];
    for (const memory of [0, 128 * MIB, 2 ** 40]) expect(flagsOf(line, memory, flagsOf(line, memory))).toEqual([]);
    expect(flagsOf(line, 128 * MIB)).toContain('--max-old-space-size=56');
  });
});
