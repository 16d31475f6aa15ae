/** Who owns what after which write. That a real server says the same is seen in test/integration/sandbox. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../kit/kube/resource.ts';
import type { JsonMap } from '../json.ts';
import { builtInSchema } from '../schema/built-in.ts';
import { type Applying, applied } from './applied.ts';
import { updated, withoutIdleTimes } from './updated.ts';

const schema = builtInSchema('v1', 'ConfigMap') ?? {};
const common = { schema, apiVersion: 'v1', now: '2020-01-01T00:00:00Z' };
const configMap = (more: JsonMap = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...more }) as unknown as KubeObject;

function apply(manager: string, more: JsonMap, live?: KubeObject, force = false): KubeObject {
  const result = applied({ ...common, manager, force, config: configMap(more), ...(live && { live }) });
  if (!('object' in result)) throw new Error(JSON.stringify(result));
  return { ...result.object, metadata: { ...result.object.metadata, uid: 'u' } };
}

function update(manager: string, after: KubeObject, before?: KubeObject, now = common.now): KubeObject {
  const stored = updated({ ...common, now, manager, operation: 'Update', after, ...(before && { before }) });
  return { ...stored, metadata: { ...stored.metadata, uid: 'u' } };
}

const owners = ({ metadata }: KubeObject) =>
  Object.fromEntries((metadata.managedFields ?? []).map(({ manager = '', fieldsV1 }) => [manager, fieldsV1]));
const conflicts = (asked: Partial<Applying> & { config: KubeObject }) => {
  const result = applied({ ...common, manager: 'two', force: false, ...asked });
  return 'conflicts' in result ? result.conflicts : undefined;
};

describe('apply', () => {
  test('owners share what they say alike, and what the last of them leaves out goes', () => {
    const one = apply('one', { data: { a: 'x', b: 'x' } });
    const both = apply('two', { data: { a: 'x' } }, one);
    expect(owners(both)).toEqual({ one: { 'f:data': { 'f:a': {}, 'f:b': {} } }, two: { 'f:data': { 'f:a': {} } } });
    const less = apply('one', {}, both);
    expect(less).toMatchObject({ data: { a: 'x' } });
    expect(owners(less)).toEqual({ two: { 'f:data': { 'f:a': {} } } });
    expect(apply('two', {}, less)).not.toHaveProperty('data');
  });

  test('what another owns is refused, or taken by force', () => {
    const live = apply('one', { data: { a: 'x' } });
    expect(conflicts({ live, config: configMap({ data: { a: 'y' } }) })).toEqual({
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
    });
    const taken = apply('two', { data: { a: 'y' } }, live, true);
    expect(owners(taken)).toEqual({ two: { 'f:data': { 'f:a': {} } } });
  });

  test('conflicts with several are told by owner', () => {
    const created = update('zed', configMap({ data: { a: 'x', b: 'x' } }));
    const live = update('abe', configMap({ data: { a: 'x', b: 'y' } }), created);
    expect(conflicts({ live, config: configMap({ data: { a: 'n', b: 'n' } }) })?.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "abe" using v1:\n- .data.b\nconflicts with "zed" using v1:\n- .data.a',
    );
  });

  test('what was there before anybody applied belongs to one of its own', () => {
    const live = { ...configMap({ data: { a: 'x' } }), metadata: { name: 'a', uid: 'u' } };
    const result = apply('one', { data: { b: 'x' } }, live);
    expect(owners(result)).toEqual({
      'before-first-apply': { 'f:data': { '.': {}, 'f:a': {} } },
      one: { 'f:data': { 'f:b': {} } },
    });
  });

  test('an apply that changes nothing leaves the time', () => {
    const live = apply('one', { data: { a: 'x' } });
    const again = applied({
      ...common,
      now: '2021-01-01T00:00:00Z',
      manager: 'one',
      force: false,
      live,
      config: configMap({ data: { a: 'x' } }),
    });
    expect(again).toMatchObject({ object: { metadata: { managedFields: [{ time: common.now }] } } });
  });

  test.each<[string, JsonMap, object]>([
    [
      'managedFields',
      { metadata: { name: 'a', managedFields: [] } },
      { status: 400, message: 'metadata.managedFields must be nil' },
    ],
    [
      'a field that the kind does not have',
      { dat: {} },
      {
        status: 500,
        message: 'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .dat: field not declared in schema',
      },
    ],
  ])('%s is refused', (_, more, refused) => {
    expect(applied({ ...common, manager: 'one', force: false, config: configMap(more) })).toEqual({ refused });
  });

  test('owners that cannot be read are not guessed', () => {
    const live = {
      ...configMap(),
      metadata: { name: 'a', managedFields: [{ manager: 'x', operation: 'Dance' }] },
    } as unknown as KubeObject;
    const refused = { status: 500, message: 'failed to decode managed fields: operation must be `Apply` or `Update`' };
    expect(applied({ ...common, manager: 'one', force: false, live, config: configMap() })).toEqual({ refused });
  });
});

describe('update', () => {
  test('who changes something owns it, and who removes it leaves nothing behind', () => {
    const created = update('one', configMap({ data: { a: 'x', b: 'x' } }));
    expect(owners(created)).toEqual({ one: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } } });
    const changed = update('two', configMap({ data: { a: 'y' } }), created);
    expect(owners(changed)).toEqual({ one: { 'f:data': {} }, two: { 'f:data': { 'f:a': {} } } });
  });

  test('a client may empty the owners, and they stay empty', () => {
    const created = update('one', configMap({ data: { a: 'x' } }));
    const emptied = update('one', { ...created, metadata: { ...created.metadata, managedFields: [{}] } }, created);
    expect(emptied.metadata).not.toHaveProperty('managedFields');
    expect(update('two', configMap({ data: { a: 'y' } }), emptied).metadata).not.toHaveProperty('managedFields');
  });

  test('by way of a subresource nobody can write owners', () => {
    const created = update('one', configMap({ data: { a: 'x' } }));
    const after = { ...created, metadata: { ...created.metadata, managedFields: [{}] } };
    const stored = updated({
      ...common,
      manager: 'two',
      operation: 'Update',
      subresource: 'status',
      before: created,
      after,
    });
    expect(owners(stored)).toEqual(owners(created));
  });

  test('a nameless client is called unknown', () => {
    expect(owners(update('', configMap({ data: { a: 'x' } })))).toHaveProperty('unknown');
  });

  test('more than ten who update are too many: the oldest are put together', () => {
    const when = (i: number) => `2020-01-01T00:00:${String(i).padStart(2, '0')}Z`;
    const data = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'x']));
    let live = update('m0', configMap({ data: data(1) }), undefined, when(0));
    for (let i = 1; i < 12; i++) live = update(`m${i}`, configMap({ data: data(i + 1) }), live, when(i));
    const names = Object.keys(owners(live));
    expect(names).toEqual(['ancient-changes', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11']);
    expect(owners(live)['ancient-changes']).toEqual({ 'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } });
  });

  test('a write that changed nothing but times changed nothing', () => {
    const created = update('one', configMap({ data: { a: 'x' } }));
    const [entry] = created.metadata.managedFields ?? [];
    const managedFields = [{ ...entry, time: '2021-01-01T00:00:00Z' }];
    const later: KubeObject = { ...created, metadata: { ...created.metadata, managedFields } };
    expect(withoutIdleTimes(created, later)).toEqual(created);
    const changed = { ...later, data: { a: 'y' } } as KubeObject;
    expect(withoutIdleTimes(created, changed)).toBe(changed);
  });
});
