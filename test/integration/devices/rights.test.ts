/** The job under exactly the rights and policies that it is shipped with, and under too few. The machine is simulated, the API server is not. */
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONFIG_ANNOTATION, DEFAULT_STATE_DIR, type DevicesSettings } from '../../../src/devices/contract.ts';
import { devices } from '../../../src/devices/controller.ts';
import { devicesReports } from '../../../src/devices/node-report.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import type { SimulatedDisk } from '../../../src/kit/host/simulated/disk.ts';
import type { SimulatedHost } from '../../../src/kit/host/simulated/host.ts';
import { SimulatedMachine } from '../../../src/kit/host/simulated/machine.ts';
import { runProgram } from '../../../src/kit/manager/program.ts';
import { RecordingLog } from '../../../src/kit/observe/recording-log.ts';
import type { AuditEvent } from '../../harness/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { createServiceAccount, type PolicyRule, type Question } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { type Agents, configMapsIn, NAMESPACE, VOLUMES } from '../agents.ts';
import { deployAgents, MAY_HANDLE_DEVICES, MAY_HANDLE_DEVICES_AT_HOME, MAY_TELL } from './rights.ts';

const DIRECTORY = '/dev/disks';

let plane: ControlPlane;
let agents: Agents;
beforeAll(async () => {
  plane = await startControlPlane({ audit: true, controllers: true });
  agents = await deployAgents(plane);
  const data = { deviceDir: DIRECTORY, deviceNameFilter: '.*', volumeMode: 'Block' };
  await plane.admin.post(configMapsIn(NAMESPACE), { metadata: { name: 'pv-spec' }, data });
});
afterAll(async () => {
  await agents?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

/** A machine with one disk on which there is nothing. */
function aMachine(): { readonly host: SimulatedHost; readonly disk: SimulatedDisk } {
  const machine = new SimulatedMachine(systemClock);
  const disk = machine.addDisk({ name: 'sdb', sizeBytes: 2 ** 30, wwid: `naa.${randomUUID()}` });
  machine.install('blkid', () => ({ code: 2 }), { changes: () => false });
  for (const directory of [DIRECTORY, `/sys/dev/block/${disk.number}`, '/proc/sys/kernel/random'])
    machine.tree.mkdir(directory);
  machine.tree.write('/proc/sys/kernel/random/boot_id', randomUUID());
  machine.tree.symlink('/dev/sdb', `${DIRECTORY}/b`);
  return { host: machine.host(), disk };
}

const settingsOn = (node: string): DevicesSettings => ({
  node,
  namespace: NAMESPACE,
  pollingMs: 300_000,
  stateDir: DEFAULT_STATE_DIR,
  wipesAtOnce: 1,
  trustInit: false,
  dryRun: false,
});

class RunningAgent implements AsyncDisposable {
  readonly log = new RecordingLog();
  readonly disk: SimulatedDisk;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(node: string, token: string) {
    const { host, disk } = aMachine();
    this.disk = disk;
    const tls = { ca: plane.ca };
    this.#ended = runProgram(
      {
        name: 'devices',
        version: 'test',
        instance: `${node}_${randomUUID()}`,
        access: {
          server: new URL(plane.url),
          tls: () => tls,
          authorize: async () => ({ authorization: `Bearer ${token}` }),
          namespace: NAMESPACE,
          from: 'a test',
        },
        clock: systemClock,
        random: Math.random,
        log: this.log,
        setUp: (parts) => devices(parts, settingsOn(node), host, 'test'),
      },
      this.#stop.signal,
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The token is that of the agents as they are deployed, unless it is another's. */
async function startAgent(node: string, token?: string): Promise<RunningAgent> {
  const annotations = { [CONFIG_ANNOTATION]: 'pv-spec' };
  await plane.admin.post('/api/v1/nodes', { metadata: { name: node, annotations } });
  return new RunningAgent(node, token ?? (await agents.tokenOn(node)));
}

const volumeAt = (node: string): string => `${VOLUMES}/local-${node}-b`;
const volumeOf = (node: string) => eventually(() => plane.admin.get(volumeAt(node)), { for: 'the volume' });
const reportOf = (node: string) =>
  eventually(() => plane.admin.get(`${configMapsIn(NAMESPACE)}/${devicesReports.nameOf(node)}`), { for: 'the report' });

const requests = async (): Promise<readonly AuditEvent[]> =>
  (await plane.auditLog()).filter(({ userAgent, user }) => {
    return user.username === agents.account.username && userAgent?.startsWith('holdfast-devices');
  });

/** A claim that takes the volume, leaves something on its device, and is gone. */
async function useAndLeave(node: string, { disk }: RunningAgent): Promise<void> {
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
  const { metadata } = await plane.admin.post(claims, {
    metadata: { generateName: 'data-' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      storageClassName: 'local-storage',
      volumeName: `local-${node}-b`,
      resources: { requests: { storage: '1Mi' } },
    },
  });
  const claim = `${claims}/${metadata.name}`;
  await eventually(async () => expect(await plane.admin.get(claim)).toMatchObject({ status: { phase: 'Bound' } }), {
    for: 'the claim to be bound',
  });
  disk.write(Buffer.from('theirs'), 0);
  await plane.admin.delete(claim);
}

describe('under the roles and the policies in deploy/', () => {
  test('it makes a volume, wipes it after its owner, reports and tells; makes use of each right, and is refused nothing', async () => {
    await using agent = await startAgent('exact');
    const { uid } = (await volumeOf('exact')).metadata;
    await useAndLeave('exact', agent);
    await eventually(async () => expect((await volumeOf('exact')).metadata.uid).not.toBe(uid), {
      for: 'a fresh volume',
    });
    expect(agent.disk.isZero()).toBe(true);
    await reportOf('exact');
    await agent.stop();
    await eventually(async () => {
      const used = (await requests()).map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
      expect(used).toEqual(expect.arrayContaining(USED));
    });
    expect((await requests()).filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
    expect(agent.log.at('warn')).toEqual([]);
    expect(agent.log.at('error')).toEqual([]);
  });

  /** Caches list by a watch where the server offers that. To create the report is a right that goes with a patch. */
  const USED = [
    'create events',
    'create persistentvolumes',
    'delete persistentvolumes',
    'get namespaces',
    'get persistentvolumes',
    'list persistentvolumes',
    'patch configmaps',
    'patch persistentvolumes',
    'watch configmaps',
    'watch nodes',
    'watch persistentvolumes',
  ];

  test('it could do nothing else', async () => {
    const { account } = agents;
    for (const question of NOT_ITS_BUSINESS) expect([question, await account.can(question)]).toEqual([question, false]);
  });

  const NOT_ITS_BUSINESS: readonly Question[] = [
    { verb: 'update', resource: 'persistentvolumes' },
    { verb: 'deletecollection', resource: 'persistentvolumes' },
    { verb: 'patch', resource: 'persistentvolumes', subresource: 'status' },
    { verb: 'patch', resource: 'nodes' },
    { verb: 'patch', resource: 'nodes', subresource: 'status' },
    { verb: 'delete', resource: 'configmaps', namespace: NAMESPACE },
    { verb: 'update', resource: 'configmaps', namespace: NAMESPACE },
    { verb: 'get', resource: 'configmaps', namespace: 'default' },
    { verb: 'create', resource: 'configmaps', namespace: 'default' },
    { verb: 'get', resource: 'namespaces', name: 'default' },
    { verb: 'list', resource: 'namespaces' },
    { verb: 'list', resource: 'persistentvolumeclaims', namespace: 'default' },
    { verb: 'list', resource: 'pods', namespace: NAMESPACE },
    { verb: 'get', resource: 'secrets', namespace: NAMESPACE },
    { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: NAMESPACE },
    { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: NAMESPACE },
  ];
});

/** The same rules without some verbs on one resource. */
const without = (rules: readonly PolicyRule[], verbs: readonly string[], resource: string): readonly PolicyRule[] =>
  rules
    .flatMap((rule) => {
      const { resources = [] } = rule;
      const others = { ...rule, resources: resources.filter((one) => one !== resource) };
      const lessened = { ...rule, resources: [resource], verbs: rule.verbs.filter((verb) => !verbs.includes(verb)) };
      return resources.includes(resource) ? [others, lessened] : [rule];
    })
    .filter((rule) => rule.resources?.length !== 0 && rule.verbs.length > 0);

/** An account like that of the agents that lacks something. */
async function startLacking(node: string, verbs: readonly string[], resource: string): Promise<RunningAgent> {
  const account = await createServiceAccount(plane, {
    name: node,
    namespace: NAMESPACE,
    clusterRules: without([...MAY_HANDLE_DEVICES, ...MAY_TELL], verbs, resource),
    namespaceRules: { [NAMESPACE]: without(MAY_HANDLE_DEVICES_AT_HOME, verbs, resource) },
  });
  await account[Symbol.asyncDispose]();
  return await startAgent(node, account.token);
}

const says = (agent: RunningAgent, sentence: RegExp) =>
  eventually(() => expect(inspect(agent.log.lines, { depth: 6, maxStringLength: null })).toMatch(sentence));

const isMissing = async (path: string) => expect((await plane.admin.request('GET', path)).status).toBe(404);

describe('with too few rights', () => {
  test.each(['nodes', 'persistentvolumes', 'configmaps'])(
    'that do not let it read %s it does nothing, and says why',
    async (resource) => {
      const node = `blind-to-${resource}`;
      await using agent = await startLacking(node, ['get', 'list', 'watch'], resource);
      await says(agent, new RegExp(`cannot (list|watch) resource "${resource}"`));
      await isMissing(volumeAt(node));
    },
  );

  test('that do not let it make volumes it says so', async () => {
    await using agent = await startLacking('maker', ['create'], 'persistentvolumes');
    await says(agent, /cannot create resource "persistentvolumes"/);
    await isMissing(volumeAt('maker'));
  });

  test.each(['patch', 'delete'])(
    'that do not let it %s volumes it does not wipe what somebody had, and says so',
    async (verb) => {
      const node = `no-${verb}`;
      await using agent = await startLacking(node, [verb], 'persistentvolumes');
      const { uid } = (await volumeOf(node)).metadata;
      await useAndLeave(node, agent);
      await says(agent, new RegExp(`cannot ${verb} resource "persistentvolumes"`));
      expect((await volumeOf(node)).metadata.uid).toBe(uid);
      expect(agent.disk.isZero()).toBe(false);
    },
  );

  test.each(['create', 'patch'])(
    'that do not let it %s its report it says so, and makes volumes all the same',
    async (verb) => {
      const node = `silent-${verb}`;
      await using agent = await startLacking(node, [verb], 'configmaps');
      await says(agent, new RegExp(`cannot ${verb} resource "configmaps"`));
      await volumeOf(node);
      await isMissing(`${configMapsIn(NAMESPACE)}/${devicesReports.nameOf(node)}`);
    },
  );

  test('that do not let it know the cluster it says so, and makes volumes all the same', async () => {
    await using agent = await startLacking('stranger', ['get'], 'namespaces');
    await says(agent, /which cluster this is cannot be read/);
    await volumeOf('stranger');
  });
});
