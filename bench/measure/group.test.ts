import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groupNames } from './group.ts';

test('every group is there, and is named like its directory', () => {
  const names = groupNames();
  expect(names).toContain('topology');
  for (const name of names) {
    const text = readFileSync(new URL(`../${name}/group.ts`, import.meta.url), 'utf8');
    expect(text).toMatch(new RegExp(`export const group: Group = \\{\\s+name: '${name}',`));
  }
});
