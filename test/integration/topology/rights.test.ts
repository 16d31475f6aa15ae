/** The job under the rights that it declares, under those of the original's deployment, and under too few. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { AuditEvent } from '../../harness/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, startHoldfast, startOriginal } from '../../harness/holdfast.ts';
import {
  createServiceAccount,
  type PolicyRule,
  type Question,
  type ServiceAccount,
  type ServiceAccountOptions,
} from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { REGION, World, ZONE } from './world.ts';

let plane: ControlPlane;
const accounts = new AsyncDisposableStack();
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
});
afterAll(async () => {
  await accounts.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

const worldOf = (name: string) => new World({ name, admin: plane.admin });

/** The rules of a role as it is shipped. */
async function shipped(file: string): Promise<readonly PolicyRule[]> {
  return parse(await readFile(join(import.meta.dirname, '../../../deploy/rbac', `${file}.yaml`), 'utf8')).rules;
}

/** As the original's deployment grants them: neither events nor leases. */
const OF_THE_ORIGINAL: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims', 'nodes'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
];

async function account(options: ServiceAccountOptions): Promise<{ account: ServiceAccount; kubeconfig: string }> {
  const made = accounts.use(await createServiceAccount(plane, options));
  return { account: made, kubeconfig: await kubeconfigFlag(plane.directory, made, plane) };
}

const requestsOf = async ({ username }: ServiceAccount): Promise<readonly AuditEvent[]> =>
  (await plane.auditLog()).filter(({ user }) => user.username === username);
const written = (holdfast: Holdfast) => holdfast.metric('holdfast_topology_writes_total', /result="written"/);
const refused = ({ responseStatus }: AuditEvent): boolean => responseStatus?.code === 403;

describe('under the roles in deploy/rbac', () => {
  test('it labels and tells, is never refused anything, and could do nothing else', async () => {
    const world = worldOf('exact');
    const rules = [...(await shipped('holdfast-topology')), ...(await shipped('holdfast-events'))];
    const { account: exact, kubeconfig } = await account({ name: 'exact', clusterRules: rules });
    await using holdfast = await startHoldfast('topology', kubeconfig);
    const { volume } = await world.used(await world.node({ zone: 'a' }), { labels: { [ZONE]: 'wrong' } });
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await eventually(async () => expect(await world.events(volume)).toMatchObject([{ reason: 'TopologyReplaced' }]));
    await holdfast.ready();
    holdfast.send('SIGTERM');
    expect(await holdfast.ended()).toBe(0);
    const done = (await requestsOf(exact)).filter(({ userAgent }) => userAgent?.startsWith('holdfast'));
    expect(done.length).toBeGreaterThan(4);
    expect(done.filter(refused)).toEqual([]);
    expect(holdfast.logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    for (const question of NOT_ITS_BUSINESS) expect([question, await exact.can(question)]).toEqual([question, false]);
  });

  const NOT_ITS_BUSINESS: readonly Question[] = [
    { verb: 'delete', resource: 'persistentvolumes' },
    { verb: 'create', resource: 'persistentvolumes' },
    { verb: 'update', resource: 'persistentvolumes' },
    { verb: 'patch', resource: 'persistentvolumes', subresource: 'status' },
    { verb: 'patch', resource: 'persistentvolumeclaims', namespace: 'default' },
    { verb: 'patch', resource: 'nodes' },
    { verb: 'delete', resource: 'pods', namespace: 'default' },
    { verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'default' },
    { verb: 'get', resource: 'secrets', namespace: 'default' },
    { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'default' },
    { verb: 'list', group: 'events.k8s.io', resource: 'events', namespace: 'default' },
  ];

  test('two replicas stand for election: one labels, and the other goes on when it is killed', async () => {
    const world = worldOf('elected');
    const node = await world.node({ zone: 'a' });
    const { kubeconfig } = await account({
      name: 'elected',
      clusterRules: [...(await shipped('holdfast-topology')), ...(await shipped('holdfast-events'))],
      namespaceRules: { default: await shipped('holdfast-leader-election') },
    });
    await using first = await startHoldfast('topology', '--leader-elect', world.selector, kubeconfig);
    await eventually(() => first.logged.some(({ msg }) => msg === 'leading'), { for: 'the first to lead' });
    await using second = await startHoldfast('topology', '--leader-elect', world.selector, kubeconfig);
    await second.ready();
    const { volume: early } = await world.used(node);
    await world.hasLabels(early, { [ZONE]: 'a' });
    await eventually(async () => expect(await written(first)).toBe(1));
    expect(await written(second)).toBe(0);
    first.send('SIGKILL');
    const { volume: late } = await world.used(node);
    await world.hasLabels(late, { [ZONE]: 'a' });
    await eventually(async () => expect(await written(second)).toBe(1));
  });
});

describe("under the rights of the original's deployment", () => {
  test('it takes the place of the original: started under its name, with its flags, as a Go program reads them', async () => {
    const world = worldOf('drop-in');
    const { account: same, kubeconfig } = await account({ name: 'drop-in', clusterRules: OF_THE_ORIGINAL });
    const flags = [kubeconfig.replace('--', '-'), '-master', plane.url, '--resync-period=60m0s'];
    await using holdfast = await startOriginal('pv-labels-operator', plane.directory, ...flags);
    const { volume } = await world.used(await world.node({ zone: 'a', region: 'north' }));
    await world.hasLabels(volume, { [ZONE]: 'a', [REGION]: 'north' });
    holdfast.send('SIGTERM');
    expect(await holdfast.ended()).toBe(0);
    expect((await requestsOf(same)).filter(refused)).toEqual([]);
  });

  test('it labels all the same, is healthy, and warns once that there are no Events', async () => {
    const world = worldOf('original');
    const { kubeconfig } = await account({ name: 'original', clusterRules: OF_THE_ORIGINAL });
    await using holdfast = await startHoldfast('topology', kubeconfig);
    const node = await world.node({ zone: 'a' });
    for (let i = 0; i < 5; i++) {
      const { volume } = await world.used(node, { labels: { [ZONE]: 'wrong' } });
      await world.hasLabels(volume, { [ZONE]: 'a' });
    }
    await holdfast.ready();
    expect((await holdfast.page('/healthz')).status).toBe(200);
    holdfast.send('SIGTERM');
    expect(await holdfast.ended()).toBe(0);
    const warnings = holdfast.logged.filter(({ level }) => level === 'warn' || level === 'error');
    expect(warnings).toEqual([expect.objectContaining({ level: 'warn', msg: expect.stringContaining('Events') })]);
  });
});

describe('with too few rights', () => {
  test.each(['pods', 'persistentvolumeclaims', 'nodes', 'persistentvolumes'])(
    'that do not let it read %s it labels nothing, is not ready, and says why',
    async (missing) => {
      const world = worldOf(`without-${missing}`);
      const rules = OF_THE_ORIGINAL.map((rule) => ({
        ...rule,
        resources: (rule.resources ?? []).filter((resource) => resource !== missing),
      })).filter(({ resources }) => resources.length > 0);
      const { kubeconfig } = await account({ name: `without-${missing}`, clusterRules: rules });
      const { volume } = await world.used(await world.node({ zone: 'a' }));
      await using holdfast = await startHoldfast('topology', kubeconfig);
      await eventually(async () => {
        const { status, text } = await holdfast.page('/readyz?verbose');
        expect(status).toBe(500);
        expect(text).toMatch(new RegExp(`cannot (list|watch) resource "${missing}"`));
      });
      expect((await holdfast.page('/healthz')).status).toBe(200);
      expect(await world.labelsOf(volume)).toEqual({});
    },
  );

  test('that do not let it write it says so in an Event and in metrics, and labels when it may', async () => {
    const world = worldOf('read-only');
    const read = OF_THE_ORIGINAL.map((rule) => ({ ...rule, verbs: ['get', 'list', 'watch'] }));
    const { account: reader, kubeconfig } = await account({
      name: 'reader',
      clusterRules: [...read, ...(await shipped('holdfast-events'))],
    });
    const { volume } = await world.used(await world.node({ zone: 'a' }));
    await using holdfast = await startHoldfast('topology', world.selector, kubeconfig);
    await eventually(async () => {
      expect(await world.events(volume)).toMatchObject([
        { type: 'Warning', reason: 'TopologyFailed', note: expect.stringContaining('cannot patch resource') },
      ]);
    });
    expect(await holdfast.metric('holdfast_topology_writes_total', /failed/)).toBeGreaterThan(0);
    expect(await holdfast.metric('holdfast_topology_volumes_unlabelled', /writeFailed/)).toBe(1);
    await plane.admin.patch(`/apis/rbac.authorization.k8s.io/v1/clusterroles/default-${reader.identity.name}`, {
      rules: [...read, { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['patch'] }],
    });
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await eventually(async () => expect(await holdfast.metric('holdfast_topology_volumes_labelled')).toBe(1));
  });
});
