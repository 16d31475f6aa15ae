/** The doctor on a real API server: what it says of an installation by the chart, of what is then broken in it, and what it puts right. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixAll } from '../../../src/commands/doctor/fix.ts';
import { aTerminal } from '../../../src/commands/line/recorded-terminal.ts';
import type { Answer } from '../../../src/doctor/answer.ts';
import { policiesAreInForce } from '../../../src/doctor/checks/policies.ts';
import { type Finding, judgeAll } from '../../../src/doctor/finding.ts';
import { lookAtCluster } from '../../../src/doctor/look.ts';
import { buildInfo } from '../../../src/kit/build-info.ts';
import { FINALIZER, NODE_ID_LABEL } from '../../../src/lvm/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast } from '../../harness/holdfast.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { configMapsIn, VOLUMES } from '../agents.ts';
import { CHART, EVERY_JOB, helm } from '../chart/helm.ts';
import { connected } from '../kit/connected.ts';
import { aNode, aVolume } from '../lvm/rights.ts';

const NAMESPACE = 'storage';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const POOL_KIND = `${CRDS}/pvpools.pvpool.noobaa.com`;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
  await aNode(plane, 'worker-a', { [NODE_ID_LABEL]: 'id-a' });
  const args = ['install', 'vault', CHART, '--create-namespace', '-n', NAMESPACE, '--kubeconfig', plane.kubeconfig];
  const { code, stderr } = await helm([...args, '-f', '-'], { ...EVERY_JOB, console: { enabled: true } });
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

async function doctor(...flags: readonly string[]) {
  const { code, stdout, stderr } = await runHoldfast(
    'doctor',
    '-o',
    'json',
    `--kubeconfig=${plane.kubeconfig}`,
    ...flags,
  );
  return { code, stderr, answer: JSON.parse(stdout) as Answer };
}

const verdictOf = ({ checks }: Answer, name: string) => checks.find(({ check }) => check === name)?.verdict;
function found({ checks }: Answer): readonly (Finding & { check: string })[] {
  return checks.flatMap(({ check, verdict }) =>
    verdict.is === 'found' ? verdict.findings.map((finding) => ({ check, ...finding })) : [],
  );
}

test('what the chart installs is as it has to be: versions, rights, kinds, policies, and clocks', async () => {
  await eventually(async () => {
    const { code, answer } = await doctor();
    expect(found(answer)).toEqual([]);
    expect(answer.counts).toMatchObject({ error: 0, unknown: 0, warning: 0 });
    expect(code).toBe(0);
  });
});

describe('what is then broken is found', () => {
  test('a right that was taken away, and given back', async () => {
    const path = `${ROLES}/vault-holdfast-devices`;
    const role = await plane.admin.get<{ rules: object[] } & { metadata: { uid: string } }>(path);
    await plane.admin.patch(path, { rules: [] });
    await eventually(async () => {
      const { code, answer } = await doctor();
      expect(code).toBe(1);
      expect(verdictOf(answer, 'rbac')).toMatchObject({
        findings: [{ severity: 'error', evidence: expect.stringContaining('delete persistentvolumes') }],
      });
    });
    await plane.admin.patch(path, { rules: role.rules });
    await eventually(async () => expect(verdictOf((await doctor()).answer, 'rbac')).toMatchObject({ is: 'ok' }));
  });

  test('a right of the console, which is no second writer of anything', async () => {
    const path = `${ROLES}/vault-holdfast-console`;
    const { rules } = await plane.admin.get<{ rules: object[] } & { metadata: { uid: string } }>(path);
    await plane.admin.patch(path, { rules: [] });
    await eventually(async () => {
      const { answer } = await doctor();
      expect(found(answer)).toMatchObject([
        {
          check: 'rbac',
          subject: `account ${NAMESPACE}/vault-holdfast-console of Deployment ${NAMESPACE}/vault-holdfast-console`,
          evidence: expect.stringContaining('create tokenreviews'),
        },
      ]);
    });
    await plane.admin.patch(path, { rules });
    await eventually(async () => expect(verdictOf((await doctor()).answer, 'rbac')).toMatchObject({ is: 'ok' }));
  });

  test('a kind and a policy that were changed, which --fix puts right', async () => {
    const crd = await plane.admin.get(POOL_KIND);
    const { versions } = Object(crd).spec;
    await plane.admin.patch(POOL_KIND, { spec: { versions: [{ ...versions[0], additionalPrinterColumns: null }] } });
    const { items } = await plane.admin.list(POLICIES);
    const name = items.map(({ metadata }) => metadata.name).find((each) => each.endsWith('devices-volumes')) ?? '';
    const before = Object(await plane.admin.get(`${POLICIES}/${name}`)).spec;
    await plane.admin.patch(`${POLICIES}/${name}`, { spec: { validations: [{ expression: 'true' }] } });
    const broken = await doctor();
    expect(broken.code).toBe(1);
    expect(found(broken.answer).map(({ check, severity }) => `${severity} ${check}`)).toEqual([
      'error crds',
      'error admission-policies',
    ]);
    expect(found(broken.answer)[0]?.fix).toBe(
      'apply customresourcedefinitions.apiextensions.k8s.io pvpools.pvpool.noobaa.com',
    );
    const asked = await runHoldfast('doctor', '--fix', `--kubeconfig=${plane.kubeconfig}`);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes if you are sure') });
    const { code, stderr, answer } = await doctor('--fix', '--yes');
    expect(stderr).toContain('apply customresourcedefinitions.apiextensions.k8s.io pvpools.pvpool.noobaa.com: done');
    expect(found(answer)).toEqual([]);
    expect(code).toBe(0);
    expect(Object(await plane.admin.get(POOL_KIND)).spec).toEqual(Object(crd).spec);
    expect(Object(await plane.admin.get(`${POLICIES}/${name}`)).spec).toEqual(before);
  });

  const policyOfDevices = async () => {
    const { items } = await plane.admin.list(POLICIES);
    return `${POLICIES}/${items.map(({ metadata }) => metadata.name).find((each) => each.endsWith('devices-volumes'))}`;
  };

  test('a policy that another version wrote, which --fix does not set back', async () => {
    const path = await policyOfDevices();
    const before = Object(await plane.admin.get(path));
    const labelled = (version: string) => ({ labels: { 'app.kubernetes.io/version': version } });
    const validations = [...before.spec.validations, { expression: 'true', message: 'of a newer version' }];
    await plane.admin.patch(path, { metadata: labelled('9.9.9'), spec: { validations } });
    const { code, stderr, answer } = await doctor('--fix', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing was found that can be put right without a person');
    expect(found(answer)).toMatchObject([{ evidence: expect.stringContaining('version 9.9.9 wrote it') }]);
    expect(Object(await plane.admin.get(path)).spec.validations).toHaveLength(validations.length);
    const { version } = buildInfo();
    await plane.admin.patch(path, { metadata: labelled(version), spec: { validations: before.spec.validations } });
  });

  test('a policy that somebody changes after it was seen, which is then left as it is', async () => {
    const path = await policyOfDevices();
    const { validations } = Object(await plane.admin.get(path)).spec;
    await plane.admin.patch(path, { spec: { validations: [{ expression: 'true' }] } });
    await using connection = connected(plane, plane.adminToken);
    const visitor = { client: connection.client, signal: AbortSignal.timeout(60_000) };
    const { version } = buildInfo();
    const seen = await lookAtCluster({ ...visitor, version, now: () => new Date(), heartbeat: () => undefined });
    const changed = [{ expression: '1 == 1', message: 'changed meanwhile' }];
    await plane.admin.patch(path, { spec: { validations: changed } });
    const terminal = aTerminal();
    await fixAll(judgeAll([policiesAreInForce], seen), visitor, terminal, true);
    expect(terminal.written.err).toContain('the object has been modified');
    expect(Object(await plane.admin.get(path)).spec.validations).toEqual(changed);
    await plane.admin.patch(path, { spec: { validations } });
    expect(found((await doctor()).answer)).toEqual([]);
  });

  test('a report of a node that is gone, which --fix deletes, and a volume that is held for it, which it leaves', async () => {
    const report = (node: string) => ({
      metadata: { name: `holdfast-lvm-${node}`, labels: { 'holdfast.dev/report': 'lvm' } },
      data: { 'report.json': JSON.stringify({ node, at: new Date().toISOString(), version: '0.1.0' }) },
    });
    await plane.admin.post(configMapsIn(NAMESPACE), report('worker-a'));
    await plane.admin.post(configMapsIn(NAMESPACE), report('worker-gone'));
    await plane.admin.post(VOLUMES, aVolume('stranded', 'id-gone', { metadata: { finalizers: [FINALIZER] } }));
    const { answer } = await doctor('--fix', '--yes');
    expect(found(answer)).toMatchObject([
      {
        check: 'finalizers',
        subject: 'volume stranded',
        remedy: expect.stringContaining('holdfast lvm forget stranded'),
      },
    ]);
    const { items } = await plane.admin.list(`${configMapsIn(NAMESPACE)}?labelSelector=holdfast.dev/report`);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['holdfast-lvm-worker-a']);
    await plane.admin.get(`${VOLUMES}/stranded`);
  });

  test('an original that runs beside us', async () => {
    const labels = { app: 'pv-zone-operator' };
    await plane.admin.post('/apis/apps/v1/namespaces/kube-system/deployments', {
      metadata: { name: 'pv-zone-operator' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'operator', image: 'docker.io/cinaq/pv-zone-operator:latest' }] },
        },
      },
    });
    const { code, answer } = await doctor();
    expect(code).toBe(1);
    expect(verdictOf(answer, 'two-writers')).toMatchObject({
      findings: [{ severity: 'error', subject: 'Deployment kube-system/pv-zone-operator' }],
    });
  });
});

test('who may read nothing is told that nothing is known, and never that all is well', async () => {
  const account = await createServiceAccount(plane, { name: 'stranger' });
  const flag = await kubeconfigFlag(plane.directory, account, plane);
  const { code, stdout } = await runHoldfast('doctor', '-o', 'json', '--fail-on=unknown', flag);
  expect(code).toBe(1);
  const { checks } = JSON.parse(stdout) as Answer;
  const well = checks.filter(({ verdict }) => verdict.is !== 'unknown').map(({ check }) => check);
  expect(well).toEqual(['server-version', 'clock-skew']);
});
