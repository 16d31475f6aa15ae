import { expect, test } from 'vitest';
import { ORIGINALS } from './originals.ts';
import { JOBS, writerOf } from './writers.ts';

const workload = (
  name: string,
  container: { image?: string; command?: string[]; args?: string[] },
  labels: Record<string, string> = {},
  replicas = 1,
) =>
  writerOf('Deployment', {
    metadata: { name, namespace: 'kube-system', labels },
    spec: {
      replicas,
      template: { spec: { serviceAccountName: 'account', containers: [{ image: 'side-car' }, container] } },
    },
  });

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

test('the name or the command of an original with an image that nobody knows looks like it', () => {
  expect(workload('prod-k8s-local-pv', { image: 'private/storage' })).toMatchObject({ job: 'lvm', who: 'looks-like' });
  expect(workload('renamed', { image: 'private/x', command: ['/local-pv-provisioner'] })?.who).toBe('looks-like');
});

test('everybody else is nobody, and so is any operator with /manager', () => {
  expect(workload('coredns', { image: 'coredns/coredns:1' })).toBeUndefined();
  expect(workload('cert-controller', { image: 'x/y', command: ['/manager'] })).toBeUndefined();
  expect(writerOf('DaemonSet', { metadata: {} })).toBeUndefined();
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
