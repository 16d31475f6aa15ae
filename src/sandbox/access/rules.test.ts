import { expect, test } from 'vitest';
import { type Attributes, type PolicyRule, ruleAllows, ruleText, uncovered } from './rules.ts';

const rule = (given: Partial<PolicyRule>): PolicyRule => ({
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
  ...given,
});

const pods = { apiGroups: [''], resources: ['pods'] };
const getPod: Attributes = { verb: 'get', group: '', resource: 'pods', namespace: 'a', name: 'x' };

const cases: readonly [string, Partial<PolicyRule>, Attributes, boolean][] = [
  ['what it names', { verbs: ['get'], ...pods }, getPod, true],
  ['every verb by a star', { verbs: ['*'], ...pods }, getPod, true],
  ['no other verb', { verbs: ['list'], ...pods }, getPod, false],
  ['no other group', { verbs: ['get'], ...pods }, { ...getPod, group: 'apps' }, false],
  ['every group by a star', { verbs: ['get'], apiGroups: ['*'], resources: ['pods'] }, getPod, true],
  ['no subresource by the resource', { verbs: ['get'], ...pods }, { ...getPod, subresource: 'status' }, false],
  [
    'a subresource by its name',
    { verbs: ['get'], apiGroups: [''], resources: ['pods/status'] },
    { ...getPod, subresource: 'status' },
    true,
  ],
  [
    'the subresource of everything',
    { verbs: ['get'], apiGroups: [''], resources: ['*/scale'] },
    { ...getPod, subresource: 'scale' },
    true,
  ],
  [
    'all subresources by a star',
    { verbs: ['get'], apiGroups: [''], resources: ['*'] },
    { ...getPod, subresource: 'status' },
    true,
  ],
  ['a name', { verbs: ['get'], ...pods, resourceNames: ['x'] }, getPod, true],
  ['no other name', { verbs: ['get'], ...pods, resourceNames: ['y'] }, getPod, false],
  [
    'no list by a name',
    { verbs: ['list'], ...pods, resourceNames: ['x'] },
    { verb: 'list', group: '', resource: 'pods' },
    false,
  ],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/metrics'] }, { verb: 'get', path: '/metrics' }, true],
  ['paths below a star', { verbs: ['get'], nonResourceURLs: ['/apis/*'] }, { verb: 'get', path: '/apis/x' }, true],
  ['no other path', { verbs: ['get'], nonResourceURLs: ['/apis/*'] }, { verb: 'get', path: '/api' }, false],
];

test.each(cases)('a rule allows %s', (_, given, asked, isAllowed) => {
  expect(ruleAllows(rule(given), asked)).toBe(isAllowed);
});

test('what rules do not cover of another is told piece by piece', () => {
  const owned = [rule({ verbs: ['get'], ...pods }), rule({ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] })];
  const wanted = [
    rule({ verbs: ['get', 'list'], ...pods }),
    rule({ verbs: ['delete'], apiGroups: ['apps'], resources: ['a/b'] }),
  ];
  expect(uncovered(owned, wanted).map(ruleText)).toEqual(['{APIGroups:[""], Resources:["pods"], Verbs:["list"]}']);
});

test('a right to one object is no right to all', () => {
  const owned = [rule({ verbs: ['get'], ...pods, resourceNames: ['x'] })];
  expect(uncovered(owned, [rule({ verbs: ['get'], ...pods })])).toHaveLength(1);
  expect(uncovered(owned, [rule({ verbs: ['get'], ...pods, resourceNames: ['x'] })])).toHaveLength(0);
});
