/**
 * Random writes by three owners end in the same object and the same owners, in the sandbox and on a real API server. SANDBOX_WRITES says how
 * many sequences of writes are tried; a failure is shrunk to the shortest sequence.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kit/kube/resource.ts';
import { applied } from '../../../src/sandbox/fields/applied.ts';
import { updated } from '../../../src/sandbox/fields/updated.ts';
import { isMap, type Json, type JsonMap } from '../../../src/sandbox/json.ts';
import { mergePatch } from '../../../src/sandbox/patch/merge.ts';
import { builtInSchema, objectMetaSchema } from '../../../src/sandbox/schema/built-in.ts';
import { withDefaults } from '../../../src/sandbox/schema/defaults.ts';
import { schemaOf } from '../../../src/sandbox/schema/open-api.ts';
import { prune } from '../../../src/sandbox/schema/prune.ts';
import type { Schema } from '../../../src/sandbox/schema/schema.ts';
import { validate, validateStatus } from '../../../src/sandbox/schema/validate.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { configMapBody, customBody, SAMPLE_SCHEMA, type Write, writes } from './written-fields.ts';

const RUNS = Number(process.env.SANDBOX_WRITES ?? 40);

interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly schema: Schema;
}

const CONFIG_MAPS: Subject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
  schema: builtInSchema('v1', 'ConfigMap') ?? {},
};

const sample = schemaOf(SAMPLE_SCHEMA);
const SAMPLES: Subject = {
  apiVersion: 'example.dev/v1',
  kind: 'Sample',
  path: '/apis/example.dev/v1/namespaces/default/samples',
  schema: {
    ...sample,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: objectMetaSchema,
      ...sample.properties,
    },
  },
};

let plane: ControlPlane;
let names = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'samples.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'samples', kind: 'Sample' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: SAMPLE_SCHEMA },
        },
      ],
    },
  });
  // Apply is known for a kind only some time after the kind is.
  await eventually(async () => {
    const body = { apiVersion: 'example.dev/v1', kind: 'Sample', metadata: { name: 'first' }, spec: { set: ['a'] } };
    const made = await plane.admin.patch(`${SAMPLES.path}/first?fieldManager=first`, body, 'apply');
    expect(JSON.stringify(made.metadata.managedFields)).toContain('v:');
    await plane.admin.delete(`${SAMPLES.path}/first`);
  });
});

afterAll(async () => await plane[Symbol.asyncDispose]());

interface Outcome {
  readonly status: number;
  readonly body: JsonMap;
}

/** What is left of an answer when times, and what a server alone decides, are taken out. */
function comparable({ status, body }: Outcome): Json {
  // The server looks at the fields of an invalid object in no order.
  if (status === 422) return { status, causes: causesOf(body.details) };
  if (status >= 400) return { status, message: body.message ?? '', causes: causesOf(body.details) };
  const metadata = isMap(body.metadata) ? body.metadata : {};
  const { uid: _u, resourceVersion: _r, creationTimestamp: _c, generation: _g, managedFields = [], ...rest } = metadata;
  const owners = (managedFields as readonly JsonMap[]).map(({ time: _t, ...owner }) => owner);
  const text = (owner: JsonMap) => [owner.operation, owner.manager, owner.subresource].join();
  // The server's first answer still has empty maps that it has not stored.
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => Object.keys(value as object).length > 0));
  return { ...body, metadata: { ...said, managedFields: owners.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) } };
}

/** The server lists owners in no order. */
function causesOf(details: Json | undefined): readonly string[] {
  const causes = isMap(details) ? (details.causes as readonly JsonMap[]) : [];
  return causes.map(({ field, message, reason }) => `${field} ${message} ${reason}`).toSorted();
}

/** As much of a server as it takes to keep one object. */
class SandboxObject {
  #live: JsonMap | undefined;
  readonly #subject: Subject;
  readonly #name: string;

  constructor(subject: Subject, name: string) {
    this.#subject = subject;
    this.#name = name;
  }

  write({ owner, verb, subresource, body }: Write): Outcome {
    const before = this.#live;
    if (before === undefined && (verb === 'merge' || subresource !== '')) return { status: 404, body: {} };
    const { schema, apiVersion } = this.#subject;
    const common = { manager: owner, subresource, schema, apiVersion, now: '2020-01-01T00:00:00Z' };
    if (verb === 'apply' || verb === 'force') {
      const config = body as unknown as KubeObject;
      const live = before as unknown as KubeObject | undefined;
      const result = applied({ ...common, ...(live && { live }), config, force: verb === 'force' });
      if ('object' in result)
        return this.#keep(withDefaults(result.object as unknown as JsonMap, schema) as JsonMap, subresource);
      if ('refused' in result) return { status: result.refused.status, body: { message: result.refused.message } };
      return {
        status: 409,
        body: { message: result.conflicts.message, details: { causes: result.conflicts.causes as unknown as Json } },
      };
    }
    const asked = verb === 'merge' && before ? mergePatch(before, body) : body;
    const after = this.#read(asked) as unknown as KubeObject;
    const known = before as unknown as KubeObject | undefined;
    const result = updated({ ...common, ...(known && { before: known }), after, operation: 'Update' });
    return this.#keep(result as unknown as JsonMap, subresource);
  }

  #read(object: JsonMap): JsonMap {
    const { schema } = this.#subject;
    return withDefaults(prune(object, schema).value, schema) as JsonMap;
  }

  #keep(object: JsonMap, subresource: string): Outcome {
    const before = this.#live;
    const invalid = this.#refusal(object, before, subresource);
    if (invalid) return invalid;
    const { status: sent = undefined, ...asked } = object;
    const status = subresource === 'status' ? sent : before?.status;
    const { managedFields = undefined } = asked.metadata as JsonMap;
    const kept =
      subresource === 'status' ? { ...before, metadata: withFields(before?.metadata, managedFields) } : asked;
    const { status: _s, ...rest } = kept as JsonMap;
    const metadata = { ...(rest.metadata as JsonMap), name: this.#name, namespace: 'default', uid: 'u' };
    this.#live = { ...rest, metadata, ...(status !== undefined && { status }) };
    return { status: before === undefined ? 201 : 200, body: this.#live };
  }

  #refusal(object: JsonMap, before: JsonMap | undefined, subresource: string): Outcome | undefined {
    const { schema, kind, apiVersion } = this.#subject;
    const check = () =>
      subresource === 'status' ? validateStatus(object, schema, before ?? {}) : validate(object, schema, before);
    const faults = schema.native ? [] : check();
    if (faults.length === 0) return undefined;
    const texts = faults.map(({ field, message }) => `${field}: ${message}`);
    const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
    const message = `${kind}.${apiVersion.split('/')[0]} "${this.#name}" is invalid: ${all}`;
    return { status: 422, body: { message, details: { causes: faults as unknown as Json } } };
  }

  get metadata(): JsonMap {
    return (this.#live?.metadata ?? {}) as JsonMap;
  }
}

function withFields(metadata: Json | undefined, managedFields: Json | undefined): JsonMap {
  const { managedFields: _, ...rest } = isMap(metadata) ? metadata : {};
  return { ...rest, ...(managedFields !== undefined && { managedFields }) };
}

async function writeForReal(subject: Subject, name: string, write: Write, live: JsonMap | undefined): Promise<Outcome> {
  const { verb, owner, subresource, body } = write;
  const path = `${subject.path}/${name}${subresource && `/${subresource}`}?fieldManager=${owner}`;
  const send = async (method: 'PUT' | 'POST' | 'PATCH', to: string, content: JsonMap, type?: string) => {
    const { status, body: answer } = await plane.admin.request<JsonMap>(method, to, content, type);
    return { status, body: answer };
  };
  if (verb === 'merge') return send('PATCH', path, body, 'application/merge-patch+json');
  if (verb !== 'put') return send('PATCH', `${path}&force=${verb === 'force'}`, body, 'application/apply-patch+yaml');
  if (live === undefined && subresource === '') return send('POST', `${subject.path}?fieldManager=${owner}`, body);
  const { resourceVersion } = (live?.metadata ?? {}) as JsonMap;
  const metadata = { ...(body.metadata as JsonMap), ...(resourceVersion !== undefined && { resourceVersion }) };
  return send('PUT', path, { ...body, metadata });
}

function completed(write: Write, subject: Subject, name: string, managedFields: Json | undefined): Write {
  if (write.verb === 'merge') return write;
  const fields = { 'left out': undefined, 'as they are': managedFields, emptied: [{}], 'an empty list': [] }[
    write.managedFields
  ];
  const says = write.verb === 'put' && fields !== undefined;
  const metadata = { ...(write.body.metadata as JsonMap), name, ...(says && { managedFields: fields }) };
  return { ...write, body: { apiVersion: subject.apiVersion, kind: subject.kind, ...write.body, metadata } };
}

async function bothAgree(subject: Subject, sequence: readonly Write[]): Promise<void> {
  const name = `n${names++}`;
  const ours = new SandboxObject(subject, name);
  let theirs: JsonMap | undefined;
  for (const write of sequence) {
    const real = completed(write, subject, name, (theirs?.metadata as JsonMap | undefined)?.managedFields);
    const wanted = await writeForReal(subject, name, real, theirs);
    if (wanted.status === 404) continue;
    const found = ours.write(completed(write, subject, name, ours.metadata.managedFields));
    expect(comparable(found)).toEqual(comparable(wanted));
    if (wanted.status < 300) theirs = wanted.body;
  }
}

test('on a custom resource with fields of every kind', { timeout: 60_000 + RUNS * 2_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(writes(customBody, true), (sequence) => bothAgree(SAMPLES, sequence)),
    { numRuns: RUNS },
  );
});

test('on a built-in kind', { timeout: 60_000 + RUNS * 2_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(writes(configMapBody, false), (sequence) => bothAgree(CONFIG_MAPS, sequence)),
    { numRuns: RUNS },
  );
});

const write = (owner: string, verb: Write['verb'], body: JsonMap, more: Partial<Write> = {}): Write => ({
  owner,
  verb,
  body: { metadata: {}, ...body },
  subresource: '',
  managedFields: 'left out',
  ...more,
});

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

test.each<[string, Subject, readonly Write[]]>([
  [
    'the eleventh and twelfth who update join the oldest',
    CONFIG_MAPS,
    Array.from({ length: 13 }, (_, i) =>
      write(`m${String(i).padStart(2, '0')}`, i === 0 ? 'put' : 'merge', { data: { [`k${i}`]: 'x' } }),
    ),
  ],
  [
    'kubectl takes over what it applied by itself before, and no more',
    CONFIG_MAPS,
    [
      write('kubectl-client-side-apply', 'put', {
        metadata: {
          annotations: { [LAST_APPLIED]: '{"apiVersion":"v1","data":{"a":"x","b":"x"},"kind":"ConfigMap"}\n' },
        },
        data: { a: 'x', b: 'x' },
      }),
      write('kubectl', 'apply', { data: { a: 'y' } }),
      write('other', 'merge', { data: { b: 'z' } }),
      write('kubectl', 'apply', { data: { a: 'y', b: 'w' } }),
      write('someone', 'apply', { data: { a: 'w' } }),
    ],
  ],
  [
    'what is not in the schema cannot be applied',
    SAMPLES,
    [
      write('one', 'apply', { spec: { nothing: 1 } }),
      write('one', 'apply', { spec: { text: 1 } }),
      write('one', 'apply', { spec: { set: ['a', 'a'] } }),
      write('one', 'apply', { spec: { keyed: [{ name: 'a' }, { name: 'a', protocol: 'TCP' }] } }),
      write('one', 'apply', { spec: { count: 'x' } }),
      write('one', 'apply', { spec: { struct: 'x' } }),
      write('one', 'apply', { spec: { list: {} } }),
    ],
  ],
  [
    'what is not in the schema of a built-in kind cannot be applied',
    CONFIG_MAPS,
    [write('one', 'apply', { dat: {} }), write('one', 'apply', { data: { a: 1 } })],
  ],
  [
    'conflicts name who wrote, how and where',
    SAMPLES,
    [
      write('one', 'put', { spec: { text: 'a', map: { k: 'v' }, keyed: [{ name: 'a', value: 'x' }], set: ['<a>'] } }),
      write('two', 'merge', { status: { phase: 'x' } }, { subresource: 'status' }),
      write('three', 'apply', { status: { phase: 'y' } }, { subresource: 'status' }),
      write('three', 'apply', { spec: { text: 'b', map: { k: 'w' }, keyed: [{ name: 'a', value: 'y' }] } }),
      write('four', 'force', { spec: { text: 'b' } }),
      write('three', 'apply', { spec: { text: 'c' } }),
    ],
  ],
])('%s', async (_, subject, sequence) => {
  await bothAgree(subject, sequence);
});
