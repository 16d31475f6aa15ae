import { aLease, aMap } from '../objects.ts';
import { apply, as, type Cases, get, mergePatch, post, put, type Request, remove, type Step } from '../steps.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ROBOT = { kind: 'ServiceAccount', name: 'robot', namespace: '{case}' };
const READ_MAPS = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }];

/** An account, a role, and that it has the role: steps 1 to 4, of which the fourth gives its token. */
const robot = (rules: readonly object[]): readonly Step[] => [
  post('serviceaccounts', { metadata: { name: 'robot' } }),
  post('roles', { metadata: { name: 'role' }, rules }),
  post('rolebindings', {
    metadata: { name: 'binding' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'role' },
    subjects: [ROBOT],
  }),
  post('serviceaccounts/robot/token', {}),
];

const asRobot = (step: Request): Request => as('{4.status.token}', step);
/** A real server hears of roles after a moment. */
const soon = (step: Request, until: Request['until'] = 200): Request => ({ ...asRobot(step), until });

const mayI = (resourceAttributes: object, more: object = {}): Request =>
  post('selfsubjectaccessreviews', { spec: { resourceAttributes, ...more } });
const mayHe = (spec: object): Request => post('subjectaccessreviews', { spec });
const isToken = (spec: object): Request => post('tokenreviews', { spec });
const GET_MAPS = { namespace: '{case}', verb: 'get', resource: 'configmaps' };
const ROBOT_USER = 'system:serviceaccount:{case}:robot';

/** Who may do what. */
export const access: Cases = {
  'a token that is none is refused': [as('nonsense', get('configmaps')), as('a.b.c', post('configmaps', {}))],
  'an account may do what a role of its says, and nothing else': [
    ...robot(READ_MAPS),
    soon(get('configmaps')),
    asRobot(get('configmaps/none')),
    asRobot(post('configmaps', aMap('a'))),
    asRobot(remove('configmaps/a')),
    asRobot(remove('configmaps')),
    asRobot(mergePatch('configmaps/a', {})),
    asRobot(put('configmaps/a', aMap('a'))),
    asRobot(get('configmaps?watch=true')),
    asRobot(get('/api/v1/configmaps')),
    asRobot(get('secrets/x')),
    asRobot(get('nodes')),
    asRobot(get('nodes/x')),
    asRobot(mergePatch('persistentvolumes/x/status', {})),
    asRobot(get('/metrics')),
    asRobot(get('/healthz')),
  ],
  'who applies or updates what is not there has to have the right to create it': [
    ...robot([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] },
    ]),
    soon(get('configmaps/none'), 404),
    asRobot(apply('configmaps/a?fieldManager=robot', { apiVersion: 'v1', kind: 'ConfigMap', ...aMap('a') })),
    asRobot(put('leases/a', aLease('a'))),
    post('configmaps', aMap('b')),
    asRobot(apply('configmaps/b?fieldManager=robot', { apiVersion: 'v1', kind: 'ConfigMap', ...aMap('b') })),
  ],
  'a role for one name': [
    ...robot([{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get', 'update'] }]),
    post('configmaps', aMap('mine')),
    soon(get('configmaps/mine')),
    asRobot(get('configmaps/yours')),
    asRobot(get('configmaps')),
    asRobot(put('configmaps/mine', aMap('mine', { x: '1' }))),
    asRobot(mergePatch('configmaps/mine', { data: { x: '2' } })),
  ],
  'nobody gives away more than he has': [
    ...robot([
      ...READ_MAPS,
      { apiGroups: [RBAC], resources: ['roles', 'rolebindings'], verbs: ['create', 'get', 'update', 'patch'] },
    ]),
    soon(get('roles/role')),
    asRobot(post('roles', { metadata: { name: 'less' }, rules: READ_MAPS })),
    asRobot(
      post('roles', {
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'delete'] }],
      }),
    ),
    asRobot(
      post('rolebindings', {
        metadata: { name: 'more' },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [ROBOT],
      }),
    ),
  ],
  'a right that is taken away is gone': [
    ...robot(READ_MAPS),
    soon(get('configmaps')),
    remove('rolebindings/binding'),
    soon(get('configmaps'), 403),
  ],
  'may I': [
    mayI(GET_MAPS),
    mayI({ verb: 'get' }),
    post('selfsubjectaccessreviews', { spec: { nonResourceAttributes: { verb: 'get', path: '/metrics' } } }),
    post('selfsubjectaccessreviews', { spec: {} }),
    mayI(GET_MAPS, { nonResourceAttributes: { verb: 'get', path: '/' } }),
  ],
  'may I, asked by somebody with few rights': [
    ...robot(READ_MAPS),
    soon(mayI(GET_MAPS), '"allowed":true'),
    asRobot(mayI({ ...GET_MAPS, verb: 'delete' })),
    asRobot(mayI({ ...GET_MAPS, namespace: 'default' })),
    asRobot(mayI({ ...GET_MAPS, subresource: 'status' })),
    asRobot(mayI({ ...GET_MAPS, name: 'a', version: 'v1', group: 'other' })),
    asRobot(post('selfsubjectaccessreviews', { spec: { nonResourceAttributes: { verb: 'get', path: '/api' } } })),
    asRobot(mayHe({ user: 'somebody', resourceAttributes: GET_MAPS })),
  ],
  'may he': [
    ...robot(READ_MAPS),
    { ...mayHe({ user: ROBOT_USER, resourceAttributes: GET_MAPS }), until: '"allowed":true' },
    mayHe({ user: ROBOT_USER, resourceAttributes: { ...GET_MAPS, verb: 'delete' } }),
    mayHe({ user: 'somebody', resourceAttributes: GET_MAPS }),
    mayHe({
      user: 'somebody',
      groups: ['system:masters'],
      resourceAttributes: { verb: '*', resource: '*', group: '*' },
    }),
    mayHe({ groups: ['system:masters'], resourceAttributes: GET_MAPS }),
    mayHe({ resourceAttributes: GET_MAPS }),
    mayHe({ user: 'somebody' }),
    mayHe({ user: 'somebody', nonResourceAttributes: { path: '/api', verb: 'get' } }),
    mayHe({ user: 'x', resourceAttributes: GET_MAPS, nonResourceAttributes: { path: '/', verb: 'get' } }),
  ],
  'may he, here': [
    ...robot(READ_MAPS),
    {
      ...post('localsubjectaccessreviews', { spec: { user: ROBOT_USER, resourceAttributes: GET_MAPS } }),
      until: '"allowed":true',
    },
    post('localsubjectaccessreviews', {
      metadata: { namespace: '{case}' },
      spec: { user: ROBOT_USER, resourceAttributes: { ...GET_MAPS, verb: 'delete' } },
    }),
    post('localsubjectaccessreviews', {
      metadata: { namespace: '{case}' },
      spec: { user: ROBOT_USER, resourceAttributes: { ...GET_MAPS, namespace: 'default' } },
    }),
    post('localsubjectaccessreviews', {
      metadata: { namespace: '{case}' },
      spec: { user: ROBOT_USER, nonResourceAttributes: { path: '/', verb: 'get' } },
    }),
  ],
  'what may I do here': [
    ...robot(READ_MAPS),
    soon(post('selfsubjectrulesreviews', { spec: { namespace: '{case}' } }), 'configmaps'),
    post('selfsubjectrulesreviews', { spec: { namespace: '{case}' } }),
    post('selfsubjectrulesreviews', { spec: {} }),
  ],
  'who am I': [
    ...robot([]),
    asRobot(post('selfsubjectreviews', {})),
    post('selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  ],
  'whose token is this': [
    ...robot([]),
    isToken({ token: '{4.status.token}' }),
    isToken({ token: 'nonsense' }),
    isToken({ token: 'a.b.c' }),
    isToken({}),
    isToken({ token: '{4.status.token}', audiences: ['others'] }),
    isToken({ token: '{4.status.token}', audiences: ['others', 'https://kubernetes.default.svc'] }),
  ],
  'a token for others is none for the server': [
    ...robot(READ_MAPS),
    soon(get('configmaps')),
    post('serviceaccounts/robot/token', { spec: { audiences: ['others'], expirationSeconds: 600 } }),
    as('{6.status.token}', get('configmaps')),
    isToken({ token: '{6.status.token}', audiences: ['others'] }),
    isToken({ token: '{6.status.token}' }),
  ],
  'a token that cannot be had': [
    ...robot([]),
    post('serviceaccounts/robot/token', { spec: { expirationSeconds: 60 } }),
    post('serviceaccounts/robot/token', { spec: { expirationSeconds: 8589934592 } }),
    post('serviceaccounts/nobody/token', {}),
    post('serviceaccounts/robot/token', { spec: { boundObjectRef: { kind: 'Pod', name: 'none', apiVersion: 'v1' } } }),
    post('serviceaccounts/robot/token', {
      spec: { boundObjectRef: { kind: 'ConfigMap', name: 'x', apiVersion: 'v1' } },
    }),
    get('serviceaccounts/robot/token'),
    asRobot(post('serviceaccounts/robot/token', {})),
  ],
  'in the name of somebody else': [
    ...robot(READ_MAPS),
    { ...get('configmaps', { 'impersonate-user': ROBOT_USER }), until: 200 },
    get('secrets', { 'impersonate-user': ROBOT_USER }),
    get('configmaps', { 'impersonate-user': 'somebody' }),
    get('configmaps', { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' }),
    get('configmaps', { 'impersonate-group': 'system:masters' }),
    asRobot(get('configmaps', { 'impersonate-user': 'admin' })),
    asRobot(get('configmaps', { 'impersonate-user': 'system:serviceaccount:default:default' })),
    post('selfsubjectreviews', {}, { 'impersonate-user': ROBOT_USER }),
    post('selfsubjectreviews', {}, { 'impersonate-user': 'somebody', 'impersonate-group': 'some' }),
  ],
};
