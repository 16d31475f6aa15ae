import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Access, Verb } from './controller-spec.ts';
import { type PolicyRule, policyRules } from './policy-rules.ts';

const GROUPS = ['', 'apps'];
const PLURALS = ['pods', 'nodes'];
const NAMES = ['a', 'b'];
const VERBS: readonly Verb[] = ['get', 'list', 'watch', 'update', 'patch', 'delete'];

const resource = (group: string, plural: string) => ({ group, version: 'v1', plural, kind: 'Any', namespaced: true });

const access: fc.Arbitrary<Access> = fc
  .record(
    {
      resource: fc.tuple(fc.constantFrom(...GROUPS), fc.constantFrom(...PLURALS)).map(([g, p]) => resource(g, p)),
      verbs: fc.subarray([...VERBS], { minLength: 1 }),
      subresource: fc.constant('status'),
      names: fc.subarray(NAMES, { minLength: 1 }),
    },
    { requiredKeys: ['resource', 'verbs'] },
  )
  .map((record): Access => record);
const accesses = fc.array(access, { maxLength: 8 });

/** Every single right that could be asked for, as text. */
const RIGHTS = GROUPS.flatMap((group) =>
  PLURALS.flatMap((plural) => [plural, `${plural}/status`]).flatMap((plural) =>
    VERBS.flatMap((verb) => [...NAMES, 'another'].map((name) => ({ group, plural, verb, name }))),
  ),
);

/** As the API server judges. */
const grantedBy = (rules: readonly PolicyRule[]) =>
  RIGHTS.filter(({ group, plural, verb, name }) =>
    rules.some(
      (rule) =>
        rule.apiGroups.includes(group) &&
        rule.resources.includes(plural) &&
        rule.verbs.includes(verb) &&
        (rule.resourceNames === undefined || rule.resourceNames.includes(name)),
    ),
  );

const declaredBy = (declared: readonly Access[]) =>
  RIGHTS.filter(({ group, plural, verb, name }) =>
    declared.some(
      (each) =>
        each.resource.group === group &&
        (each.subresource ? `${each.resource.plural}/${each.subresource}` : each.resource.plural) === plural &&
        each.verbs.includes(verb) &&
        (each.names === undefined || each.names.includes(name)),
    ),
  );

test('the rules grant exactly what is declared', () => {
  fc.assert(
    fc.property(accesses, (some) => {
      expect(grantedBy(policyRules(some))).toEqual(declaredBy(some));
    }),
    { numRuns: 500 },
  );
});

test('together with what is granted elsewhere they grant the same, and nothing twice', () => {
  fc.assert(
    fc.property(accesses, accesses, (some, already) => {
      const rules = policyRules(some, already);
      const elsewhere = declaredBy(already);
      expect(new Set([...grantedBy(rules), ...elsewhere])).toEqual(new Set([...declaredBy(some), ...elsewhere]));
      const unnamed = rules.filter(({ resourceNames }) => resourceNames === undefined);
      const everywhere = declaredBy(already.filter(({ names }) => names === undefined));
      expect(grantedBy(unnamed).filter((right) => everywhere.includes(right))).toEqual([]);
    }),
  );
});

test('the order of declarations, and saying a thing twice, change nothing', () => {
  const shuffled = accesses.chain((some) =>
    fc.tuple(fc.constant(some), fc.shuffledSubarray([...some, ...some], { minLength: some.length * 2 })),
  );
  fc.assert(
    fc.property(shuffled, ([some, again]) => {
      expect(policyRules(again)).toEqual(policyRules(some));
    }),
  );
});

test('no two rules differ in one list only', () => {
  fc.assert(
    fc.property(accesses, (some) => {
      const rules = policyRules(some);
      for (const list of ['verbs', 'resources', 'resourceNames'] as const) {
        const others = rules.map((rule) => JSON.stringify({ ...rule, [list]: rule[list] !== undefined }));
        expect(new Set(others).size).toBe(rules.length);
      }
    }),
  );
});

test('a right to all objects leaves nothing to say about single ones', () => {
  const pods = resource('', 'pods');
  const rules = policyRules([
    { resource: pods, verbs: ['get', 'delete'], names: ['a'] },
    { resource: pods, verbs: ['get'] },
  ]);
  expect(rules).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['delete'] },
  ]);
});

test('verbs come in the order in which people list them, everything else by the alphabet', () => {
  const pods = resource('', 'pods');
  const nodes = resource('', 'nodes');
  const deployments = resource('apps', 'deployments');
  expect(
    policyRules([
      { resource: deployments, verbs: ['patch'] },
      { resource: pods, verbs: ['watch', 'list', 'get'] },
      { resource: nodes, verbs: ['get', 'list'] },
      { resource: nodes, verbs: ['watch'] },
      { resource: pods, subresource: 'status', verbs: ['update'], names: ['b', 'a'] },
    ]),
  ).toEqual([
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods/status'], resourceNames: ['a', 'b'], verbs: ['update'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] },
  ]);
});
