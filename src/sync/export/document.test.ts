import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { formatJson, parseJson } from '../../kit/kube/json.ts';
import { captured, documentInTurns, documentOf, type ExportDocument, readDocument } from './document.ts';
import { ExportIsUnreadable } from './unreadable.ts';

const volume = (name: string, more: object = {}): PersistentVolume => ({
  metadata: {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '7',
    labels: { 'volumesyncs.storage.cndev.nl/sync': 'enabled' },
    managedFields: [{ manager: 'somebody' }] as never,
    ...more,
  },
  spec: { capacity: { storage: '1Gi' } },
  status: { phase: 'Bound' },
});
const claim = (name: string, namespace = 'apps'): PersistentVolumeClaim => ({
  metadata: { name, namespace },
  spec: {},
});

const aDocument = (): Buffer =>
  documentOf({
    storageClasses: [captured(STORAGE_CLASSES, { metadata: { name: 'fast' }, provisioner: 'p' })],
    volumes: [captured(PERSISTENT_VOLUMES, volume('a')), captured(PERSISTENT_VOLUMES, volume('b'))],
    claims: [captured(PERSISTENT_VOLUME_CLAIMS, claim('data'))],
  });

const withLists = (lists: object) =>
  Buffer.from(JSON.stringify({ storage_classes: [], persistent_volumes: [], persistent_volume_claims: [], ...lists }));

/** Reads all of it, as everybody does before he acts on it. */
function read(body: Buffer) {
  const { counts, storageClasses, volumes, claims }: ExportDocument = readDocument(body);
  return { counts, storageClasses: [...storageClasses], volumes: [...volumes], claims: [...claims] };
}

function refusal(body: Buffer | string): ExportIsUnreadable {
  try {
    read(Buffer.from(body));
  } catch (error) {
    if (error instanceof ExportIsUnreadable) return error;
    throw error;
  }
  throw new Error('it was read');
}

test('an object is given once more by its place, and a place that is none is an error', () => {
  const { volumes, claims } = readDocument(aDocument());
  expect([volumes.at(1), volumes.at(0)]).toEqual([...volumes].toReversed());
  expect(claims.at(0)).toEqual([...claims][0]);
  expect(() => volumes.at(2)).toThrow(RangeError);
});

describe('what is kept of an object', () => {
  test('is all of it but what changes although nothing has', () => {
    expect(JSON.parse(captured(PERSISTENT_VOLUMES, volume('a', { annotations: { by: 'hand' } })))).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: 'a',
        uid: 'uid-of-a',
        labels: { 'volumesyncs.storage.cndev.nl/sync': 'enabled' },
        annotations: { by: 'hand' },
      },
      spec: { capacity: { storage: '1Gi' } },
      status: { phase: 'Bound' },
    });
  });

  test('is the same whether it came in a list or as an event', () => {
    const listed = volume('a');
    const watched = { ...listed, kind: 'PersistentVolume', apiVersion: 'v1' };
    const later = { ...watched, metadata: { ...watched.metadata, resourceVersion: '8' } };
    expect(captured(PERSISTENT_VOLUMES, watched)).toBe(captured(PERSISTENT_VOLUMES, listed));
    expect(captured(PERSISTENT_VOLUMES, later)).toBe(captured(PERSISTENT_VOLUMES, listed));
  });

  test('keeps integers that are too large for a number', () => {
    const text = '{"metadata":{"name":"a"},"spec":{"of":9223372036854775807}}';
    expect(captured(PERSISTENT_VOLUMES, parseJson(text) as PersistentVolume)).toContain('"of":9223372036854775807');
  });
});

describe('an export', () => {
  test('has the fields of the original, in its order', () => {
    const written = JSON.parse(aDocument().toString());
    expect(Object.keys(written)).toEqual(['storage_classes', 'persistent_volumes', 'persistent_volume_claims']);
    expect(written.persistent_volumes.map(({ metadata }: PersistentVolume) => metadata.name)).toEqual(['a', 'b']);
    expect(written.storage_classes[0]).toMatchObject({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' });
  });

  test('of nothing is an object with three empty lists', () => {
    const body = documentOf({ storageClasses: [], volumes: [], claims: [] });
    expect(body.toString()).toBe('{"storage_classes":[],"persistent_volumes":[],"persistent_volume_claims":[]}');
    expect(read(body).counts).toEqual({ storageClasses: 0, volumes: 0, claims: 0 });
  });

  test('is made in turns, and is the same however many these are', () => {
    const texts = Array.from({ length: 2_600 }, (_, index) => captured(PERSISTENT_VOLUMES, volume(`v${index} é`)));
    const objects = { storageClasses: [], volumes: texts, claims: [] };
    const making = documentInTurns(objects);
    let turns = 0;
    let step = making.next();
    for (; !step.done; step = making.next()) turns += 1;
    expect(turns).toBeGreaterThan(8);
    expect(step.value.toString()).toBe(
      `{"storage_classes":[],"persistent_volumes":[${texts.join(',')}],"persistent_volume_claims":[]}`,
    );
  });

  test('that the original wrote can be read', () => {
    const body = readFileSync(join(import.meta.dirname, 'fixtures/original-export.json'));
    const { counts, volumes, claims } = read(body);
    expect(counts).toEqual({ storageClasses: 0, volumes: 3, claims: 3 });
    expect(volumes).toEqual(JSON.parse(body.toString()).persistent_volumes);
    expect(claims).toEqual(JSON.parse(body.toString()).persistent_volume_claims);
  });

  test('can be read again and again', () => {
    const { volumes } = readDocument(aDocument());
    expect([...volumes]).toEqual([...volumes]);
  });

  test('of any objects comes back as it was, however it is laid out', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 6 });
    fc.assert(
      fc.property(names, json, fc.constantFrom(undefined, 1, '\t'), json, (all, content, layout, other) => {
        const volumes = all.map((name) => ({ ...volume(name), more: content, 'quo"te\\': '}]"' }));
        const text = documentOf({
          storageClasses: [],
          volumes: volumes.map((each) => captured(PERSISTENT_VOLUMES, each)),
          claims: all.map((name) => captured(PERSISTENT_VOLUME_CLAIMS, claim(name))),
        }).toString();
        const written = { ahead: other, ...JSON.parse(text), behind: other };
        const found = read(Buffer.from(JSON.stringify(written, null, layout)));
        expect(formatJson(found.volumes)).toBe(JSON.stringify(written.persistent_volumes));
        expect(formatJson(found.claims)).toBe(JSON.stringify(written.persistent_volume_claims));
      }),
    );
  });

  test('keeps integers that are too large for a number', () => {
    const text =
      '{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"},"spec":{"of":9223372036854775807}}';
    const { volumes } = read(documentOf({ storageClasses: [], volumes: [text], claims: [] }));
    expect(formatJson(volumes[0])).toBe(text);
  });
});

describe('what is not taken for an export', () => {
  test('is nothing at all', () => {
    expect(refusal('').fact).toBe('exportIsEmpty');
  });

  test('is one that was cut off, wherever that was', () => {
    const body = aDocument();
    for (let length = 1; length < body.length; length += 1) {
      expect(refusal(body.subarray(0, length)).fact, `cut off after ${length}`).toBe('exportIsTruncated');
    }
  });

  test('is one that was cut off in the middle of a character', () => {
    expect(refusal(Buffer.from('{"ü').subarray(0, 3)).fact).toBe('exportIsForeign');
  });

  test.each([
    ['an error page', '<html>no</html>'],
    ['a list', '[]'],
    ['a word', 'null'],
    ['another object', '{"items":[]}'],
    ['one without volumes', '{"storage_classes":[],"persistent_volume_claims":[]}'],
    ['one whose volumes are null', withLists({ persistent_volumes: null })],
    ['one whose volumes are an object', withLists({ persistent_volumes: {} })],
    ['one with something else for a volume', withLists({ persistent_volumes: ['a'] })],
    ['one with an empty volume', withLists({ persistent_volumes: [{}] })],
    [
      'one with a claim among the volumes',
      withLists({ persistent_volumes: [{ ...claim('a'), kind: 'PersistentVolumeClaim' }] }),
    ],
    ['bytes of another kind', Buffer.from([0x7b, 0x22, 0xff, 0xfe])],
    ['a field with an endless name', `{"${'x'.repeat(300)}":[]}`],
  ])('is %s', (_what, body) => {
    expect(refusal(body).fact).toBe('exportIsForeign');
  });

  test.each([
    ['has a name that leads elsewhere', { name: '../../secrets' }],
    ['has no name', {}],
    ['has a name of another type', { name: 7 }],
    ['has labels that are none', { name: 'a', labels: { a: 1 } }],
    ['has a namespace', { name: 'a', namespace: 'apps' }],
  ])('is one with a volume that %s', (_what, metadata) => {
    const object = { apiVersion: 'v1', kind: 'PersistentVolume', metadata };
    expect(refusal(withLists({ persistent_volumes: [object] })).fact).toBe('exportIsForeign');
  });

  test('is one with a claim outside of any namespace', () => {
    const object = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } };
    expect(refusal(withLists({ persistent_volume_claims: [object] })).message).toContain('has no namespace');
  });

  test.each([
    ['a list twice', '{"storage_classes":[],"storage_classes":[]}'],
    ['something behind its end', `${aDocument()}{}`],
    ['a comma too many', '{"storage_classes":[],}'],
    ['no comma', '{"storage_classes":[]"persistent_volumes":[]}'],
    ['no colon', '{"storage_classes"[]}'],
    ['nothing where a value should be', '{"a":,"b":1}'],
    ['a bad escape in a name', '{"\\q":1}'],
    ['a bracket that closes another', withLists({}).toString().replace('[]', '[{"a":[}]]')],
    ['bad JSON in an object', withLists({}).toString().replace('[]', '[{"a":tru}]')],
  ])('is one with %s', (_what, body) => {
    expect(refusal(body).fact).toBe('exportIsMalformed');
  });

  test('is one with a bad object also for who asks again, or for that one only', () => {
    const bad = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'B' } };
    const good = { ...bad, metadata: { name: 'a' } };
    const { volumes } = readDocument(withLists({ persistent_volumes: [good, bad] }));
    const [first] = volumes;
    expect(first).toEqual(good);
    for (const read of [() => [...volumes], () => [...volumes], () => volumes.at(1)])
      expect(read).toThrow('metadata.name is not as it should be');
  });

  test('is one with an object twice', () => {
    const one = captured(PERSISTENT_VOLUMES, volume('a'));
    const error = refusal(documentOf({ storageClasses: [], volumes: [one, one], claims: [] }));
    expect(error.message).toBe('PersistentVolume a is in the export twice');
  });

  test('is one nested so deep that it would harm who reads it', () => {
    const deep = '['.repeat(100_000);
    expect(refusal(`{"a":${deep}`).fact).toBe('exportIsTooLarge');
  });

  test('is one with an object that no server would store', () => {
    const error = refusal(
      withLists({ persistent_volumes: [volume('a', { annotations: { a: 'x'.repeat(5_000_000) } })] }),
    );
    expect(error.fact).toBe('exportIsTooLarge');
  });

  test('is one with more objects than any cluster has', () => {
    expect(refusal(`{"persistent_volumes":[${'{},'.repeat(1_000_001)}`).fact).toBe('exportIsTooLarge');
  });

  test('is found out on any bytes: it is read as JSON is, or refused', () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
        const body = Buffer.from(aDocument());
        for (const { at, byte } of damages) body[at % body.length] = byte;
        const isRead = reads(() => read(body));
        if (!isRead) return;
        const whole = parseJson(body.toString()) as { readonly persistent_volumes: unknown };
        expect(read(body).volumes).toEqual(whole.persistent_volumes);
      }),
      { numRuns: 500 },
    );
  });
});

function reads(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ExportIsUnreadable);
    return false;
  }
}
