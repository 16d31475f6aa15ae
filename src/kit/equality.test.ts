import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, firstMissing, isSubset, type Semantics, semanticallyEqual } from './equality.ts';

const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, 1, '', 'a', '1Gi', '1024Mi'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

/** Some other way to write the same: empty fields added or spelled differently. */
function respelled(value: unknown, empty: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => respelled(member, empty));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, respelled(inner, empty)]);
  return Object.fromEntries([...entries.toReversed(), ['zzz', empty]]);
}

const storage = (capacity: unknown) => ({ spec: { capacity: { storage: capacity } } });
const volumes: Semantics = { quantityAt: at('spec.capacity.*') };

describe('semantic equality', () => {
  it('takes absent, null, an empty list and an empty map for the same', () => {
    const same = [{}, { a: null }, { a: undefined }, { a: [] }, { a: {} }, { a: { b: { c: null } } }, null, undefined];
    for (const a of same) for (const b of same) expect(semanticallyEqual(a, b)).toBe(true);
  });

  it.each([0, false, '', [null], { b: '' }])('takes %j for something', (value) => {
    expect(semanticallyEqual({ a: value }, {})).toBe(false);
    expect(semanticallyEqual({}, { a: value })).toBe(false);
  });

  it('tells an empty object from an absent one where that says something', () => {
    const semantics: Semantics = { presenceAt: at('spec.volumes.*.emptyDir') };
    const withDir = { spec: { volumes: [{ name: 'v', emptyDir: {} }] } };
    const without = { spec: { volumes: [{ name: 'v' }] } };
    expect(semanticallyEqual(withDir, without)).toBe(true);
    expect(semanticallyEqual(withDir, without, semantics)).toBe(false);
    expect(semanticallyEqual(withDir, structuredClone(withDir), semantics)).toBe(true);
    expect(isSubset(withDir, without, semantics)).toBe(false);
    expect(isSubset(without, withDir, semantics)).toBe(true);
  });

  it('compares quantities by value where they are, and nowhere else', () => {
    expect(semanticallyEqual(storage('1Gi'), storage('1024Mi'), volumes)).toBe(true);
    expect(semanticallyEqual(storage(5), storage('5000m'), volumes)).toBe(true);
    expect(semanticallyEqual(storage('1Gi'), storage('1G'), volumes)).toBe(false);
    expect(semanticallyEqual(storage('1Gi'), storage('1024Mi'))).toBe(false);
    expect(
      semanticallyEqual(
        { metadata: { labels: { size: '1Gi' } } },
        { metadata: { labels: { size: '1024Mi' } } },
        volumes,
      ),
    ).toBe(false);
  });

  it('takes what is no quantity where one should be for equal to itself only', () => {
    expect(semanticallyEqual(storage('much'), storage('much'), volumes)).toBe(true);
    expect(semanticallyEqual(storage('much'), storage('more'), volumes)).toBe(false);
    expect(semanticallyEqual(storage(true), storage('1'), volumes)).toBe(false);
  });

  it('minds the order of lists, except where told otherwise', () => {
    const [a, b] = [{ metadata: { finalizers: ['x', 'y'] } }, { metadata: { finalizers: ['y', 'x'] } }];
    expect(semanticallyEqual(a, b)).toBe(false);
    const semantics: Semantics = { unorderedAt: at('metadata.finalizers') };
    expect(semanticallyEqual(a, b, semantics)).toBe(true);
    expect(semanticallyEqual({ metadata: { finalizers: ['x', 'x'] } }, a, semantics)).toBe(false);
    expect(semanticallyEqual(a, { metadata: { finalizers: ['x', 'x'] } }, semantics)).toBe(false);
  });

  it('does not take what every JavaScript object has for a field', () => {
    expect(semanticallyEqual({ constructor: null }, {})).toBe(true);
    expect(semanticallyEqual({ constructor: 'a' }, {})).toBe(false);
    expect(semanticallyEqual(JSON.parse('{"__proto__":{"a":1}}'), {})).toBe(false);
    expect(isSubset(JSON.parse('{"__proto__":{"a":1}}'), { a: 1 })).toBe(false);
  });

  it('is an equivalence', () => {
    fc.assert(
      fc.property(json, json, json, (a, b, c) => {
        expect(semanticallyEqual(a, structuredClone(a))).toBe(true);
        expect(semanticallyEqual(a, b)).toBe(semanticallyEqual(b, a));
        if (semanticallyEqual(a, b) && semanticallyEqual(b, c)) expect(semanticallyEqual(a, c)).toBe(true);
      }),
    );
  });

  it('does not mind how emptiness is spelled', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(null, [], {}, undefined, { a: null }), (value, empty) => {
        expect(semanticallyEqual(value, respelled(value, empty))).toBe(true);
      }),
    );
  });

  it('is being a subset in both directions, as long as lists are', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(semanticallyEqual(a, b)).toBe(isSubset(a, b) && isSubset(b, a));
      }),
    );
  });
});

describe('a wish that is fulfilled', () => {
  const want = { metadata: { labels: { app: 'db' } }, spec: { replicas: 1, containers: [{ name: 'db', image: 'x' }] } };

  it('may have more around it, also in the members of lists', () => {
    const have = {
      metadata: { uid: '1', labels: { app: 'db', more: 'yes' } },
      spec: { replicas: 1, containers: [{ name: 'db', image: 'x', imagePullPolicy: 'Always' }] },
      status: {},
    };
    expect(isSubset(want, have)).toBe(true);
    expect(isSubset(have, want)).toBe(false);
  });

  it('names the first field that is missing otherwise', () => {
    expect(firstMissing(want, want)).toBeUndefined();
    expect(firstMissing(want, undefined)).toBe('the whole object');
    expect(firstMissing(want, { metadata: { labels: { app: 'web' } } })).toBe('metadata.labels.app');
    expect(firstMissing({ labels: { 'example.com/a': 'b' } }, { labels: { x: '' } })).toBe('labels["example.com/a"]');
    const other = { ...want, spec: { replicas: 1, containers: [{ name: 'db', image: 'y' }] } };
    expect(firstMissing(want, other)).toBe('spec.containers[0].image');
    const longer = { ...want, spec: { ...want.spec, containers: [...want.spec.containers, { name: 'b' }] } };
    expect(firstMissing(want, longer)).toBe('spec.containers');
  });

  it('finds its members anywhere in a list without order', () => {
    const semantics: Semantics = { unorderedAt: at('spec.containers'), quantityAt: at('spec.containers.*.size') };
    const have = { spec: { containers: [{ name: 'a' }, { name: 'b', size: '1Gi', image: 'x' }] } };
    expect(isSubset({ spec: { containers: [{ name: 'b', size: '1024Mi' }] } }, have, semantics)).toBe(true);
    expect(isSubset({ spec: { containers: [{ name: 'c' }] } }, have, semantics)).toBe(false);
    expect(firstMissing({ spec: { containers: [{ name: 'a' }, { name: 'c' }] } }, have, semantics)).toBe(
      'spec.containers[1]',
    );
  });

  it('asks for nothing with what is empty', () => {
    expect(isSubset({ a: null, b: [], c: {} }, { a: 1, b: [1], c: { d: 1 } })).toBe(true);
    expect(isSubset({}, undefined)).toBe(true);
  });

  it('stays fulfilled by whatever is added to maps', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isSubset(value, respelled(value, 'more'))).toBe(true);
      }),
    );
  });
});

describe('a path pattern', () => {
  it('covers paths of its own length, with * for any one step', () => {
    expect(at('a.*.c')(['a', 0, 'c'])).toBe(true);
    expect(at('a.*.c')(['a', 'x.y/z', 'c'])).toBe(true);
    expect(at('a.*')(['a'])).toBe(false);
    expect(at('a.*')(['a', 'b', 'c'])).toBe(false);
    expect(at('b', 'a')(['a'])).toBe(true);
    expect(at()(['a'])).toBe(false);
  });
});
