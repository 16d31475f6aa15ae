/**
 * Random writes by three owners end in the same object and the same owners, in the sandbox and on a real API server. SANDBOX_WRITES says how
 * many sequences of writes are tried; a failure is shrunk to the shortest sequence.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Cluster } from '../../../src/sandbox/cluster.ts';
import { isMap, type Json, type JsonMap } from '../../../src/sandbox/json.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../src/sandbox/kinds/resources.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { configMapBody, customBody, SAMPLE_SCHEMA, type Write, writes } from './written-fields.ts';

const RUNS = Number(process.env.SANDBOX_WRITES ?? 40);

interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
}

const CONFIG_MAPS: Subject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
};

const SAMPLES: Subject = {
  apiVersion: 'example.dev/v1',
  kind: 'Sample',
  path: '/apis/example.dev/v1/namespaces/default/samples',
};

const DEFINITION = {
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
};

let plane: ControlPlane;
const cluster = new Cluster({ clock: systemClock, random: Math.random });
let names = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
  cluster.objects.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
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
  const causes = isMap(details) ? ((details.causes ?? []) as readonly JsonMap[]) : [];
  return causes.map(({ field, message, reason }) => `${field} ${message} ${reason}`).toSorted();
}

type Send = (method: 'PUT' | 'POST' | 'PATCH', path: string, body: JsonMap, type?: string) => Promise<Outcome>;

const sendForReal: Send = async (method, path, content, type) => {
  const { status, body } = await plane.admin.request<JsonMap>(method, path, content, type);
  return { status, body };
};

const sandbox = cluster.transport();

const sendToSandbox: Send = async (method, path, content, type = 'application/json') => {
  const headers = { 'content-type': type };
  const { signal } = new AbortController();
  const answer = await sandbox.request({ method, path, headers, body: JSON.stringify(content), signal });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
};

async function perform(
  send: Send,
  { path: place }: Subject,
  name: string,
  { verb, owner, subresource, body }: Write,
  live: JsonMap | undefined,
): Promise<Outcome> {
  const path = `${place}/${name}${subresource && `/${subresource}`}?fieldManager=${owner}`;
  if (verb === 'merge') return send('PATCH', path, body, 'application/merge-patch+json');
  if (verb !== 'put') return send('PATCH', `${path}&force=${verb === 'force'}`, body, 'application/apply-patch+yaml');
  if (live === undefined && subresource === '') return send('POST', `${place}?fieldManager=${owner}`, body);
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
  let theirs: JsonMap | undefined;
  let ours: JsonMap | undefined;
  for (const each of sequence) {
    const on = (send: Send, live: JsonMap | undefined) => {
      const { managedFields } = (live?.metadata ?? {}) as JsonMap;
      return perform(send, subject, name, completed(each, subject, name, managedFields), live);
    };
    const wanted: Outcome = await on(sendForReal, theirs);
    const found: Outcome = await on(sendToSandbox, ours);
    expect(comparable(found)).toEqual(comparable(wanted));
    if (wanted.status >= 300) continue;
    theirs = wanted.body;
    ours = found.body;
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
