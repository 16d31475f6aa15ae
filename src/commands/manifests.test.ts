import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { aTerminal } from './line/recorded-terminal.ts';
import { define } from './manifests.ts';

async function manifests(...args: string[]): Promise<{ out: string; err: string }> {
  const terminal = aTerminal();
  const command = new Command('manifests').exitOverride().configureOutput({ outputError: () => {} });
  define(command, terminal);
  await command.parseAsync(args, { from: 'user' });
  return terminal.written;
}

test('prints objects that kubectl takes, and the same bytes every time', async () => {
  const { out } = await manifests();
  expect((await manifests('all')).out).toBe(out);
  const objects = parseAllDocuments(out).map((document) => document.toJS());
  expect(objects).toContainEqual(
    expect.objectContaining({ kind: 'ClusterRole', metadata: { name: 'holdfast-events' } }),
  );
});

test('prints the roles without the kinds of objects', async () => {
  const kinds = parseAllDocuments((await manifests('rbac')).out).map((document) => document.toJS().kind);
  expect(new Set(kinds)).toEqual(new Set(['ClusterRole', 'Role']));
});

test('prints the policies alone, for agents of the given name in the given namespace', async () => {
  const { out } = await manifests('admission', '--namespace=storage', '--service-account=disks');
  const objects = parseAllDocuments(out).map((document) => document.toJS());
  const kinds = objects.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']));
  const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  expect(policies.length).toBeGreaterThan(0);
  // What holds for everybody names nobody.
  for (const { spec } of policies.filter(({ spec: { paramKind } }) => paramKind?.kind !== 'PersistentVolumeSync'))
    expect(spec.matchConditions).toContainEqual(
      expect.objectContaining({ expression: expect.stringContaining("'system:serviceaccount:storage:disks'") }),
    );
});

test('takes the agents to be named like their roles, in the namespace of Holdfast', async () => {
  expect((await manifests('admission')).out).toContain("'system:serviceaccount:holdfast:holdfast-devices'");
});

test('puts what lvm may read of Secrets into the namespaces that are chosen, and into no ClusterRole', async () => {
  const { out } = await manifests('rbac', '--secret-namespaces=keys,storage');
  const roles = parseAllDocuments(out).map((document) => document.toJS());
  const ofLvm = roles.filter(({ metadata }) => metadata.name.startsWith('holdfast-lvm'));
  const toSecrets = ofLvm.filter(({ rules }) =>
    rules.some(({ resources }: { resources: readonly string[] }) => resources.includes('secrets')),
  );
  expect(toSecrets.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['Role', 'keys'],
    ['Role', 'storage'],
  ]);
});

test('writes one file for each, and says which', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-manifests-'));
  try {
    const written = (await manifests('all', `--output-dir=${join(directory, 'new')}`)).out.trim().split('\n');
    const texts = await Promise.all(written.map((path) => readFile(path, 'utf8')));
    expect(texts.join('---\n')).toBe((await manifests('all')).out);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('takes nothing else than crds, rbac, admission and all', async () => {
  await expect(manifests('roles')).rejects.toThrow('Allowed choices are crds, rbac, admission, all');
});
