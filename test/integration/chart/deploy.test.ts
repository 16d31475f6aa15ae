/** The plain manifests in deploy/install: what the chart makes today, and what a real API server takes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployFiles } from '../../../tools/deploy/files.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { runHoldfast } from '../../harness/holdfast.ts';
import { eventually } from '../../harness/wait.ts';
import { aPool, poolsIn } from '../pool/shipped.ts';
import { CHART, type Rendered } from './helm.ts';
import { collectionOf, pathOf } from './paths.ts';

const deploy = join(CHART, '../../deploy');
const files = deployFiles();

test.each(files)('$path is what the chart makes (run make deploy)', async ({ path, text }) => {
  expect(await readFile(join(deploy, path), 'utf8')).toBe(text);
});

test('nothing is left of what is no longer made (delete it)', async () => {
  const kept = await readdir(join(deploy, 'install'));
  expect(kept.map((name) => `install/${name}`).toSorted()).toEqual(files.map(({ path }) => path).toSorted());
});

const objectsIn = (text: string): readonly Rendered[] =>
  parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);

test('kinds, with which all objects of them would go, are in files of their own, which warn of it', () => {
  const kindsOf = ({ text }: (typeof files)[number]) => new Set(objectsIn(text).map(({ kind }) => kind));
  const [kinds, others] = [true, false].map((are) => files.filter(({ path }) => /\/crd-/.test(path) === are));
  expect(kinds?.map(({ path }) => path)).toEqual(['install/crd-pool.yaml', 'install/crd-sync.yaml']);
  for (const file of kinds ?? []) {
    expect([...kindsOf(file)]).toEqual(['CustomResourceDefinition']);
    expect(file.text).toContain('# NEVER kubectl delete -f this file');
  }
  for (const file of others ?? []) expect(kindsOf(file)).not.toContain('CustomResourceDefinition');
});

describe('a real API server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('takes all of them, one after the other, and the doctor finds nothing wrong with what is there then', async () => {
    for (const { text } of files) {
      const objects = objectsIn(text);
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) await plane.admin.post(collectionOf(object, 'holdfast'), object);
    }
    await eventually(async () => {
      const { code, stdout } = await runHoldfast('doctor', '-o', 'json', `--kubeconfig=${plane.kubeconfig}`);
      const { counts, checks } = JSON.parse(stdout);
      expect(checks.filter(({ verdict }: { verdict: { is: string } }) => verdict.is !== 'ok')).toEqual([]);
      expect({ code, counts }).toMatchObject({ code: 0, counts: { error: 0, unknown: 0 } });
    });
  });

  test('keeps every pool when all is deleted again by the files of the jobs', async () => {
    const pools = poolsIn('holdfast');
    await plane.admin.post(pools, aPool('data'));
    for (const { path, text } of files)
      if (!/crd-|namespace/.test(path))
        for (const object of objectsIn(text)) await plane.admin.delete(pathOf(object, 'holdfast'));
    const { metadata } = await plane.admin.get(`${pools}/data`);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
  });
});
