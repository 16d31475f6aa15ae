/** `--once` and the policies: what is printed, what is written, and how the program ends. Each world is chosen by `--selector`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast, startHoldfast } from '../../harness/holdfast.ts';
import { createServiceAccount, type PolicyRule, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { MAY_LABEL, MAY_TELL } from './rights.ts';
import { REGION, World, ZONE } from './world.ts';

const READ_ONLY: readonly PolicyRule[] = MAY_LABEL.map((rule) => ({
  ...rule,
  verbs: rule.verbs.filter((verb) => verb !== 'patch'),
}));

let plane: ControlPlane;
let writer: string;
let reader: string;
const accounts = new AsyncDisposableStack();
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  writer = await account('writer', [...MAY_LABEL, ...MAY_TELL]);
  reader = await account('reader', READ_ONLY);
});
afterAll(async () => {
  await accounts.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

async function account(name: string, clusterRules: readonly PolicyRule[]): Promise<string> {
  const made: ServiceAccount = accounts.use(await createServiceAccount(plane, { name, clusterRules }));
  return kubeconfigFlag(plane.directory, made, plane);
}

const worldOf = (name: string) => new World({ name, admin: plane.admin });
const once = (world: World, ...flags: readonly string[]) =>
  runHoldfast('topology', '--once', writer, world.selector, ...flags);
const SHARED = { type: 'nfs', modes: ['ReadWriteMany'] } as const;

/** Cells of the lines of a table, by the two or more blanks between them. */
const cells = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

describe('--once', () => {
  test('labels all, prints a table of what changed, and changes nothing the second time', async () => {
    const world = worldOf('all');
    const [a, b] = [await world.node({ zone: 'a', region: 'north' }), await world.node({ zone: 'b' })];
    const one = await world.used(a);
    const two = await world.used(b, { labels: { [ZONE]: 'wrong' } });
    const idle = await world.volume();
    expect(await once(world)).toMatchObject({ code: 0 });
    await world.hasLabels(one.volume, { [ZONE]: 'a', [REGION]: 'north' });
    await world.hasLabels(two.volume, { [ZONE]: 'b' });
    const before = await Promise.all([one.volume, two.volume, idle].map((volume) => world.look(volume)));
    expect(await once(world)).toMatchObject({ code: 0, stdout: 'Nothing to change; 3 volumes were looked at.\n' });
    expect(await Promise.all([one.volume, two.volume, idle].map((volume) => world.look(volume)))).toEqual(before);
  });

  test('says of each label what it was and is, and from which node', async () => {
    const world = worldOf('table');
    const node = await world.node({ zone: 'a', region: 'north' });
    const { volume, claim } = await world.used(node, { labels: { [ZONE]: 'wrong' } });
    const { stdout } = await once(world);
    expect(cells(stdout)).toEqual([
      ['VOLUME', 'CLAIM', 'LABEL', 'FROM', 'TO', 'NODE', 'OUTCOME'],
      [volume, `default/${claim}`, ZONE, 'wrong', 'a', node, 'labelled'],
      [volume, `default/${claim}`, REGION, '-', 'north', node, 'labelled'],
      [''],
      ['1 labelled; 1 volume was looked at.'],
      [''],
    ]);
  });

  test('with -o json prints the same for programs', async () => {
    const world = worldOf('json');
    const node = await world.node({ zone: 'a' });
    const { volume, claim, pod } = await world.used(node);
    const { code, stdout } = await once(world, '-o', 'json');
    expect(code).toBe(0);
    const change = {
      volume,
      claim: `default/${claim}`,
      node,
      pod: `default/${pod}`,
      changes: [{ key: ZONE, from: '', to: 'a' }],
      nodeAffinity: false,
      outcome: 'labelled',
    };
    expect(JSON.parse(stdout)).toEqual({ volumes: 1, changes: [change], troubles: [] });
    expect(JSON.parse((await once(world, '-o', 'json')).stdout)).toEqual({ volumes: 1, changes: [], troubles: [] });
  });

  test('gives an Event for a conflict, replaced or kept, and lists what was kept', async () => {
    const world = worldOf('told');
    const { volume } = await world.used(await world.node({ zone: 'a' }));
    await world.edit(volume, { metadata: { labels: { [ZONE]: 'mine' } } }, 'kubectl-label');
    const kept = await once(world, '--overwrite=missing');
    expect(kept.stdout).toMatch(new RegExp(`^${volume} .* ${ZONE} is "mine", written by kubectl-label`, 'm'));
    expect(kept.stdout).toContain('Nothing to change; 1 volume was looked at, 1 of them in trouble.');
    expect(await world.events(volume)).toMatchObject([{ type: 'Warning', reason: 'TopologyConflict' }]);
    const replaced = await once(world);
    expect(replaced).toMatchObject({ code: 0, stderr: '' });
    const reasons = (await world.events(volume)).map(({ reason }) => reason);
    expect(reasons.toSorted()).toEqual(['TopologyConflict', 'TopologyReplaced']);
  });

  test('writes no Event as a dry run, and says nothing of a right to them', async () => {
    const world = worldOf('dry-told');
    const { volume } = await world.used(await world.node({ zone: 'a' }), { labels: { [ZONE]: 'mine' } });
    const { code, stderr } = await runHoldfast('topology', '--once', '--dry-run', reader, world.selector);
    expect([code, stderr]).toEqual([0, '']);
    expect(await world.events(volume)).toEqual([]);
  });

  test('with --dry-run writes nothing, needs no right to, and prints what would change', async () => {
    const world = worldOf('dry');
    const node = await world.node({ zone: 'a' });
    const { volume } = await world.used(node);
    const before = await world.look(volume);
    const { code, stdout } = await runHoldfast('topology', '--once', '--dry-run', reader, world.selector);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${volume} .* ${ZONE} +- +a +${node} +would be labelled$`, 'm'));
    expect(stdout).toContain('1 would be labelled; 1 volume was looked at.');
    expect(await world.look(volume)).toEqual(before);
    const attempts = (await plane.auditLog()).filter(({ objectRef }) => objectRef?.name === volume);
    expect(attempts.filter(({ user }) => user.username.endsWith(':reader'))).toEqual([]);
  });

  test('without the right to write ends with 1, shows each failure, and says which right is missing', async () => {
    const world = worldOf('denied');
    const { volume } = await world.used(await world.node({ zone: 'a' }));
    const { code, stdout, stderr } = await runHoldfast('topology', '--once', reader, world.selector);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^${volume} .* failed: .*cannot patch resource "persistentvolumes"`, 'm'));
    expect(stdout).toContain('1 failed; 1 volume was looked at.');
    expect(stderr).toMatch(/^holdfast topology: 1 of 1 volumes could not be labelled.*$/m);
    expect(await world.labelsOf(volume)).toEqual({});
  });

  test('of a server that is not there says which one, and ends with 1', async () => {
    const { code, stdout, stderr } = await runHoldfast('topology', '--once', writer, '--master=https://127.0.0.1:1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^holdfast topology: .*127\.0\.0\.1:1\b.*\n$/);
  });
});

test('--dry-run without --once keeps running, logs what it would do, and writes nothing', async () => {
  const world = worldOf('dry-run');
  const node = await world.node({ zone: 'a' });
  const { volume, pod } = await world.used(node);
  await using holdfast = await startHoldfast('topology', '--dry-run', reader, world.selector);
  const told = (name: string) => holdfast.logged.filter((line) => line.volume === name);
  await eventually(() => expect(told(volume)).toHaveLength(1));
  expect(told(volume)).toMatchObject([{ labels: { [ZONE]: 'a' }, node, pod: `default/${pod}` }]);
  const { volume: later } = await world.used(node);
  await eventually(() => expect(told(later)).toHaveLength(1));
  expect([await world.labelsOf(volume), await world.labelsOf(later)]).toEqual([{}, {}]);
  expect(await holdfast.metric('holdfast_topology_volumes_unlabelled', /dryRun/)).toBe(2);
  expect(holdfast.logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

describe('--overwrite=missing', () => {
  test('keeps a value that is there, and gives an Event for the conflict', async () => {
    const world = worldOf('kept');
    const node = await world.node({ zone: 'a', region: 'north' });
    const { volume } = await world.used(node);
    await world.edit(volume, { metadata: { labels: { [ZONE]: 'mine' } } }, 'kubectl-label');
    const before = await world.look(volume);
    await using _holdfast = await startHoldfast('topology', '--overwrite=missing', writer, world.selector);
    await eventually(async () => {
      expect(await world.events(volume)).toMatchObject([
        {
          type: 'Warning',
          reason: 'TopologyConflict',
          note: expect.stringContaining(`${ZONE} is "mine", written by kubectl-label, and would be "a"`),
        },
      ]);
    });
    expect(await world.look(volume)).toEqual(before);
    const { volume: empty } = await world.used(node);
    await world.hasLabels(empty, { [ZONE]: 'a', [REGION]: 'north' });
  });

  test('writes beside a value that agrees', async () => {
    const world = worldOf('beside');
    const { volume } = await world.used(await world.node({ zone: 'a', region: 'north' }), { labels: { [ZONE]: 'a' } });
    expect((await once(world, '--overwrite=missing')).code).toBe(0);
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a', [REGION]: 'north' });
  });
});

describe('a volume that is used in several zones', () => {
  /** In zone b first, and since a minute later in zone a. */
  async function inTwoZones(world: World): Promise<string> {
    const [a, b] = [await world.node({ zone: 'a' }), await world.node({ zone: 'b' })];
    const volume = await world.volume(SHARED);
    const claim = await world.claim(volume);
    await world.readyPod(b, claim, new Date(Date.now() - 120_000));
    await world.readyPod(a, claim, new Date(Date.now() - 60_000));
    return volume;
  }

  test('names them all by default', async () => {
    const world = worldOf('set');
    const volume = await inTwoZones(world);
    await once(world);
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a__b' });
  });

  test('stays with the first with --multi-zone=first', async () => {
    const world = worldOf('first');
    const volume = await inTwoZones(world);
    await once(world, '--multi-zone=first');
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'b' });
    expect((await once(world, '--multi-zone=first')).stdout).toContain('Nothing to change');
  });

  test('is left alone with --multi-zone=skip, with an Event', async () => {
    const world = worldOf('skip');
    const volume = await inTwoZones(world);
    await using _holdfast = await startHoldfast('topology', '--multi-zone=skip', writer, world.selector);
    await eventually(async () => expect(await world.events(volume)).toMatchObject([{ reason: 'TopologySkipped' }]));
    expect(await world.labelsOf(volume)).toEqual({});
  });
});

test('--access-modes leaves volumes alone that have another one', async () => {
  const world = worldOf('modes');
  const node = await world.node({ zone: 'a' });
  const { volume: own } = await world.used(node);
  const { volume: shared } = await world.used(node, SHARED);
  const { volume: both } = await world.used(node, { modes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  expect((await once(world, '--access-modes=ReadWriteOnce,ReadWriteOncePod')).code).toBe(0);
  expect(await world.labelsOf(own)).toEqual({ [ZONE]: 'a' });
  expect([await world.labelsOf(shared), await world.labelsOf(both)]).toEqual([{}, {}]);
});

test('--label-keys takes over more labels of the node, and only those that it has', async () => {
  const world = worldOf('keys');
  const labels = { 'topology.csi.example.com/rack': 'r7', other: 'label' };
  const { volume } = await world.used(await world.node({ zone: 'a', labels }));
  await once(world, '--label-keys=topology.csi.example.com/rack', '--label-keys', 'topology.csi.example.com/row');
  expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a', 'topology.csi.example.com/rack': 'r7' });
});

test('--selector leaves volumes alone that do not match', async () => {
  const world = worldOf('chosen');
  const node = await world.node({ zone: 'a' });
  const { volume: chosen } = await world.used(node, { labels: { team: 'web' } });
  const { volume: other } = await world.used(node, { labels: { team: 'data' } });
  const { stdout } = await runHoldfast('topology', '--once', writer, '-l', `team in (web),team!=data`);
  expect(stdout).toContain('1 labelled; 1 volume was looked at.');
  expect(await world.labelsOf(chosen)).toEqual({ team: 'web', [ZONE]: 'a' });
  expect(await world.labelsOf(other)).toEqual({ team: 'data' });
});

test('--provenance says in an annotation where the labels come from; without it there is none', async () => {
  const world = worldOf('provenance');
  const node = await world.node({ zone: 'a' });
  const { volume: silent } = await world.used(node);
  await once(world);
  expect((await world.look(silent)).metadata.annotations).toBeUndefined();
  const { volume, pod } = await world.used(node);
  const start = Date.now();
  await once(world, '--provenance');
  const { annotations = {} } = (await world.look(volume)).metadata;
  expect(Object.keys(annotations)).toEqual(['holdfast.dev/topology-source']);
  const source = JSON.parse(annotations['holdfast.dev/topology-source'] ?? '');
  expect(source).toEqual({ node, pod: `default/${pod}`, time: expect.any(String) });
  expect(Date.parse(source.time)).toBeGreaterThanOrEqual(start);
  expect(Date.parse(source.time)).toBeLessThanOrEqual(Date.now());
  expect((await world.look(silent)).metadata.annotations).toBeUndefined();
});

describe('--node-affinity', () => {
  const REQUIRED = (zone: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] },
  });

  test('is set for a volume of one node at a time, and never a second time', async () => {
    const world = worldOf('pinned');
    const [a, b] = [await world.node({ zone: 'a' }), await world.node({ zone: 'b' })];
    const { volume, claim, pod } = await world.used(a);
    const { stdout } = await once(world, '--node-affinity');
    expect(stdout).toMatch(new RegExp(`^${volume} .* spec.nodeAffinity `, 'm'));
    expect((await world.look(volume)).spec.nodeAffinity).toEqual(REQUIRED('a'));
    expect((await once(world, '--node-affinity')).stdout).toContain('Nothing to change');
    await world.removePod(pod);
    await world.readyPod(b, claim);
    expect(await once(world, '--node-affinity')).toMatchObject({ code: 0 });
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'b' });
    expect((await world.look(volume)).spec.nodeAffinity).toEqual(REQUIRED('a'));
  });

  test('is set for a volume that was labelled before it was asked for', async () => {
    const world = worldOf('pinned-later');
    const { volume } = await world.used(await world.node({ zone: 'a' }));
    await once(world);
    expect((await world.look(volume)).spec.nodeAffinity).toBeUndefined();
    await once(world, '--node-affinity');
    expect((await world.look(volume)).spec.nodeAffinity).toEqual(REQUIRED('a'));
  });

  test('is not set while a label names a place besides, which one look does not give up', async () => {
    const world = worldOf('not-yet-pinned');
    const { volume } = await world.used(await world.node({ zone: 'a' }), { labels: { [ZONE]: 'a__b' } });
    expect((await once(world, '--node-affinity')).stdout).toContain('Nothing to change');
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a__b' });
    expect((await world.look(volume)).spec.nodeAffinity).toBeUndefined();
  });

  test('is never set for a volume that several nodes can share', async () => {
    const world = worldOf('not-pinned');
    const node = await world.node({ zone: 'a' });
    const { volume } = await world.used(node, SHARED);
    const { volume: some } = await world.used(node, { modes: ['ReadWriteOnce', 'ReadOnlyMany'] });
    expect((await once(world, '--node-affinity')).code).toBe(0);
    for (const each of [volume, some]) {
      expect(await world.labelsOf(each)).toEqual({ [ZONE]: 'a' });
      expect((await world.look(each)).spec.nodeAffinity).toBeUndefined();
    }
  });

  test('of somebody else stays as it is', async () => {
    const world = worldOf('pinned-before');
    const node = await world.node({ zone: 'a' });
    const { volume } = await world.used(node, { type: 'local', node });
    const before = (await world.look(volume)).spec;
    expect((await once(world, '--node-affinity')).code).toBe(0);
    expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a' });
    expect((await world.look(volume)).spec).toEqual(before);
  });
});

describe('what cannot be meant ends with 2 and a sentence that says what is allowed:', () => {
  test.each([
    ['--overwrite=sometimes', /--overwrite cannot be "sometimes": .*use always or missing/],
    ['--multi-zone=all', /--multi-zone cannot be "all": .*use set, first or skip/],
    ['--access-modes=ReadWriteTwice', /--access-modes cannot be "ReadWriteTwice": .*ReadWriteOnce, ReadWriteOncePod/],
    ['--resync-period=soon', /--resync-period cannot be "soon": .*use a duration/],
    ['--resync-period=-5m', /--resync-period cannot be "-5m": it is negative/],
    ['--selector=a==b==c', /--selector cannot be "a==b==c": .*use a label selector/],
    [
      '--label-keys=not/a/key',
      /--label-keys cannot be "not\/a\/key": .*use a list, separated by commas, of label keys/,
    ],
    ['--output=xml', /--output cannot be "xml": .*use table, wide, json or yaml/],
    ['--leader-elect', /--once does not wait for a lease: leave --leader-elect out/],
    ['--overwite', /unknown option '--overwite'; did you mean --overwrite/],
  ])('%s', async (flag, sentence) => {
    const { code, stdout, stderr } = await runHoldfast('topology', '--once', writer, flag);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
