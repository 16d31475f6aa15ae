import { type Cases, get, mergePatch, post, put, type Request, remove } from '../steps.ts';

type Fields = Readonly<Record<string, unknown>>;

const NAMES = { plural: 'gadgets', kind: 'Gadget' };
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const version = (openAPIV3Schema: unknown = ANYTHING, more: Fields = {}): object => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema },
  ...more,
});

const defined = (spec: Fields = {}, name = 'gadgets.{case}.example.com'): object => ({
  metadata: { name },
  spec: { group: '{case}.example.com', scope: 'Namespaced', names: NAMES, versions: [version()], ...spec },
});

/** Only tried, so that one case can try many. */
const tried = (spec: Fields = {}, name?: string): Request =>
  post('customresourcedefinitions?dryRun=All', defined(spec, name));

const withSchema = (schema: unknown): Request => tried({ versions: [version(schema)] });
const withSpec = (spec: unknown): Request => withSchema({ type: 'object', properties: { spec } });
const withProperty = (property: unknown): Request => withSpec({ type: 'object', properties: { x: property } });
const ruled = (spec: Fields, ...rules: readonly object[]): Request =>
  withSpec({ type: 'object', ...spec, 'x-kubernetes-validations': rules });
const text = (maxLength?: number) => ({ type: 'string', ...(maxLength && { maxLength }) });
/** Something of every type, with limits and without. */
const many = {
  properties: {
    ...{
      size: { type: 'integer' },
      share: { type: 'number' },
      flag: { type: 'boolean' },
      name: text(20),
      long: text(),
    },
    ...{ since: { type: 'string', format: 'date-time' }, wait: { type: 'string', format: 'duration' } },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', maxItems: 10, items: text(10) },
    free: { type: 'array', items: text() },
    labels: { type: 'object', maxProperties: 8, additionalProperties: text(6) },
    open: { type: 'object', additionalProperties: { type: 'integer' } },
    inner: { type: 'object', properties: { deep: { type: 'object', properties: { x: text(3) } } } },
  },
};
const asked = (...rules: readonly string[]): readonly Request[] => rules.map((rule) => ruled(many, { rule }));
const sized = { properties: { size: { type: 'integer' }, name: { type: 'string', maxLength: 9 } } };

const other = (names: Fields): object =>
  defined({ names: { plural: 'gizmos', ...names } }, 'gizmos.{case}.example.com');
const untilSays = (plural: string, until: string): Request => ({
  ...get(`customresourcedefinitions/${plural}.{case}.example.com`),
  until,
});

/** What a definition has to be. */
export const definitions: Cases = {
  'it is called by what it defines': [
    tried({}, 'gadgets.other.example.com'),
    tried({}, 'Gadgets'),
    tried({ group: '' }),
    tried({ group: 'nodots' }, 'gadgets.nodots'),
    tried({ group: 'Big.example.com' }, 'gadgets.Big.example.com'),
    tried({ group: 'x.k8s.io' }, 'gadgets.x.k8s.io'),
  ],
  'names are names': [
    tried({ names: {} }),
    tried({ names: { plural: 'gadgets' } }),
    tried({ names: { plural: 'Gadgets', kind: 'Gadget' } }),
    tried({ names: { ...NAMES, kind: 'gadget_' } }),
    tried({ names: { ...NAMES, singular: 'A B' } }),
    tried({ names: { ...NAMES, listKind: 'Gadget' } }),
    tried({ names: { ...NAMES, shortNames: ['g', 'A_', 'ok'] } }),
    tried({ names: { ...NAMES, categories: ['all', '-'] } }),
  ],
  'it says where its objects are': [tried({ scope: '' }), tried({ scope: 'Everywhere' })],
  'it has versions, and one of them is stored': [
    tried({ versions: [] }),
    tried({ versions: null }),
    tried({ versions: [version(ANYTHING, { storage: false })] }),
    tried({ versions: [version(), version(ANYTHING, { name: 'v2' })] }),
    tried({ versions: [version(), version(ANYTHING, { storage: false })] }),
    tried({ versions: [version(ANYTHING, { name: 'V_1' })] }),
    tried({ versions: [version(ANYTHING, { name: '' })] }),
    tried({ versions: [version(ANYTHING, { deprecationWarning: 'old' })] }),
    tried({ versions: [version(ANYTHING, { deprecated: true, deprecationWarning: '' })] }),
  ],
  'each version has a schema': [
    tried({ versions: [{ name: 'v1', served: true, storage: true }] }),
    tried({ versions: [{ name: 'v1', served: true, storage: true, schema: {} }] }),
    tried({ preserveUnknownFields: true }),
    tried({ conversion: { strategy: 'Webhook' } }),
    tried({ conversion: { strategy: 'Guess' } }),
    tried({ versions: [{ name: 'v1', served: true, storage: true, schema: 'x' }] }),
  ],
  'a schema says the types of everything': [
    withSchema({}),
    withSchema({ type: 'string' }),
    withSchema({ type: 'array', items: { type: 'string' } }),
    withProperty({}),
    withProperty({ type: 'text' }),
    withProperty({ type: 'array' }),
    withProperty({ type: 'array', items: {} }),
    withProperty({ type: 'array', items: [{ type: 'string' }] }),
    withProperty({ type: 'object', additionalProperties: {} }),
    withProperty({ type: 'object', properties: { y: {} } }),
    withProperty({ 'x-kubernetes-int-or-string': true }),
    withProperty({ type: 'string', 'x-kubernetes-int-or-string': true }),
    withProperty({ 'x-kubernetes-preserve-unknown-fields': true }),
    withProperty({ type: 'string', 'x-kubernetes-preserve-unknown-fields': false }),
  ],
  'null in the place of a schema': [
    withProperty(null),
    withProperty({ type: 'object', properties: null, additionalProperties: null, items: null, not: null, anyOf: null }),
    withProperty({ type: 'array', items: null }),
    withProperty({ type: 'string', anyOf: [null, { minLength: 1 }] }),
    withProperty({ type: 'object', additionalProperties: { type: 'object', properties: { y: null } } }),
  ],
  'a schema has no words that are not allowed': [
    withProperty({ type: 'string', $ref: '#/definitions/x' }),
    withProperty({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
    withProperty({ type: 'object', additionalProperties: false }),
    withProperty({ type: 'object', properties: { y: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    withProperty({ type: 'object', patternProperties: { a: { type: 'string' } } }),
    withProperty({ type: 'string', id: 'x' }),
    withProperty({ type: 'object', dependencies: { a: ['b'] } }),
    withProperty({ type: 'string', definitions: { a: { type: 'string' } } }),
    withProperty({ type: 'array', items: { type: 'string' }, additionalItems: { type: 'string' } }),
    withProperty({ type: 'string', pattern: '(' }),
  ],
  'what is said besides a schema says no types': [
    withProperty({ type: 'string', anyOf: [{ type: 'string' }] }),
    withProperty({ type: 'string', not: { type: 'string' } }),
    withProperty({ type: 'object', properties: { y: { type: 'string' } }, anyOf: [{ required: ['y'] }] }),
    withProperty({ type: 'object', anyOf: [{ properties: { z: { minLength: 1 } } }] }),
    withProperty({
      type: 'object',
      properties: { y: { type: 'string' } },
      oneOf: [{ properties: { y: { default: 'x' } } }],
    }),
    withProperty({ type: 'string', allOf: [{ description: 'x' }] }),
    withProperty({ type: 'string', anyOf: [{ minLength: 1 }, { nullable: true }] }),
  ],
  'metadata are what they are': [
    withSchema({ type: 'object', properties: { metadata: { type: 'object' } } }),
    withSchema({ type: 'object', properties: { metadata: { type: 'string' } } }),
    withSchema({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
    }),
    withSchema({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
    withSchema({ type: 'object', properties: { kind: { type: 'integer' } } }),
    withSchema({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  ],
  'defaults fit': [
    withProperty({ type: 'string', default: 5 }),
    withProperty({ type: 'string', maxLength: 1, default: 'long' }),
    withProperty({ type: 'string', enum: ['a'], default: 'b' }),
    withProperty({ type: 'object', properties: { y: { type: 'string' } }, default: { z: 1 } }),
    withProperty({ type: 'object', properties: { y: { type: 'string' } }, default: {} }),
    withProperty({ type: 'string', nullable: true, default: null }),
    withProperty({ type: 'string', default: null }),
    withSchema({ type: 'object', default: {} }),
  ],
  'lists with keys have them': [
    withProperty({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' }),
    withProperty({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    withProperty({ type: 'string', 'x-kubernetes-list-type': 'set' }),
    withProperty({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
    withProperty({
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }),
    withProperty({
      type: 'array',
      items: { type: 'object', required: ['k'], properties: { k: { type: 'object' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'k', 'l'],
    }),
    withProperty({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['k'] }),
    withProperty({ type: 'object', 'x-kubernetes-map-type': 'loose' }),
    withProperty({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
  ],
  'rules are CEL': [
    ruled(sized, { rule: 'self.size > 0' }),
    ruled(sized, { rule: '' }),
    ruled(sized, { rule: 'self.length > 0' }),
    ruled(sized, { rule: 'self.name.size > 0' }),
    ruled(sized, { rule: 'other.size > 0' }),
    ruled(sized, { rule: 'self.size' }),
    ruled(sized, { rule: "self.size == 'x'" }),
    ruled(sized, { rule: 'self.size + 1' }),
    ruled(sized, { rule: 'self.name.unknown()' }),
    ruled(sized, { rule: 'has(self.length)' }),
    ruled(sized, { rule: 'self.size > 0 && self.mane == self.name' }),
  ],
  'rules compare what can be compared': asked(
    ...['self.size == self.name', 'self.size == null', 'self.inner == null', 'self.tags == null', 'self.since == null'],
    ...['self.inner == self.inner.deep', 'self.size < self.share', 'self.size < self.name', 'self.since < self.wait'],
    ...['self.since - self.since == self.since', 'self.size in self.tags', "'a' in self.name", 'self.port == 1'],
    ...['self.flag > false', 'self.tags > self.tags', 'self.?name == "a"', "self.?name.orValue('a') == 'b'"],
    ...[
      'self.labels[?"a"].orValue(1) == 1',
      'type(self.size) == int',
      'self.size && true',
      '!self.size',
      '-self.name == 1',
    ],
  ),
  'rules call functions of what they take': asked(
    ...['self.name.startsWith(1)', 'size(self.size) == 1', 'self.tags.join(1) == ""', 'quantity("1") == 1'],
    ...['quantity("1").add(1.0) == quantity("2")', 'self.tags.sum() == "a"', 'sets.contains(self.tags, [1])'],
    ...[
      'self.name.reverse() == "a"',
      "'%s %d'.format(['a', 1]) == ''",
      "'%s'.format('a') == 'a'",
      'self.name.matches("(")',
    ],
    ...[
      'duration("x") == self.wait',
      'self.wait.getFullYear() == 1',
      'bool(1)',
      'true ? 1 : "a"',
      'self.size ? true : false',
    ],
  ),
  'rules go through lists and maps': asked(
    ...['self.tags.all(t, t)', 'self.tags.exists_one(t, t)', 'self.name.all(x, true)', 'self.labels.all(k, k == 1)'],
    ...[
      'self.labels.all(k, v, v == 1)',
      'self.tags.map(t, t.size()).exists(n, n == "a")',
      'self.tags.filter(t, t).size() == 1',
    ],
    ...[
      'self.tags[0] == 1',
      'self.labels[1] == "b"',
      '[1, "a"] == [1]',
      '{"a": 1, "b": "c"} == {}',
      '[?self.name] == []',
    ],
    ...['self.labels.transformMap(k, v, v.size()) == {"a": "b"}', 'self.?name.optMap(n, n + 1).hasValue()'],
  ),
  'a rule does not cost too much': asked(
    ...[
      'self.long.contains(self.long)',
      'self.long.contains("abc")',
      'self.free.all(t, t == "a")',
      'self.free.isSorted()',
    ],
    ...['self.free.all(t, self.free.all(u, u == t))', 'self.tags.all(t, self.tags.all(u, u == t))'],
    ...['self.free.all(t, t.matches("^[a-z]+$"))', 'self.long.matches("^[a-z]+$")', 'self.free.join(",") == "a"'],
    ...['self.long.split(",").all(t, t.size() > 3)', 'self.long.replace("a", "bcd").contains("abc")'],
    ...['self.open.all(k, self.open[k] > 1)', 'sets.contains(self.free, self.free)', 'self.free.distinct() == []'],
    ...['self.?long.orValue("a").contains("abc")', 'self.free.map(t, t + "a").all(t, t.size() > 1)'],
  ),
  'all rules together do not cost too much': [
    ruled(
      many,
      ...Array.from({ length: 12 }, () => ({ rule: 'self.free.all(t, t == "abc" && t == "de" && t == "f")' })),
    ),
    withSpec({
      type: 'array',
      items: {
        type: 'object',
        ...many,
        'x-kubernetes-validations': [
          { rule: 'self.size > 1' },
          { rule: 'self.tags.all(t, t.contains("a"))', messageExpression: '"a" + self.long' },
          { rule: 'self.name == "a"', messageExpression: 'self.free.map(t, t + self.long).join("a")' },
        ],
      },
    }),
    withSpec({
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        maxProperties: 10,
        additionalProperties: { ...text(100), 'x-kubernetes-validations': [{ rule: 'self.matches("^[a-z]+$")' }] },
      },
    }),
  ],
  'rules say what they mean': [
    ruled(sized, { rule: 'self.size > 0', message: ' ' }),
    ruled(sized, { rule: 'self.size > 0', message: 'two\nlines' }),
    ruled(sized, { rule: 'self.size >\n0' }),
    ruled(sized, { rule: 'self.size > 0', messageExpression: 'self.size' }),
    ruled(sized, { rule: 'self.size > 0', messageExpression: "'it is ' + self.name" }),
    ruled(sized, { rule: 'self.size > 0', messageExpression: ' ' }),
    ruled(sized, { rule: 'self.size > 0', reason: 'Because' }),
    ruled(sized, { rule: 'self.size > 0', fieldPath: '.size' }),
    ruled(sized, { rule: 'self.size > 0', fieldPath: '.length' }),
    ruled(sized, { rule: 'self.size > 0', fieldPath: 'size' }),
    ruled(sized, { rule: 'oldSelf.size > 0', optionalOldSelf: true }),
    ruled(sized, { rule: 'self.size > 0', optionalOldSelf: true }),
  ],
  'rules about what was before': [
    ruled(sized, { rule: 'self.size >= oldSelf.size' }),
    withProperty({
      type: 'array',
      maxItems: 3,
      items: { type: 'string', maxLength: 3, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    }),
    withProperty({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] }),
  ],
  'subresources lead somewhere': [
    tried({ versions: [version(ANYTHING, { subresources: { scale: {} } })] }),
    tried({
      versions: [
        version(ANYTHING, { subresources: { scale: { specReplicasPath: 'spec.x', statusReplicasPath: '.spec.x' } } }),
      ],
    }),
    tried({
      versions: [
        version(ANYTHING, {
          subresources: {
            scale: {
              specReplicasPath: '.spec.x[0]',
              statusReplicasPath: '.status.x',
              labelSelectorPath: '.metadata.x',
            },
          },
        }),
      ],
    }),
  ],
  'columns lead somewhere': [
    tried({
      versions: [version(ANYTHING, { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.x' }] })],
    }),
    tried({ versions: [version(ANYTHING, { additionalPrinterColumns: [{ name: '', type: '', jsonPath: '' }] })] }),
    tried({
      versions: [version(ANYTHING, { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.x[' }] })],
    }),
    tried({
      versions: [
        version(ANYTHING, {
          additionalPrinterColumns: [{ name: 'A', type: 'integer', format: 'big', jsonPath: '.x' }],
        }),
      ],
    }),
  ],
  'fields to select by are there': [
    tried({ versions: [version(ANYTHING, { selectableFields: [{ jsonPath: '.spec.x' }] })] }),
    tried({
      versions: [
        version(
          { type: 'object', properties: { spec: { type: 'object', properties: { x: { type: 'string' } } } } },
          { selectableFields: [{ jsonPath: '.spec.x' }, { jsonPath: '.spec.x' }, { jsonPath: '' }] },
        ),
      ],
    }),
  ],
  'what it has been made for stays': [
    post('customresourcedefinitions', defined()),
    { ...get('customresourcedefinitions/gadgets.{case}.example.com'), until: 'InitialNamesAccepted' },
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', { spec: { scope: 'Cluster' } }),
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', { spec: { group: 'other.example.com' } }),
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', { spec: { names: { kind: 'Other' } } }),
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', { spec: { names: { plural: 'others' } } }),
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', {
      spec: { versions: [version(ANYTHING, { name: 'v2' })] },
    }),
    mergePatch('customresourcedefinitions/gadgets.{case}.example.com', { spec: { versions: [version({})] } }),
    put('customresourcedefinitions/gadgets.{case}.example.com', defined()),
    remove('customresourcedefinitions/gadgets.{case}.example.com'),
    { ...get('customresourcedefinitions/gadgets.{case}.example.com'), until: 404 },
  ],
  'a kind that another definition has': [
    post('customresourcedefinitions', defined()),
    untilSays('gadgets', 'InitialNamesAccepted'),
    post('customresourcedefinitions', other({ kind: 'Gadget' })),
    untilSays('gizmos', 'NotAccepted'),
    get('/apis/{case}.example.com/v1'),
    get('/apis/{case}.example.com/v1/namespaces/{case}/gizmos'),
    post('/apis/{case}.example.com/v1/namespaces/{case}/gizmos', { metadata: { name: 'a' } }),
    remove('customresourcedefinitions/gadgets.{case}.example.com'),
    { ...get('customresourcedefinitions/gadgets.{case}.example.com'), until: 404 },
    untilSays('gizmos', 'InitialNamesAccepted'),
    { ...get('/apis/{case}.example.com/v1/namespaces/{case}/gizmos'), until: 200 },
    { ...get('/apis/{case}.example.com/v1'), until: 'gizmos' },
    remove('customresourcedefinitions/gizmos.{case}.example.com'),
  ],
  'names that another definition has': [
    post('customresourcedefinitions', defined({ names: { ...NAMES, shortNames: ['g', 'gg'] } })),
    untilSays('gadgets', 'InitialNamesAccepted'),
    post('customresourcedefinitions', other({ kind: 'Gizmo', singular: 'gadgets', shortNames: ['g', 'gg', 'x'] })),
    untilSays('gizmos', 'ShortNamesConflict'),
    get('/apis/{case}.example.com/v1'),
    mergePatch('customresourcedefinitions/gizmos.{case}.example.com', {
      spec: { names: { singular: 'gizmo', shortNames: ['x'] } },
    }),
    untilSays('gizmos', 'InitialNamesAccepted'),
    mergePatch('customresourcedefinitions/gizmos.{case}.example.com', { spec: { names: { listKind: 'Gadget' } } }),
    untilSays('gizmos', 'ListKindConflict'),
    { ...get('/apis/{case}.example.com/v1/namespaces/{case}/gizmos'), until: 200 },
    remove('customresourcedefinitions/gadgets.{case}.example.com'),
    untilSays('gizmos', 'NoConflicts'),
    remove('customresourcedefinitions/gizmos.{case}.example.com'),
  ],
};
