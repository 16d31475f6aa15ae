/** The doctor on a real machine, and without a cluster: what it says of programs and modules is so, and of the cluster nothing is known. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../src/doctor/answer.ts';
import { TOOLS } from '../../src/doctor/needs.ts';
import { runHoldfast } from '../harness/holdfast.ts';

let answer: Answer;
let code: number | null;
beforeAll(async () => {
  const flags = [
    '--node',
    '--mount-namespace=own',
    '-o',
    'json',
    '--fail-on=unknown',
    '--kubeconfig=/nonexistent/config',
  ];
  const ended = await runHoldfast('doctor', ...flags);
  code = ended.code;
  answer = JSON.parse(ended.stdout);
});

const verdictOf = (name: string) => answer.checks.find(({ check }) => check === name)?.verdict;
const isInstalled = (program: string): Promise<boolean> =>
  promisify(execFile)('/bin/sh', [
    '-c',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin command -v "$0"',
    program,
  ]).then(
    () => true,
    () => false,
  );

test('a program is missed exactly where a shell does not find it', async () => {
  const found = await Promise.all(TOOLS.map(async ({ name }) => [name, await isInstalled(name)] as const));
  const missing = found.flatMap(([name, isThere]) => (isThere ? [] : [`program ${name}`]));
  const verdict = verdictOf('tools');
  const told = verdict?.is === 'found' ? verdict.findings.map(({ subject }) => subject) : [];
  expect(told.toSorted()).toEqual(missing.toSorted());
});

test('a module that is in use is never missed', () => {
  const verdict = verdictOf('kernel-modules');
  const missed = verdict?.is === 'found' ? verdict.findings.map(({ subject }) => subject) : [];
  expect(missed).not.toContain('kernel module loop');
});

test('of the cluster, and of what of the machine belongs to it, nothing is known', () => {
  const known = answer.checks.filter(({ verdict }) => verdict.is !== 'unknown').map(({ check }) => check);
  expect(known.filter((check) => check !== 'tools' && check !== 'kernel-modules')).toEqual([]);
  expect(verdictOf('left-on-node')).toMatchObject({ why: expect.stringContaining('/nonexistent/config') });
  expect(code).toBe(1);
});
