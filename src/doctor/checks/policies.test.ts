import { expect, test } from 'vitest';
import { devicesSpec } from '../../devices/spec.ts';
import { admissionObjects } from '../../kit/manifests/files.ts';
import { aCluster, aWriter, findingsOf, seen, told } from '../builders.ts';
import type { Cluster, Policy } from '../cluster.ts';
import { policiesAreInForce } from './policies.ts';

type Changed = { -readonly [K in keyof Policy]: Policy[K] } & { spec: Record<string, unknown> };

/** As the API server keeps those of a release called vault. */
function installed(change: (policy: Changed) => void = () => {}): Partial<Cluster> {
  const objects = admissionObjects(devicesSpec, { namespace: 'storage', serviceAccount: 'holdfast-devices' });
  const renamed = JSON.parse(JSON.stringify(objects).replaceAll('"holdfast-devices-', '"vault-holdfast-devices-'));
  const policies = renamed.filter(({ kind }: Policy) => kind === 'ValidatingAdmissionPolicy');
  for (const policy of policies) {
    policy.spec.matchConstraints = {
      ...policy.spec.matchConstraints,
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: policy.spec.matchConstraints.resourceRules.map((rule: object) => ({ ...rule, scope: '*' })),
    };
    change(policy);
  }
  const bindings = renamed.filter(({ kind }: Policy) => kind !== 'ValidatingAdmissionPolicy');
  return { policies: seen(policies), bindings: seen(bindings), writers: seen([aWriter()]) };
}

test('policies as they are declared, with what the API server adds, are well, whatever the release is called', () => {
  expect(policiesAreInForce.judge(aCluster(installed())).is).toBe('ok');
});

test('without policies it is told what that means', () => {
  const [first] = told(policiesAreInForce.judge(aCluster({ writers: seen([aWriter()]) })));
  expect(first).toContain('warning: policy devices-');
  expect(first).toContain('what RBAC cannot say of this account nobody says');
});

test('a policy that was weakened is an error, and can be put right', () => {
  const weakened = installed((policy) => {
    policy.spec.validations = [];
  });
  const findings = findingsOf(policiesAreInForce.judge(aCluster(weakened)));
  expect(findings.length).toBeGreaterThan(0);
  for (const finding of findings) expect(finding).toMatchObject({ severity: 'error', fix: { does: 'apply' } });
});

/** As the chart of that version labels them. */
const writtenBy = (version: string) => (policy: Changed) => {
  policy.metadata = { ...policy.metadata, labels: { 'app.kubernetes.io/version': version }, resourceVersion: '7' };
  policy.spec.validations = [{ expression: 'variables.somethingNew' }];
};

test('of what this version wrote all is put right, if it is still what was seen', () => {
  const findings = findingsOf(policiesAreInForce.judge(aCluster(installed(writtenBy('1.2.3')))));
  expect(findings.length).toBeGreaterThan(0);
  for (const { fix } of findings) expect(fix).toMatchObject({ object: { metadata: { resourceVersion: '7' } } });
});

test('what another version wrote is left to that one, or to an upgrade', () => {
  const findings = findingsOf(policiesAreInForce.judge(aCluster(installed(writtenBy('9.0.0')))));
  expect(findings.length).toBeGreaterThan(0);
  for (const finding of findings) {
    expect(finding).not.toHaveProperty('fix');
    expect(finding.evidence).toContain('version 9.0.0 wrote it');
    expect(finding.remedy).toContain('helm upgrade');
  }
});

test('where nobody says who wrote it, a rule that is not ours is not taken away', () => {
  const more = installed((policy) => {
    policy.spec.validations = [...(policy.spec.validations as object[]), { expression: 'variables.somethingNew' }];
  });
  const findings = findingsOf(policiesAreInForce.judge(aCluster(more)));
  expect(findings.length).toBeGreaterThan(0);
  for (const finding of findings) expect(finding).not.toHaveProperty('fix');
});

test('one that was made to look away from some namespaces is weakened, too', () => {
  const weakened = installed((policy) => {
    Object.assign(Object(policy.spec.matchConstraints), { namespaceSelector: { matchLabels: { guarded: 'yes' } } });
  });
  expect(policiesAreInForce.judge(aCluster(weakened)).is).toBe('found');
});

test('policies of another account do not count', () => {
  const others = installed();
  const writers = seen([aWriter({ account: 'local-pv' })]);
  expect(told(policiesAreInForce.judge(aCluster({ ...others, writers })))[0]).toContain('there is no such policy');
});

test('a policy without a binding, or with one that only warns, is not in force', () => {
  expect(told(policiesAreInForce.judge(aCluster({ ...installed(), bindings: seen([]) })))[0]).toContain(
    'has no binding',
  );
  const { bindings } = installed();
  const warned = bindings?.known
    ? bindings.value.map((each) => ({ ...each, spec: { ...each.spec, validationActions: ['Warn'] } }))
    : [];
  expect(told(policiesAreInForce.judge(aCluster({ ...installed(), bindings: seen(warned) })))[0]).toContain(
    'is bound in another way than declared',
  );
});

test('what the API server warns of in an expression of ours is an error', () => {
  const status = { typeChecking: { expressionWarnings: [{ warning: 'undefined field' }] } };
  const policies = seen([{ metadata: { name: 'holdfast-devices-volumes' }, spec: {}, status }]);
  expect(told(policiesAreInForce.judge(aCluster({ policies })))).toEqual([
    'error: policy holdfast-devices-volumes: the API server warns of an expression in it: undefined field',
  ]);
});
