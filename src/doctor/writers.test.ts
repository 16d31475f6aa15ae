import { expect, test } from 'vitest';
import { INSTALLED } from '../../test/originals/originals.ts';
import { ORIGINALS } from './originals.ts';
import { consoleOf, JOBS, type Workload, writersOf } from './writers.ts';

type Container = { image?: string; command?: string[]; args?: string[] };

const deployed = (name: string, container: Container, labels: Record<string, string> = {}, replicas = 1): Workload => ({
  metadata: { name, namespace: 'kube-system', labels },
  spec: {
    replicas,
    template: { spec: { serviceAccountName: 'account', containers: [{ image: 'side-car' }, container] } },
  },
});

/** The only one that it is. */
function workload(...parts: Parameters<typeof deployed>) {
  const writers = writersOf('Deployment', deployed(...parts));
  expect(writers.length).toBeLessThan(2);
  return writers[0];
}

test.each(ORIGINALS.flatMap(({ job, images }) => images.map((image) => [image, job] as const)))(
  'the image %s is the original of %s, from whatever registry, with whatever tag',
  (image, job) => {
    for (const each of [image, `docker.io/${image}:latest`, `mirror:5000/x/${image.split('/')[1]}:v1@sha256:00`])
      expect(workload('renamed', { image: each })).toMatchObject({ job, who: 'original', namespace: 'kube-system' });
  },
);

test('there is an original for each job', () => {
  expect(ORIGINALS.map(({ job }) => job)).toEqual(JOBS);
});

test('what is labelled as ours is ours, also under the name of an original', () => {
  const labels = { 'holdfast.dev/job': 'topology' };
  expect(workload('pv-zone-operator', { image: 'registry/storage:1' }, labels)).toMatchObject({
    job: 'topology',
    who: 'holdfast',
  });
});

test('our image under the name or the command of an original is ours', () => {
  expect(workload('pv-zone-operator', { image: 'registry/holdfast:1' })?.who).toBe('holdfast');
  expect(workload('renamed', { image: 'holdfast', command: ['/k8s-local-pv'] })).toMatchObject({
    job: 'lvm',
    who: 'holdfast',
  });
  expect(workload('renamed', { image: 'registry/holdfast:1', args: ['pool'] })).toMatchObject({ job: 'pool' });
});

test.each(JOBS)('our image for the one job %s is ours, however it is called and started', (job) => {
  for (const image of [`holdfast:0.1.0-${job}`, `mirror:5000/x/holdfast:0.1.0-${job}@sha256:00`, `holdfast:${job}`]) {
    const expected = { job, who: 'holdfast', does: job, image };
    expect(workload('renamed', { image })).toMatchObject(expected);
    expect(workload('renamed', { image, command: ['/manager'], args: ['--leader-elect'] })).toMatchObject(expected);
  }
  expect(workload('renamed', { image: `somebody/else:0.1.0-${job}` })).toBeUndefined();
});

test('our image for the agents of a pool, or for all jobs, does none by its name', () => {
  for (const tag of ['0.1.0-storage-agent', '0.1.0-node', '0.1.0', 'pool-1'])
    expect(workload('renamed', { image: `holdfast:${tag}` }), tag).toBeUndefined();
});

test.each(Object.entries(INSTALLED))(
  '%s with nothing but our image in it is ours',
  (original, { workload: theirs }) => {
    const job = ORIGINALS.find(({ values }) => values === `from-${original}.yaml`)?.job;
    const { template } = theirs.spec;
    const containers = template.spec.containers.map((each) =>
      each.name === 'kube-rbac-proxy' ? each : { ...each, image: `holdfast:0.1.0-${job}` },
    );
    const changed = { ...theirs, spec: { template: { spec: { ...template.spec, containers } } } };
    expect(writersOf(theirs.kind, theirs)).toMatchObject([{ job, who: 'original' }]);
    expect(writersOf(theirs.kind, changed)).toMatchObject([{ job, who: 'holdfast' }]);
  },
);

test('the name or the command of an original with an image that nobody knows looks like it', () => {
  expect(workload('prod-k8s-local-pv', { image: 'private/storage' })).toMatchObject({ job: 'lvm', who: 'looks-like' });
  expect(workload('renamed', { image: 'private/x', command: ['/local-pv-provisioner'] })?.who).toBe('looks-like');
});

test('everybody else is nobody, and so is any operator with /manager', () => {
  expect(workload('coredns', { image: 'coredns/coredns:1' })).toBeUndefined();
  expect(workload('cert-controller', { image: 'x/y', command: ['/manager'] })).toBeUndefined();
  expect(workload('x', { image: 'holdfast', args: ['constructor'] })).toBeUndefined();
  expect(writersOf('DaemonSet', { metadata: {} })).toEqual([]);
});

test('what else it says of itself', () => {
  const args = ['lvm', '--secret-namespaces=keys,more', '--leader-elect'];
  expect(workload('x', { image: 'holdfast', args }, {}, 0)).toMatchObject({
    runs: false,
    account: 'account',
    secretNamespaces: ['keys', 'more'],
    elects: true,
  });
});

test('beside a side-car it is the container of the job that says so', () => {
  const labels = { 'holdfast.dev/job': 'pool' };
  expect(workload('x', { image: 'holdfast', args: ['pool', '--leader-elect=true'] }, labels)?.elects).toBe(true);
});

test.each([
  [['controller'], ['topology', 'pool', 'sync']],
  [
    ['controller', '--leader-elect', '--enable=sync, topology'],
    ['topology', 'sync'],
  ],
  [
    ['controller', '-enable', 'pool', '--enable=sync'],
    ['pool', 'sync'],
  ],
  [
    ['node', '--node-name=a'],
    ['devices', 'lvm'],
  ],
  [['node', '--enable=lvm'], ['lvm']],
])('%j does the jobs %j, each of which has a writer', (args, jobs) => {
  const [does] = args;
  const expected = jobs.map((job) => ({ job, who: 'holdfast', does, elects: args.includes('--leader-elect') }));
  expect(writersOf('Deployment', deployed('x', { image: 'registry/holdfast:1', args }))).toMatchObject(expected);
  const started = { image: 'holdfast', command: ['/usr/bin/holdfast', ...args] };
  expect(writersOf('Deployment', deployed('x', started))).toMatchObject(expected);
  expect(writersOf('Deployment', deployed('x', { image: 'cloud/provider', args }))).toEqual([]);
});

test('a console writes nothing by itself, and so is no writer', () => {
  const labels = { 'holdfast.dev/job': 'console' };
  for (const console of [
    deployed('x', { image: 'registry/storage:1', args: ['console'] }, labels),
    deployed('x', { image: 'registry/holdfast:1', args: ['console', '--auth=token'] }),
  ]) {
    expect(writersOf('Deployment', console)).toEqual([]);
    expect(consoleOf('Deployment', console)).toMatchObject({ job: 'console', account: 'account' });
  }
  expect(consoleOf('Deployment', deployed('x', { image: 'holdfast', args: ['pool'] }))).toBeUndefined();
  expect(consoleOf('Deployment', deployed('x', { image: 'grafana', args: ['console'] }))).toBeUndefined();
});
