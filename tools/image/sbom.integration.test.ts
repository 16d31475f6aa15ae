import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { npmPackages } from './npm-packages.ts';
import { spdx } from './sbom.ts';

function billed(): readonly { readonly name: string; readonly versionInfo: string }[] {
  return JSON.parse(spdx('node', [], npmPackages(), { version: '1.2.3', nodeVersion: '26.0.0', epoch: 0 })).packages;
}

test('the bill of materials has the packages of npm that npm says there are', () => {
  // Not by `npm sbom --omit=dev`: of what development uses as well it leaves out even direct dependencies.
  const args = ['ls', '--omit=dev', '--all', '--parseable', '--long', '--package-lock-only'];
  const cwd = resolve(import.meta.dirname, '../..');
  const said = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const listed = said.matchAll(/node_modules\/[^:]*:((?!node-linux-)[^:\n]+)/g).map(([, name = '']) => name);
  const names = billed().map(({ name, versionInfo }) => `${name}@${versionInfo}`);
  const ours = names.filter((name) => !/^(holdfast|node)@/.test(name));
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.toSorted()).toEqual([...new Set(listed)].toSorted());
});
