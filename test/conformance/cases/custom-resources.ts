import { apply, type Cases, get, mergePatch, post, put, remove, type Step, watch } from '../steps.ts';

type Fields = Readonly<Record<string, unknown>>;

const CONDITIONS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, status: { type: 'string' } } },
};

const SPEC = {
  type: 'object',
  required: ['size'],
  'x-kubernetes-validations': [
    { rule: 'self.size <= self.most', message: 'size may not be more than most' },
    { rule: 'self.size >= oldSelf.size', message: 'size cannot shrink' },
  ],
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 100 },
    most: { type: 'integer', default: 50 },
    replicas: { type: 'integer', default: 1 },
    mode: { type: 'string', enum: ['Fast', 'Safe'], default: 'Safe' },
    name: {
      type: 'string',
      maxLength: 5,
      pattern: '^[a-z]*$',
      'x-kubernetes-validations': [{ rule: "self != 'bad'", messageExpression: "'it is ' + self" }],
    },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    fixed: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }],
    },
  },
};

const STATUS = {
  type: 'object',
  properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, conditions: CONDITIONS },
};

/** A namespaced kind with everything that a definition can say and a job of ours uses. */
const DEFINITION = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec: SPEC, status: STATUS } } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
};

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const aWidget = (name: string, spec: Fields = {}, more: Fields = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size: 1, ...spec },
  ...more,
});

/** A real server takes a moment to serve what was defined. */
export const definition: readonly Step[] = [
  post('customresourcedefinitions', DEFINITION),
  { ...get('widgets'), until: 200 },
];

/** Kinds that a definition adds. */
export const customResources: Cases = {
  'what the schema does not have is left out, and what is left out is filled in': [
    post('widgets', aWidget('a', { unknown: 1, free: { kept: [1, { x: null }] } }, { other: 'x' })),
    get('widgets/a'),
  ],
  'a status is not taken when an object is made': [
    post('widgets', aWidget('a', {}, { status: { replicas: 3 } })),
    get('widgets/a/status'),
  ],
  'what is of the wrong type, too large or none of the choices is refused': [
    post('widgets', aWidget('a', { size: 'x' })),
    post('widgets', aWidget('a', { size: 101 })),
    post('widgets', aWidget('a', { size: -1, most: -5 })),
    post('widgets', aWidget('a', { mode: 'Slow' })),
    post('widgets', aWidget('a', { name: 'toolong' })),
    post('widgets', aWidget('a', { name: 'A' })),
    post('widgets', aWidget('a', { tags: ['x', 'x'] })),
    post('widgets', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } }),
    post('widgets', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} }),
  ],
  'rules are asked about what is made': [
    post('widgets', aWidget('a', { size: 60 })),
    post('widgets', aWidget('a', { size: 60, most: 70 })),
    post('widgets', aWidget('b', { name: 'bad' })),
  ],
  'rules are asked about what it was before': [
    post('widgets', aWidget('a', { size: 10, fixed: 'x' })),
    mergePatch('widgets/a', { spec: { size: 5 } }),
    mergePatch('widgets/a', { spec: { size: 20 } }),
    mergePatch('widgets/a', { spec: { fixed: 'y' } }),
    mergePatch('widgets/a', { spec: { fixed: null } }),
    mergePatch('widgets/a', { spec: { size: 60 } }),
  ],
  'the status has a door of its own': [
    post('widgets', aWidget('a')),
    mergePatch('widgets/a/status', {
      spec: { size: 9 },
      status: { replicas: 2, conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    mergePatch('widgets/a/status', { status: { conditions: 'x' } }),
    mergePatch('widgets/a', { spec: { size: 3 }, status: { replicas: 9 } }),
    mergePatch('widgets/a', { metadata: { labels: { x: 'y' } } }),
    get('widgets/a'),
  ],
  'it is scaled as a set is': [
    post('widgets', aWidget('a')),
    mergePatch('widgets/a/status', { status: { replicas: 1, selector: 'app=a' } }),
    get('widgets/a/scale'),
    mergePatch('widgets/a/scale', { spec: { replicas: 4 } }),
    get('widgets/a'),
  ],
  'an update has to name its version': [
    post('widgets', aWidget('a')),
    put('widgets/a', aWidget('a', { size: 2 })),
    put(
      'widgets/a',
      aWidget('a', { size: 2 }, { metadata: { name: 'a', resourceVersion: '{1.metadata.resourceVersion}' } }),
    ),
    put('widgets/b', aWidget('b', {}, { metadata: { name: 'b', resourceVersion: '1' } })),
  ],
  'people see its columns': [
    post('widgets', aWidget('a', { size: 7 })),
    mergePatch('widgets/a/status', {
      status: {
        conditions: [
          { type: 'Other', status: 'x' },
          { type: 'Ready', status: 'True' },
        ],
      },
    }),
    post('widgets', aWidget('b')),
    get('widgets', { accept: TABLE }),
  ],
  'owners of its fields': [
    apply('widgets/a?fieldManager=one', aWidget('a', { size: 5 })),
    apply('widgets/a?fieldManager=two', aWidget('a', { size: 6 })),
    apply('widgets/a?fieldManager=two&force=true', aWidget('a', { size: 6, tags: ['x'] })),
    apply('widgets/a?fieldManager=two', aWidget('a', { size: 6 })),
  ],
  'it is watched': [
    watch('widgets?watch=true', 3),
    post('widgets', aWidget('a')),
    mergePatch('widgets/a', { spec: { size: 2 } }),
    remove('widgets/a'),
  ],
  'what is deleted, and what is not there': [
    post('widgets', aWidget('a')),
    remove('widgets/a'),
    remove('widgets/a'),
    get('widgets/a'),
    get('/apis/example.com/v1/gadgets'),
    get('/apis/example.com/v2/widgets'),
  ],
};
