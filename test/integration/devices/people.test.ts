/** What people type about devices, as real processes on a real API server. The reports are written here as the agents write them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Approvals } from '../../../src/devices/approvals.ts';
import { aNodeReport } from '../../../src/devices/builders.ts';
import { devicesReports, type ReadReport } from '../../../src/devices/node-report.ts';
import type { Standing, State } from '../../../src/devices/standings.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { kubeconfigFlag, runHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount, type PolicyRule } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

const APPROVALS = 'holdfast.dev/approved-devices';
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const DAY = 86_400_000;

const rule = (resource: string, ...verbs: string[]): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs });
const MAY_LOOK = [rule('configmaps', 'list'), rule('nodes', 'list', 'get'), rule('persistentvolumes', 'list')];

let plane: ControlPlane;
/** May look at everything, and approve. */
let admin: string;
/** May look at everything, and change nothing. */
let reader: string;
/** May look at ConfigMaps in the namespace `walled`, and at nothing else. */
let walled: string;
const accounts = new AsyncDisposableStack();
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  for (const name of ['storage', 'walled', 'empty', 'odd', 'forged'])
    await plane.admin.post('/api/v1/namespaces', { metadata: { name } });
  admin = await account('admin', { clusterRules: [...MAY_LOOK, rule('nodes', 'patch')] });
  reader = await account('reader', { clusterRules: MAY_LOOK });
  walled = await account('walled', { namespaceRules: { walled: [rule('configmaps', 'list')] } });
});
afterAll(async () => {
  await accounts.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

async function account(name: string, rules: Omit<Parameters<typeof createServiceAccount>[1], 'name'>): Promise<string> {
  return kubeconfigFlag(plane.directory, accounts.use(await createServiceAccount(plane, { name, ...rules })), plane);
}

const REFUSED = {
  isMounted: { fact: 'isMounted', why: 'is mounted at /data', remedy: 'Unmount it', canBeApproved: false },
  hasForeignData: { fact: 'hasForeignData', why: 'holds xfs, which no volume of ours has put there' },
} as const;
const MOUNTED: State = { is: 'refused', ...REFUSED.isMounted };
const FOREIGN: State = {
  is: 'refused',
  ...REFUSED.hasForeignData,
  remedy: 'If nobody needs what is on it: holdfast devices approve NODE DEVICE',
  canBeApproved: true,
};

const disk = (node: string, name: string, state: State, parts: Partial<Standing> = {}): Standing => ({
  volume: `local-${node}-${name}`,
  path: `/dev/disks/${name}`,
  state,
  sizeBytes: 4 * GIB,
  device: `wwid:naa.${node}.${name}`,
  identity: { sizeBytes: 4 * GIB, wwid: `naa.${node}.${name}` },
  ...parts,
});

/** As its agent writes it, a moment ago unless it is said otherwise. */
function report(node: string, devices: readonly Standing[], parts: Partial<ReadReport> = {}): ReadReport {
  const at = new Date(Date.now() - 5_000).toISOString();
  return aNodeReport({ node, at, devices, ...parts });
}

async function write(told: ReadReport, namespace = 'storage'): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const map = devicesReports.mapOf(told, namespace);
  const { status } = await plane.admin.request('POST', path, map);
  if (status === 409) await plane.admin.put(`${path}/${map.metadata.name}`, map);
  else expect(status).toBe(201);
}

const node = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  plane.admin.post('/api/v1/nodes', { metadata: { name, annotations } });

interface Annotated extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
}

const annotationsOf = async (name: string) =>
  (await plane.admin.get<Annotated>(`/api/v1/nodes/${name}`)).metadata.annotations ?? {};

const approvalsOf = async (name: string): Promise<Approvals> =>
  JSON.parse((await annotationsOf(name))[APPROVALS] ?? '{}');

const approval = (id: string, at = Date.now()) => ({
  id,
  at: new Date(at).toISOString(),
  fact: 'hasForeignData',
  identity: { sizeBytes: 4 * GIB, wwid: 'naa.x' },
});

/** Whatever was sent besides reads, and the harness's questions whether it may, by anybody who is tested here. */
const writes = async () =>
  (await plane.auditLog()).filter(
    ({ verb, user, objectRef }) =>
      /:(admin|reader|walled)$/.test(user.username) &&
      !['get', 'list', 'watch'].includes(verb) &&
      objectRef?.resource !== 'selfsubjectaccessreviews',
  );

/** Cells of the line that begins with these, by the two or more blanks between them. */
const row = (text: string, ...begin: string[]) =>
  text
    .split('\n')
    .map((line) => line.split(/ {2,}/))
    .find((cells) => begin.every((cell, index) => cells[index] === cell));

// biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

test('where there is nothing, that is what is said', async () => {
  const { code, stdout, stderr } = await runHoldfast('status', 'devices', admin);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('0 nodes, 0 devices\n\nAGENTS THAT NEED A LOOK\nnone\n\nNEEDS A PERSON\nnone\n');
  expect((await runHoldfast('devices', 'plan', admin)).stdout).toContain('Nothing to do; 0 devices stay as they are.');
});

describe('holdfast status devices', () => {
  beforeAll(async () => {
    await node('seen');
    await write(
      report('seen', [
        disk('seen', 'a', { is: 'available' }),
        disk('seen', 'b', { is: 'available' }, { identity: { sizeBytes: 4 * GIB }, device: 'path:/dev/disks/b' }),
        disk('seen', 'c', { is: 'wiping', doneBytes: 42 * MIB, ofBytes: 100 * MIB }),
        disk('seen', 'd', MOUNTED),
        disk('seen', 'e', FOREIGN),
      ]),
    );
    await volume('seen', 'b', 'Bound');
    await node('silent');
    const at = new Date(Date.now() - 12.5 * 60_000).toISOString();
    await write(report('silent', [], { at, faults: ['deviceDir is missing'], unseen: ['/dev/disks/x: EIO'] }));
    await node('bare');
    await write(report('gone', [disk('gone', 'a', { is: 'available' })]));
  });

  /** Made by an agent, and bound by the binder. */
  async function volume(nodeName: string, name: string, phase: string): Promise<void> {
    const metadata = {
      name: `local-${nodeName}-${name}`,
      labels: { 'local-pv-provisioner.cybozu.com/node': nodeName },
    };
    const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] }];
    await plane.admin.post('/api/v1/persistentvolumes', {
      metadata,
      spec: {
        capacity: { storage: '4Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: `/dev/disks/${name}` },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
        claimRef: { namespace: 'default', name: 'data' },
      },
    });
    await plane.admin.patch(`/api/v1/persistentvolumes/${metadata.name}/status`, { status: { phase } });
  }

  test('shows each device of each node, agents that are not well, and what needs a person', async () => {
    const { code, stdout, stderr } = await runHoldfast('status', 'devices', reader);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^3 nodes, 6 devices: 2 available, 1 bound, 1 wiping, 2 refused$/m);
    const cells = ['a', 'b', 'c', 'd', 'e'].map((name) => row(stdout, 'seen', `/dev/disks/${name}`));
    expect(cells).toEqual([
      ['seen', '/dev/disks/a', '4Gi', 'naa.seen.a', 'local-seen-a', '-', 'available'],
      ['seen', '/dev/disks/b', '4Gi', 'known by its size only', 'local-seen-b', 'default/data', 'bound'],
      ['seen', '/dev/disks/c', '4Gi', 'naa.seen.c', 'local-seen-c', '-', 'wiping 42 %'],
      ['seen', '/dev/disks/d', '4Gi', 'naa.seen.d', 'local-seen-d', '-', 'refused: is mounted at /data'],
      ['seen', '/dev/disks/e', '4Gi', 'naa.seen.e', 'local-seen-e', '-', `refused: ${REFUSED.hasForeignData.why}`],
    ]);
    const [, rest = ''] = stdout.split('AGENTS THAT NEED A LOOK\n');
    expect(rest).toBe(
      [
        'gone is no node of this cluster any more',
        'silent was last heard 12 minutes ago: what is shown may not be so any more',
        'silent touches no device: deviceDir is missing',
        'silent could not look at everything: /dev/disks/x: EIO',
        'no report on bare: does holdfast devices run there?',
        '',
        'NEEDS A PERSON',
        'seen: /dev/disks/d is mounted at /data. Unmount it.',
        `seen: /dev/disks/e ${REFUSED.hasForeignData.why}. If nobody needs what is on it: holdfast devices approve seen /dev/disks/e.`,
        '',
      ].join('\n'),
    );
  });

  test('of named nodes tells of those alone', async () => {
    const { code, stdout } = await runHoldfast('status', 'devices', 'silent', 'bare', reader);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 node, 0 devices$/m);
    expect(stdout).toContain('no report on bare:');
    expect(stdout).not.toMatch(/seen|gone/);
  });

  test('tells programs the same, in JSON and in YAML', async () => {
    const json = JSON.parse((await runHoldfast('status', 'devices', 'seen', reader, '-o', 'json')).stdout);
    expect(json).toMatchObject({
      nodes: [{ node: 'seen', namespace: 'storage', isDryRun: false, remarks: [] }],
      withoutReport: [],
      unreadable: [],
      needsAPerson: [{ path: '/dev/disks/d' }, { command: 'holdfast devices approve seen /dev/disks/e' }],
    });
    expect(json.nodes[0].devices[1]).toEqual({
      path: '/dev/disks/b',
      volume: 'local-seen-b',
      claim: 'default/data',
      device: 'path:/dev/disks/b',
      sizeBytes: 4 * GIB,
      size: '4Gi',
      identity: 'known by its size only',
      isKnownBySizeOnly: true,
      state: { is: 'bound' },
      stands: 'bound',
    });
    expect(parse((await runHoldfast('status', 'devices', 'seen', reader, '--output=yaml')).stdout)).toEqual(json);
  });

  test('of a node that there is not ends with 2 and one line', async () => {
    const { code, stdout, stderr } = await runHoldfast('status', 'devices', reader, 'nobody', 'seen', 'neither');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^holdfast status devices: there is no node nobody, neither .*\n$/);
  });
});

describe('who may not look everywhere', () => {
  beforeAll(() => write(report('inside', [disk('inside', 'a', FOREIGN)]), 'walled'));

  test.each([
    ['status', 'devices'],
    ['devices', 'plan'],
    ['devices', 'approve', 'inside', 'local-inside-a', '--dry-run'],
  ])('is told by "%s %s" to name the namespace', async (...args) => {
    const { code, stdout, stderr } = await runHoldfast(...args.filter((arg) => arg !== undefined), walled);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^holdfast .*: the reports of the agents may not be looked for in all namespaces: name theirs by --namespace .*\n$/,
    );
  });

  test('sees what is in that one, and is told what cannot be known', async () => {
    const { code, stdout, stderr } = await runHoldfast('status', 'devices', walled, '--namespace', 'walled');
    expect(code).toBe(0);
    expect(row(stdout, 'inside', '/dev/disks/a')).toBeDefined();
    expect(stderr).toMatch(/^nodes is forbidden: .*; nodes without a report are not shown$/m);
    expect(stderr).toMatch(/^persistentvolumes is forbidden: .*; how volumes stand is taken from the reports alone$/m);
    expect((await runHoldfast('devices', 'plan', walled, '--namespace=walled')).code).toBe(0);
  });

  test('sees nothing of others', async () => {
    const { code, stderr } = await runHoldfast('status', 'devices', walled, '--namespace', 'storage');
    expect(code).toBe(1);
    expect(stderr).toContain('the reports of the agents in the namespace storage may not be read');
  });

  test('is not told of other namespaces when one is named', async () => {
    const { stdout } = await runHoldfast('status', 'devices', reader, '--namespace=empty', '-o=json');
    expect(JSON.parse(stdout)).toMatchObject({
      nodes: expect.not.arrayContaining([expect.objectContaining({ namespace: 'storage' })]),
    });
  });
});

describe('odd content', () => {
  const EVIL = 'a\u001b[2J\u009b31m\u202eb\r\nNEEDS A PERSON\n';

  beforeAll(async () => {
    const state: State = { is: 'refused', fact: 'isMounted', why: EVIL, remedy: EVIL, canBeApproved: false };
    const identity = { sizeBytes: 1, serial: EVIL };
    const evil = disk('odd', 'a', state, { path: `/dev/${EVIL}`, identity, claim: EVIL, device: EVIL, holds: EVIL });
    const approvable = disk('odd', 'b', FOREIGN, {
      path: '/dev/disks/$(touch x);b',
      identity: { sizeBytes: 1, model: EVIL },
    });
    await write(report('odd', [evil, approvable], { faults: [EVIL], unseen: [EVIL] }), 'odd');
    const labels = { 'holdfast.dev/report': 'devices' };
    const maps = '/api/v1/namespaces/odd/configmaps';
    await plane.admin.post(maps, {
      metadata: { name: 'holdfast-devices-broken', labels },
      data: { 'report.json': '{' },
    });
    await plane.admin.post(maps, {
      ...devicesReports.mapOf(report('seen', []), 'odd'),
      metadata: { name: 'another', labels },
    });
    await plane.admin.post(maps, { metadata: { name: 'holdfast-devices-bare', labels } });
  });

  const status = (format: string) => runHoldfast('status', 'devices', reader, '--namespace=odd', '-o', format);

  test('cannot steer the terminal of who looks, and is never in a line that somebody is to type', async () => {
    const { code, stdout } = await status('table');
    expect(code).toBe(0);
    expect(stdout).not.toMatch(STEERING);
    expect(stdout).toContain('/dev/a\\u001b[2J\\u009b31m\\u202eb\\u000d\\u000aNEEDS A PERSON');
    expect(stdout).toContain('holdfast devices approve odd local-odd-b.\n');
    const plan = await runHoldfast('devices', 'plan', reader, '--namespace=odd');
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('u009b31m') });
    expect(plan.stdout).not.toMatch(STEERING);
  });

  test('is the same for programs as it was written, and yet cannot steer the terminal that it is shown on', async () => {
    const { stdout } = await status('json');
    expect(stdout).not.toMatch(STEERING);
    const { nodes, unreadable } = JSON.parse(stdout);
    expect(nodes.find((each: { node: string }) => each.node === 'odd').devices[0].path).toBe(`/dev/${EVIL}`);
    expect(unreadable).toEqual(['odd/another', 'odd/holdfast-devices-bare', 'odd/holdfast-devices-broken']);
    expect((await status('yaml')).stdout).not.toMatch(STEERING);
  });

  test('cannot steer the terminal of who approves, either', async () => {
    const shown = await runHoldfast('devices', 'approve', 'odd', 'local-odd-b', '--dry-run', reader, '--namespace=odd');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('known by its size only, a\\u001b[2J');
    const refused = await runHoldfast('devices', 'approve', 'odd', 'local-odd-a', '--yes', admin, '--namespace=odd');
    expect(refused.code).toBe(1);
    expect(`${shown.stdout}${refused.stdout}${refused.stderr}`).not.toMatch(STEERING);
    const broken = await runHoldfast('devices', 'approve', 'broken', 'x', '--yes', admin, '--namespace=odd');
    expect([broken.code, broken.stderr]).toEqual([
      1,
      expect.stringContaining('is none that this version of Holdfast can read'),
    ]);
  });
});

describe('holdfast devices plan', () => {
  beforeAll(async () => {
    await node('planner');
    await node('doer');
    const planned = (what: 'make' | 'recycle'): State => ({
      is: 'planned',
      what,
      method: 'zero-head',
      ofBytes: 100 * MIB,
    });
    const devices = [
      disk('planner', 'a', planned('make')),
      disk('planner', 'b', planned('recycle')),
      disk('planner', 'c', MOUNTED),
    ];
    await write(report('planner', devices, { isDryRun: true }));
    await write(
      report('doer', [
        disk('doer', 'a', { is: 'new' }),
        disk('doer', 'b', { is: 'bound' }),
        disk('doer', 'c', FOREIGN),
      ]),
    );
  });

  test('says what a dry run would do, and that nothing was done', async () => {
    const { code, stdout, stderr } = await runHoldfast('devices', 'plan', 'planner', reader);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Nothing was done: /);
    expect(stdout).toMatch(/^planner .*\/a .* would be made \(wiped by zero-head, 100Mi\)$/m);
    expect(stdout).toMatch(/^planner .*\/b .* would be recycled \(wiped by zero-head, 100Mi\)$/m);
    expect(stdout).toMatch(/^planner .*\/c .* would be refused: is mounted at \/data\. Unmount it\.$/m);
    expect(stdout).toContain('\n1 to be made, 1 to be recycled, 1 refused; 0 devices stay as they are.\n');
    expect(stdout).toContain('\nplanner only plans: its agent runs with --dry-run\n');
    expect(stdout).not.toContain('doer');
  });

  test('says what a running agent is about to do by itself', async () => {
    const { stdout } = await runHoldfast('devices', 'plan', 'doer', reader);
    expect(stdout).toMatch(/^doer .*\/a .* would be wiped, and made a volume$/m);
    expect(stdout).toMatch(/^doer .*\/c .* would be refused: .* holdfast devices approve doer \/dev\/disks\/c\.$/m);
    expect(stdout).toContain(
      '\n1 to be made, 1 refused; 1 device stays as it is.\nThe agents of 1 node run without --dry-run',
    );
  });

  test('is of all nodes, if none is named, for people and for programs', async () => {
    const { stdout } = await runHoldfast('devices', 'plan', reader, '-o', 'json');
    const { steps } = JSON.parse(stdout) as { steps: { volume: string; does: string; byItself: boolean }[] };
    expect(steps).toContainEqual(
      expect.objectContaining({ volume: 'local-planner-b', does: 'recycle', byItself: false }),
    );
    expect(steps).toContainEqual(expect.objectContaining({ volume: 'local-doer-a', does: 'make', byItself: true }));
    expect(parse((await runHoldfast('devices', 'plan', reader, '-o', 'yaml')).stdout)).toMatchObject({ steps });
  });

  test('does not take flags that stand before it for its own', async () => {
    const { code, stderr } = await runHoldfast('devices', reader, 'plan');
    expect(code).toBe(2);
    expect(stderr).toContain('--kubeconfig stands before "plan": flags come after it');
  });

  test('has written nothing, and neither has status', async () => {
    expect(await writes()).toEqual([]);
  });
});

const approve = (...args: readonly string[]) => runHoldfast('devices', 'approve', admin, ...args);

/** A node with one device that can be approved, and whatever else is given. */
async function aNode(name: string, annotations: Record<string, string> = {}, ...others: Standing[]): Promise<void> {
  await node(name, annotations);
  await write(report(name, [disk(name, 'a', FOREIGN, { holds: 'xfs' }), ...others]));
}

describe('holdfast devices approve', () => {
  test('shows what the device is, approves it once, and says how to follow', async () => {
    await aNode('one', { theirs: 'stays' });
    const start = Date.now();
    const { code, stdout, stderr } = await approve('one', '/dev/disks/a', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        [
          '^device:   /dev/disks/a',
          'node:     one',
          'size:     4Gi \\(4294967296 bytes\\)',
          'identity: naa\\.one\\.a',
          'holds:    xfs',
          'volume:   local-one-a',
          'refused:  it holds xfs, which no volume of ours has put there',
          'reported: \\S+Z, in the namespace storage',
          '',
          'Everything on it will be lost\\.',
          '',
          'Approved\\. The agent of one wipes it, and makes the volume local-one-a of it\\. To follow that:',
          '',
          '  holdfast status devices one\n$',
        ].join('\n'),
      ),
    );
    const { theirs, [APPROVALS]: text = '' } = await annotationsOf('one');
    expect(theirs).toBe('stays');
    const approvals = JSON.parse(text);
    expect(approvals).toEqual({
      'wwid:naa.one.a': [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          at: expect.any(String),
          fact: 'hasForeignData',
          identity: { sizeBytes: 4 * GIB, wwid: 'naa.one.a' },
        },
      ],
    });
    const at = Date.parse(approvals['wwid:naa.one.a'][0].at);
    expect(at).toBeGreaterThanOrEqual(start);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test.each(['wwid:naa.named.a', 'naa.named.a'])(
    'takes %s for the device, and with --dry-run writes nothing',
    async (named) => {
      if ((await plane.admin.request('GET', '/api/v1/nodes/named')).status === 404) await aNode('named');
      const { code, stdout } = await runHoldfast('devices', 'approve', 'named', named, '--dry-run', reader);
      expect(code).toBe(0);
      expect(stdout).toContain('volume:   local-named-a\n');
      expect(stdout).toMatch(/\nNothing was approved: this is a dry run\.\n$/);
      expect(await annotationsOf('named')).toEqual({});
    },
  );

  test('keeps other approvals, but for those that are old or of devices that are gone', async () => {
    const before = {
      'wwid:naa.kept.b': [approval('of b')],
      'wwid:naa.kept.c': [approval('of c, long ago', Date.now() - 31 * DAY)],
      'wwid:naa.kept.gone': [approval('of none')],
      'wwid:naa.kept.a': [approval('of a, made use of', Date.now() - DAY)],
    };
    const [b, c] = [disk('kept', 'b', FOREIGN), disk('kept', 'c', FOREIGN)];
    await aNode('kept', { [APPROVALS]: JSON.stringify(before) }, b, c);
    expect(await approve('kept', 'local-kept-a', '--yes')).toMatchObject({ code: 0 });
    expect(await approvalsOf('kept')).toEqual({
      'wwid:naa.kept.b': before['wwid:naa.kept.b'],
      'wwid:naa.kept.a': [expect.objectContaining({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })],
    });
  });

  test('a second time changes nothing before the agent has reported, and counts anew after it has', async () => {
    await aNode('twice');
    await approve('twice', 'local-twice-a', '--yes');
    const first = await approvalsOf('twice');
    const again = await approve('twice', 'local-twice-a', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('It is approved already') });
    expect(await approvalsOf('twice')).toEqual(first);
    await write(report('twice', [disk('twice', 'a', FOREIGN)], { at: new Date().toISOString() }));
    expect(await approve('twice', 'local-twice-a', '--yes')).toMatchObject({
      stdout: expect.stringContaining('Approved.'),
    });
    const key = 'wwid:naa.twice.a';
    expect((await approvalsOf('twice'))[key]?.[0]?.id).not.toBe(first[key]?.[0]?.id);
  });

  /** Something happens between the command's reading of the Node and its writing. */
  async function approveWhile(name: string, happens: () => Promise<unknown>) {
    await using proxy = await startFaultProxy(plane);
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const patch = proxy.inject({ verb: 'patch', resource: 'nodes' }, { fault: 'delay', until: go });
    const approving = approve(name, `local-${name}-a`, '--yes', `--master=${proxy.url}`);
    await patch.struck();
    await happens();
    resolve();
    return { ...(await approving), patches: proxy.count({ verb: 'patch', resource: 'nodes' }) };
  }

  test('reads the Node again when somebody else has written to it meanwhile', async () => {
    await aNode('contested', {}, disk('contested', 'b', FOREIGN));
    const theirs = JSON.stringify({ 'wwid:naa.contested.b': [approval('theirs')] });
    const annotations = { [APPROVALS]: theirs };
    const ended = await approveWhile('contested', () =>
      plane.admin.patch('/api/v1/nodes/contested', { metadata: { annotations } }),
    );
    expect(ended).toMatchObject({ code: 0, patches: 2 });
    expect(Object.keys(await approvalsOf('contested')).sort()).toEqual([
      'wwid:naa.contested.a',
      'wwid:naa.contested.b',
    ]);
  });

  test('reads the Node again when it was made anew meanwhile', async () => {
    await aNode('anew');
    const ended = await approveWhile('anew', async () => {
      await plane.admin.delete('/api/v1/nodes/anew');
      await node('anew', { registered: 'again' });
    });
    expect(ended).toMatchObject({ code: 0, patches: 2 });
    expect(await annotationsOf('anew')).toEqual({ registered: 'again', [APPROVALS]: expect.any(String) });
  });

  test('says that there is no Node when it has gone meanwhile', async () => {
    await aNode('leaving');
    const { code, stderr } = await approveWhile('leaving', () => plane.admin.delete('/api/v1/nodes/leaving'));
    expect([code, stderr]).toEqual([1, 'holdfast devices approve: there is no node leaving, only a report on it\n']);
  });

  describe('refuses', () => {
    beforeAll(async () => {
      const twin = { identity: { sizeBytes: 4 * GIB, serial: 'TWIN' } };
      await aNode(
        'strict',
        {},
        disk('strict', 'mounted', MOUNTED),
        disk('strict', 'bound', { is: 'bound' }),
        disk('strict', 'nameless', FOREIGN, { identity: undefined, device: undefined }),
        disk('strict', 'twin1', FOREIGN, twin),
        disk('strict', 'twin2', FOREIGN, twin),
      );
      await write(report('ghost', [disk('ghost', 'a', FOREIGN)]));
      await aNode('garbled', { [APPROVALS]: '{"wwid:x":{}}' });
      await aNode('claimed');
      await write(report('claimed', [disk('claimed', 'a', FOREIGN)]), 'forged');
    });

    test.each<[string, number, readonly string[], string | RegExp]>([
      [
        'a device that is not there',
        2,
        ['strict', 'sdz'],
        /strict has no device "sdz"; those that can be approved are \/dev\/disks\/a \(local-strict-a\), /,
      ],
      [
        'a name that two have',
        2,
        ['strict', 'TWIN'],
        '"TWIN" is several devices of strict: /dev/disks/twin1 (local-strict-twin1), /dev/disks/twin2',
      ],
      ['a node that nobody reports on', 2, ['nowhere', 'a'], /there is no report on nowhere; there are on .*strict/],
      [
        'reports in two namespaces',
        2,
        ['claimed', 'local-claimed-a'],
        'there are reports on claimed in several namespaces: name that of its agent by --namespace (forged, storage)',
      ],
      [
        'what is in use',
        1,
        ['strict', 'local-strict-mounted'],
        '/dev/disks/mounted of strict is mounted at /data, which no approval changes. Unmount it\n',
      ],
      [
        'what nobody refuses',
        1,
        ['strict', 'local-strict-bound'],
        'is not refused, so there is nothing to approve: it is bound',
      ],
      [
        'what cannot be told from others',
        1,
        ['strict', 'local-strict-nameless'],
        'does not say which device /dev/disks/nameless is',
      ],
      ['a node that is gone', 1, ['ghost', 'local-ghost-a'], 'there is no node ghost, only a report on it'],
      [
        'to lose what it cannot read',
        1,
        ['garbled', 'local-garbled-a'],
        /cannot be understood.*wwid:x: .*array.*kubectl annotate node garbled holdfast\.dev\/approved-devices-/,
      ],
    ])('%s', async (_what, code, args, complaint) => {
      const ended = await approve(...args, '--yes');
      expect(ended.stderr).toMatch(
        complaint instanceof RegExp ? complaint : new RegExp(complaint.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
      );
      expect(ended.code).toBe(code);
      expect(ended.stderr.match(/\n/g)).toHaveLength(1);
    });

    test('to go on without anybody at a terminal, unless --yes says so', async () => {
      const { code, stderr } = await approve('strict', 'local-strict-a');
      expect(code).toBe(2);
      expect(stderr).toContain('there is nobody at a terminal to be asked: add --yes if you are sure');
    });

    test('whoever has not the right to', async () => {
      const { code, stderr } = await runHoldfast('devices', 'approve', 'strict', 'local-strict-a', '--yes', reader);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^holdfast devices approve: .*cannot patch resource "nodes".*\n$/);
    });

    test('all of that without a trace', async () => {
      expect(await annotationsOf('strict')).toEqual({});
      expect(await annotationsOf('claimed')).toEqual({});
      expect(await annotationsOf('garbled')).toEqual({ [APPROVALS]: '{"wwid:x":{}}' });
    });

    test('but goes on with the report of the namespace that is named', async () => {
      expect(await approve('claimed', 'local-claimed-a', '--yes', '--namespace=storage')).toMatchObject({ code: 0 });
      expect(Object.keys(await approvalsOf('claimed'))).toEqual(['wwid:naa.claimed.a']);
    });
  });
});

const TERMINAL_MAKER = 'script';
const PROGRAM = join(import.meta.dirname, '../../../bin/holdfast');

/** A person at a terminal of their own, which script(1) makes. */
class Person implements AsyncDisposable {
  readonly #child;
  #seen = '';

  constructor(...args: readonly string[]) {
    const line = [PROGRAM, 'devices', 'approve', admin, ...args].map((arg) => `'${arg}'`).join(' ');
    const { PATH, HOME } = process.env;
    this.#child = spawn(TERMINAL_MAKER, ['-qefc', `exec ${line}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH, HOME },
    });
    this.#child.stdout.on('data', (chunk) => {
      this.#seen += chunk;
    });
  }

  get seen(): string {
    return this.#seen;
  }

  async asked(): Promise<void> {
    await eventually(() => expect(this.#seen).toMatch(/Type the name of its volume, \S+, to approve that: $/));
  }

  /** How it ended after that. */
  async type(text: string): Promise<number | null> {
    const ended = once(this.#child, 'close');
    this.#child.stdin.write(text);
    const [code] = await ended;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
  }
}

describe('a person at a terminal', () => {
  test('is asked for the name of the volume, and approves by typing it', async () => {
    await aNode('asked');
    await using person = new Person('asked', '/dev/disks/a');
    await person.asked();
    expect(person.seen).toContain('Everything on it will be lost.');
    expect(await annotationsOf('asked')).toEqual({});
    expect(await person.type('local-asked-a\n')).toBe(0);
    expect(person.seen).toContain('Approved.');
    expect(Object.keys(await approvalsOf('asked'))).toEqual(['wwid:naa.asked.a']);
  });

  test.each([
    ['something else', 'local-unsure-b\n', 'nothing was approved: local-unsure-a was not typed'],
    ['the end of all input', '\u0004', 'nothing was approved'],
    ['Ctrl-C', '\u0003', 'SIGINT was received'],
  ])('who types %s approves nothing', async (_what, typed, said) => {
    if ((await plane.admin.request('GET', '/api/v1/nodes/unsure')).status === 404) await aNode('unsure');
    await using person = new Person('unsure', '/dev/disks/a');
    await person.asked();
    expect(await person.type(typed)).toBe(1);
    expect(person.seen).toContain(said);
    expect(await annotationsOf('unsure')).toEqual({});
  });

  test.each<[string, Partial<Standing>, string]>([
    [
      'another device',
      { device: 'wwid:other', identity: { sizeBytes: 4 * GIB, wwid: 'other' } },
      'is not as it was shown any more',
    ],
    [
      'refused for something else',
      { state: { ...FOREIGN, fact: 'contentIsUnknown' } },
      'is not as it was shown any more',
    ],
    ['mounted', { state: MOUNTED }, 'is mounted at /data, which no approval changes'],
  ])('approves nothing when it is %s by the time they have typed', async (what, change, said) => {
    const name = `late-${what.replaceAll(' ', '-')}`;
    await aNode(name);
    await using person = new Person(name, '/dev/disks/a');
    await person.asked();
    await write(report(name, [disk(name, 'a', FOREIGN, change)]));
    expect(await person.type(`local-${name}-a\n`)).toBe(1);
    expect(person.seen).toContain(said);
    expect(await annotationsOf(name)).toEqual({});
  });
});
