import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customResourceDefinition } from '../../../src/kit/manifests/crd.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { Answer, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { everyFeature, spec } from './every-feature.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SAMPLES = '/apis/test.holdfast.dev/v1/namespaces/default/samples';

interface Crd extends RawObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

let controlPlane: ControlPlane;
let crd: Crd;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.admin.post(CRDS, customResourceDefinition(everyFeature));
  crd = await eventually(async () => {
    const current = await controlPlane.admin.get<Crd>(`${CRDS}/samples.test.holdfast.dev`);
    expect(condition(current, 'Established')).toMatchObject({ status: 'True' });
    return current;
  });
  await eventually(async () => (await create(minimal)).status === 201);
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const condition = (of: Crd, type: string) => of.status?.conditions?.find((candidate) => candidate.type === type);

const minimal = { size: 3, mode: 'Protected', range: { from: 1, to: 2 } };

const object = (name: string, specification: unknown) => ({
  apiVersion: 'test.holdfast.dev/v1',
  kind: 'Sample',
  metadata: { name },
  spec: specification,
});

/** Asks the server for its verdict; nothing is stored. */
function create(specification: unknown, name = 'probe'): Promise<Answer<RawObject & { message?: string }>> {
  return controlPlane.admin.request('POST', `${SAMPLES}?dryRun=All`, object(name, specification));
}

test('the schema is structural, and the server has nothing to remark', () => {
  expect(condition(crd, 'NonStructuralSchema')).toBeUndefined();
  expect(condition(crd, 'NamesAccepted')).toMatchObject({ status: 'True' });
});

test('the server stores what was generated, and adds nothing', async () => {
  const { versions, names } = (crd as unknown as { spec: { versions: unknown[]; names: unknown } }).spec;
  const generated = customResourceDefinition(everyFeature).spec;
  expect(names).toEqual(generated.names);
  expect(versions).toEqual(generated.versions);
});

const text = fc.string({ unit: fc.constantFrom(...'abz09-_ é'), maxLength: 9 });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const digit = fc.integer({ min: -1, max: 9 });

/** For each field values on both sides of its limits. */
const INTERESTING: Readonly<Record<keyof typeof spec.shape, fc.Arbitrary<unknown>>> = {
  size: fc.constantFrom(0, 1, 500, 1000, 1001),
  mode: fc.constantFrom('Protected', 'Recovery', 'protected'),
  range: fc.record({ from: digit, to: digit }, { requiredKeys: ['from'] }),
  count: fc.maxSafeInteger(),
  small: fc.oneof(int32, fc.constantFrom(2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1)),
  unsigned: fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32),
  step: fc.integer({ min: -10, max: 20 }),
  ratio: fc.oneof(fc.double({ min: -0.1, max: 1.1, noNaN: true }), fc.constantFrom(0, 1)),
  only: fc.constantFrom('only', 'Only'),
  level: fc.integer({ min: 0, max: 4 }),
  either: fc.constantFrom('a', 'b', 'c'),
  flag: fc.boolean(),
  note: fc.option(text),
  amount: fc.option(fc.integer()),
  name: text,
  since: fc.oneof(
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
    fc.constantFrom('2026-02-29T00:00:00Z', '2024-02-29T00:00:00Z', '2026-01-01', '2026-01-01T10:00:00+02:00'),
    fc.constantFrom('2026-01-01T24:00:00Z', '2026-01-01t10:00:00z', '2026-01-01T10:00:00', '2026-01-01 10:00:00Z'),
  ),
  port: fc.oneof(int32, text),
  capacity: fc.oneof(
    int32,
    fc.constantFrom('10Gi', '1.5', '.5k', '+2e3', '1E', '1Ei', '-1', '10 Gi', '1GB', 'Gi', '1e'),
  ),
  labels: fc.dictionary(fc.constantFrom('a', 'b.c/d', ''), text, { maxKeys: 2 }),
  counts: fc.dictionary(fc.constantFrom('Ready', 'Unknown'), digit),
  free: fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') }),
  loose: fc.record({ known: fc.boolean(), other: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: ['other'] }),
  strict: fc.record({ inner: text }),
  conditions: fc.array(
    fc.record({ type: fc.constantFrom('Ready', 'Degraded', ''), status: fc.constantFrom('True', 'False', 'Maybe') }),
    { maxLength: 2 },
  ),
  tags: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
  rows: fc.array(fc.array(digit, { maxLength: 3 }), { maxLength: 4 }),
  retention: digit,
  polling: fc.record({ interval: digit }, { requiredKeys: [] }),
};

const NONSENSE = fc.constantFrom(
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  '',
  'x',
  '7',
  [],
  ['x'],
  {},
  { x: 1 },
  [[]],
  undefined,
);

/** The server drops `null` where a field is not nullable, before it judges. */
function withoutNulls(specification: Readonly<Record<string, unknown>>): unknown {
  const isKept = ([name, value]: [string, unknown]) => value !== null || name === 'note' || name === 'amount';
  return Object.fromEntries(Object.entries(specification).filter(isKept));
}

const change = fc
  .constantFrom(...Object.entries(INTERESTING))
  .chain(([name, interesting]) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 4, arbitrary: interesting }, NONSENSE)),
  );

const candidates = fc
  .array(change, { maxLength: 3 })
  .map((changes) => ({ ...minimal, ...Object.fromEntries(changes) }));

test('the server takes what zod takes and refuses what zod refuses, CEL rules included', async () => {
  const verdicts = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(candidates, async (candidate) => {
      const specification: Record<string, unknown> = JSON.parse(JSON.stringify(candidate));
      const zod = spec.safeParse(withoutNulls(specification));
      const { status, body } = await create(specification);
      const server = status === 201;
      verdicts[server ? 'taken' : 'refused'] += 1;
      const reasons = { server: body.message ?? 'took it', zod: zod.error?.message ?? 'took it' };
      if (server !== zod.success) throw new Error(JSON.stringify(reasons, null, 2));
    }),
    { numRuns: 600 },
  );
  expect(Math.min(verdicts.taken, verdicts.refused)).toBeGreaterThan(150);
});

test('defaults are filled in, also inside an object that was not given', async () => {
  const { body } = await create(minimal);
  expect(body).toMatchObject({ spec: { retention: 5, polling: { interval: 30 } } });
});

test('a rule about the whole object sees its name', async () => {
  expect((await create(minimal, 'forbidden')).body.message).toContain('not this name');
});

test('a rule about a change sees what was before', async () => {
  await controlPlane.admin.post(SAMPLES, object('changing', minimal));
  const change = (size: number) =>
    controlPlane.admin.request<{ message?: string }>(
      'PATCH',
      `${SAMPLES}/changing`,
      { spec: { size } },
      'application/merge-patch+json',
    );
  expect(await change(4)).toMatchObject({ status: 200 });
  expect(await change(3)).toMatchObject({ status: 422, body: { message: expect.stringContaining('may not shrink') } });
});

test('spec and status are written apart, and scaling writes the spec', async () => {
  await controlPlane.admin.post(SAMPLES, { ...object('scaled', minimal), status: { phase: 'not kept' } });
  const status = { status: { replicas: 2, selector: 'app=sample' }, spec: { size: 900 } };
  await controlPlane.admin.patch(`${SAMPLES}/scaled/status`, status);
  await controlPlane.admin.patch(`${SAMPLES}/scaled/scale`, { spec: { replicas: 7 } });
  const scaled = await controlPlane.admin.get(`${SAMPLES}/scaled`);
  expect(scaled).toMatchObject({ spec: { size: 7 }, status: { replicas: 2, selector: 'app=sample' } });
  expect(scaled.status).not.toHaveProperty('phase');
  expect(await controlPlane.admin.get(`${SAMPLES}/scaled/scale`)).toMatchObject({
    spec: { replicas: 7 },
    status: { replicas: 2, selector: 'app=sample' },
  });
});

test('the kind goes by its short names and is in its category', async () => {
  const discovery = await controlPlane.admin.get<RawObject & { resources: { name: string }[] }>(
    '/apis/test.holdfast.dev/v1',
  );
  expect(discovery.resources.find(({ name }) => name === 'samples')).toMatchObject({
    shortNames: ['sa', 'smp'],
    categories: ['storage'],
    singularName: 'sample',
    namespaced: true,
  });
});
