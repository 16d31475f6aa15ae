/** What the chart makes of its values, and what it says of those that are wrong. By the real helm, without a cluster. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { flags as devicesFlags } from '../../../src/commands/devices/devices.ts';
import { flags as lvmFlags } from '../../../src/commands/lvm/lvm.ts';
import { flags as poolFlags } from '../../../src/commands/pool/pool.ts';
import { flags as syncFlags } from '../../../src/commands/sync/sync.ts';
import { flags as topologyFlags } from '../../../src/commands/topology/topology.ts';
import { OPTION_KEYS } from '../../../src/lvm/contract.ts';
import { runHoldfast } from '../../harness/holdfast.ts';
import { CHART, EVERY_JOB, EVERYTHING, helm, LOCAL_VOLUMES, type Rendered, rendered, type Values } from './helm.ts';

describe('helm finds nothing to complain of', () => {
  test.each([
    ['with nothing said', CHART, {}],
    ['with every job', CHART, EVERY_JOB],
    ['with everything said', CHART, EVERYTHING],
    ['in local-volumes alone', LOCAL_VOLUMES, { storageClass: 'data', nodes: ['node04'] }],
  ])('%s', async (_, chart, values) => {
    const { code, stdout, stderr } = await helm(['lint', '--strict', chart, '-f', '-'], values);
    expect({ code, stderr, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stderr: '', stdout: '' });
  });
});

test('what is not asked for is not installed, and has no rights', async () => {
  expect(await rendered()).toEqual([]);
  const jobs = ['topology', 'devices', 'lvm', 'pool', 'sync'];
  for (const job of jobs) {
    const others = jobs.filter((each) => each !== job);
    const objects = JSON.stringify(await rendered({ [job]: { enabled: true } }));
    expect(objects).toContain(`"holdfast-${job}"`);
    for (const other of others) expect(objects).not.toContain(`holdfast-${other}`);
  }
});

interface Workload extends Rendered {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly hostPID?: boolean;
        readonly serviceAccountName: string;
        readonly volumes?: readonly object[];
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly valueFrom: { fieldRef: { fieldPath: string } } }[];
  readonly securityContext: object;
  readonly volumeMounts?: readonly object[];
}

const isWorkload = (object: Rendered): object is Workload => 'template' in Object(object.spec);

async function podOf(job: string, values: Values) {
  const workload = (await rendered(values)).filter(isWorkload).find(({ metadata }) => metadata.name.endsWith(job));
  if (!workload) throw new Error(`there is no workload for ${job}`);
  const { containers, ...pod } = workload.spec.template.spec;
  return { kind: workload.kind, pod, container: containers[0] };
}

describe('the program takes the flags that its pods are given', () => {
  const PLACES: Readonly<Record<string, readonly string[]>> = {
    topology: [],
    devices: ['--node-name=worker-1', '--namespace-name=holdfast'],
    lvm: ['--node-name=worker-1'],
    pool: [],
    sync: [],
  };
  const jobs = Object.keys(PLACES).flatMap((job) => [
    [job, 'nothing', EVERY_JOB] as const,
    [job, 'everything', EVERYTHING] as const,
  ]);

  /** It reads its flags before it looks for a cluster: one that it does not take would end with 2. */
  test.each(jobs)('%s, with %s said', async (job, _, values) => {
    const { container } = await podOf(job, values);
    const nowhere = '--kubeconfig=/nonexistent/config';
    const { code, stderr } = await runHoldfast(...container.args, ...(PLACES[job] ?? []), nowhere);
    expect(stderr).toContain('/nonexistent/config');
    expect(code).toBe(1);
  });
});

test.each([
  ['topology', topologyFlags, ['--leader-elect=true']],
  ['devices', devicesFlags, []],
  ['lvm', lvmFlags, []],
  ['pool', poolFlags, ['--leader-elect=true']],
  ['sync', syncFlags, ['--leader-elect=true']],
])('with nothing said, %s runs with the defaults of the program', async (job, flags, others) => {
  const { container } = await podOf(job, EVERY_JOB);
  const defaults = Object.values(flags).map(({ long, settings }) => `${long}=${settings.default}`);
  expect(container.args.slice(1).filter((arg) => !defaults.includes(arg))).toEqual(others);
});

describe('a pod has what its job needs', () => {
  const fields = ({ env }: Container) => env.map(({ name, valueFrom }) => [name, valueFrom.fieldRef.fieldPath]);

  test('topology, which has no right over the machine', async () => {
    const { kind, pod, container } = await podOf('topology', EVERY_JOB);
    expect(kind).toBe('Deployment');
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } });
    expect(pod).not.toHaveProperty('hostPID');
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(container.args).toContain('--leader-elect=true');
  });

  test('the console lets in who has a token, and answers to the names that it is reached under', async () => {
    const console = { enabled: true, hosts: ['console.example.com'], allowActions: true };
    const { kind, pod, container } = await podOf('console', { console });
    expect(kind).toBe('Deployment');
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(container.args).toEqual([
      'console',
      '--log-level=info',
      '--log-format=auto',
      '--listen=:8765',
      '--auth=token',
      expect.stringMatching(/^--namespace=/),
      expect.stringMatching(/^--host=[a-z-]+console\.[a-z-]+\.svc,console\.example\.com$/),
      '--allow-actions=true',
    ]);
  });

  test('the console speaks HTTPS with the certificate of a Secret, and is probed so', async () => {
    const console = { enabled: true, tls: { secretName: 'console-tls' } };
    const { pod, container } = await podOf('console', { console });
    expect(container.args).toEqual(
      expect.arrayContaining(['--tls-cert-file=/tls/tls.crt', '--tls-key-file=/tls/tls.key']),
    );
    expect(container).toMatchObject({
      ports: [{ name: 'https', containerPort: 8765 }],
      readinessProbe: { httpGet: { port: 'https', scheme: 'HTTPS' } },
      livenessProbe: { httpGet: { port: 'https', scheme: 'HTTPS' } },
      volumeMounts: [{ name: 'tls', mountPath: '/tls', readOnly: true }],
    });
    expect(pod).toMatchObject({ volumes: [{ name: 'tls', secret: { secretName: 'console-tls' } }] });
  });

  test('devices: the processes and disks of the machine, and a directory for its ledger', async () => {
    const values = { devices: { enabled: true, stateDir: '/srv/ledger' } };
    const { kind, pod, container } = await podOf('devices', values);
    expect(kind).toBe('DaemonSet');
    expect(pod).toMatchObject({
      hostPID: true,
      volumes: [
        { emptyDir: {} },
        { hostPath: { path: '/dev' } },
        { hostPath: { path: '/srv/ledger', type: 'DirectoryOrCreate' } },
      ],
    });
    expect(container.securityContext).toEqual({ privileged: true, readOnlyRootFilesystem: true });
    expect(container.volumeMounts).toMatchObject([
      { mountPath: '/tmp' },
      { mountPath: '/dev' },
      { mountPath: '/srv/ledger' },
    ]);
    expect(container.args).toContain('--state-dir=/srv/ledger');
    expect(fields(container)).toEqual([
      ['LP_NODE_NAME', 'spec.nodeName'],
      ['LP_NAMESPACE_NAME', 'metadata.namespace'],
    ]);
  });

  test('lvm: the mounts of the machine', async () => {
    const { kind, pod, container } = await podOf('lvm', EVERYTHING);
    expect(kind).toBe('DaemonSet');
    expect(pod).toMatchObject({ hostPID: true });
    expect(container.securityContext).toEqual({ privileged: true, readOnlyRootFilesystem: true });
    expect(container.args).toEqual(expect.arrayContaining(['--mount-namespace=host', '--mount-base=/mnt/pv']));
    expect(container.args).toContain('--secret-namespaces=keys,holdfast');
    expect(fields(container)).toEqual([
      ['NODE_NAME', 'spec.nodeName'],
      ['POD_NAMESPACE', 'metadata.namespace'],
    ]);
  });

  test('pool, which has no right over the machine', async () => {
    const { kind, pod, container } = await podOf('pool', { pool: { enabled: true, healthPort: 9090 } });
    expect(kind).toBe('Deployment');
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect(container.args).toContain('--health-probe-bind-address=:9090');
    expect(container).toMatchObject({
      ports: [{ name: 'metrics' }, { name: 'health', containerPort: 9090 }],
      readinessProbe: { httpGet: { port: 'health' } },
    });
  });

  test('the classes of local volumes are among those that lvm tells what is wrong', async () => {
    const { container } = await podOf('lvm', EVERYTHING);
    expect(container.args).toContain('--storage-classes=k8s-local-pv,elasticsearch');
  });

  test('the image is named by its digest, its tag, or the version of the program; agents have that of nodes', async () => {
    const imageOf = async (job: string, image: Values) =>
      (await podOf(job, { [job]: { enabled: true }, image: { repository: 'example.com/h', ...image } })).container
        .image;
    const { version } = JSON.parse(await readFile(join(CHART, '../../package.json'), 'utf8'));
    const [digest, nodeDigest] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
    for (const job of ['topology', 'pool', 'sync']) {
      expect(await imageOf(job, {})).toBe(`example.com/h:${version}`);
      expect(await imageOf(job, { tag: '2.0', nodeTag: '3.0' })).toBe('example.com/h:2.0');
      expect(await imageOf(job, { tag: '2.0', digest, nodeDigest })).toBe(`example.com/h@${digest}`);
    }
    for (const job of ['devices', 'lvm']) {
      expect(await imageOf(job, {})).toBe(`example.com/h:${version}-node`);
      expect(await imageOf(job, { tag: '2.0' })).toBe('example.com/h:2.0-node');
      expect(await imageOf(job, { tag: '2.0', nodeTag: '3.0' })).toBe('example.com/h:3.0');
      expect(await imageOf(job, { tag: '2.0', nodeDigest })).toBe(`example.com/h@${nodeDigest}`);
      expect(await imageOf(job, { tag: '2.0', digest, nodeDigest })).toBe(`example.com/h@${nodeDigest}`);
    }
  });
});

describe('values that are wrong are refused, and it is said which', () => {
  const localVolumes = (more: Values) => ({ localVolumes: { enabled: true, ...more } });
  test.each<[string, Values, string | RegExp]>([
    ['a job that there is not', { topologie: { enabled: true } }, "additional properties 'topologie' not allowed"],
    ['a misspelt value', { topology: { replica: 2 } }, /'\/topology'.*'replica' not allowed/],
    ['a switch that is a text', { lvm: { enabled: 'yes' } }, /'\/lvm\/enabled'.*boolean/],
    ['an unknown choice', { topology: { multiZone: 'all' } }, /'\/topology\/multiZone'.*'set', 'first', 'skip'/],
    ['an access mode', { topology: { accessModes: ['RWO'] } }, /'\/topology\/accessModes\/0'.*'ReadWriteOnce'/],
    ['a duration without a unit', { lvm: { trashTtl: '72' } }, /'\/lvm\/trashTtl'.*'72' does not match/],
    ['an interval of nothing', { lvm: { resyncPeriod: '0s' } }, /'\/lvm\/resyncPeriod'.*'0s' does not match/],
    ['a relative directory', { devices: { stateDir: 'ledger' } }, /'\/devices\/stateDir'.*'ledger' does not match/],
    ['too many wipes', { devices: { wipesAtOnce: 65 } }, /'\/devices\/wipesAtOnce'.*maximum.*64/],
    ['a port', { lvm: { metricsPort: 70000 } }, /'\/lvm\/metricsPort'.*maximum.*65,?535/],
    ['a level', { log: { level: 'loud' } }, /'\/log\/level'.*'trace'/],
    ['an argument that is no flag', { lvm: { extraArgs: ['forget'] } }, /'\/lvm\/extraArgs\/0'.*does not match/],
    ['a namespace', { lvm: { secretNamespaces: ['Keys'] } }, /'\/lvm\/secretNamespaces\/0'.*'Keys' does not match/],
    ['an option of lvm', { lvm: { defaults: { fstype: 'xfs' } } }, /'\/lvm\/defaults'.*'fstype' not allowed/],
    [
      'a filesystem that devices cannot have',
      {
        devices: { pvSpecs: { ssd: { deviceDir: '/dev', deviceNameFilter: '.', volumeMode: 'Block', fsType: 'zfs' } } },
      },
      /'\/devices\/pvSpecs\/ssd\/fsType'.*'ext4', 'xfs', 'btrfs'/,
    ],
    ['devices without a filter', { devices: { pvSpecs: { ssd: { deviceDir: '/dev' } } } }, "'deviceNameFilter'"],
    [
      'replicas that do not elect',
      { topology: { enabled: true, replicas: 2, leaderElection: false } },
      'set topology.leaderElection to true',
    ],
    [
      'operators of pools that do not elect',
      { pool: { enabled: true, replicas: 2, leaderElection: false } },
      'set pool.leaderElection to true',
    ],
    [
      'a namespace of pools',
      { pool: { networkPolicy: { namespaces: ['Data'] } } },
      /namespaces\/0'.*'Data' does not match/,
    ],
    [
      'one account for two jobs',
      {
        devices: { enabled: true, serviceAccount: { name: 'agents' } },
        lvm: { enabled: true, serviceAccount: { name: 'agents' } },
      },
      'devices and lvm would have the same service account, agents',
    ],
    [
      'two places for volumes',
      { lvm: { enabled: true, mountBase: '/srv/pv' }, ...localVolumes({}) },
      'lvm.mountBase is /srv/pv and localVolumes.mountBase is /mnt/pv',
    ],
    ...['devices', 'lvm'].map((job): [string, Values, string] => [
      `a digest for ${job} that is of the image without the tools for disks`,
      { [job]: { enabled: true }, image: { digest: `sha256:${'a'.repeat(64)}` } },
      'image.digest is set and image.nodeDigest is not',
    ]),
    ['a way to replace pods', { pool: { strategy: { type: 'Replace' } } }, /'\/pool\/strategy\/type'.*'Recreate'/],
    ['a name', { topology: { name: 'PV_Zone' } }, /'\/topology\/name'.*'PV_Zone' does not match/],
    ['a link', { monitoring: { alerts: { runbookUrl: 'runbooks' } } }, /'\/monitoring\/alerts\/runbookUrl'/],
    ['when helm test fails', { doctor: { failOn: 'never' } }, /'\/doctor\/failOn'.*'error', 'unknown'/],
    ['a value that local-volumes does not have', localVolumes({ class: 'a' }), /localVolumes.*'class' not allowed/s],
  ])('%s', async (_, values, sentence) => {
    const { code, stderr } = await helm(['template', 'holdfast', CHART, '-f', '-'], values);
    expect(stderr).toMatch(sentence);
    expect(code).not.toBe(0);
  });

  test.each(['default', 'kube-system', 'kube-public'])('to say what pods may run in %s', async (namespace) => {
    const values = { topology: { enabled: true }, podSecurity: { labelNamespace: true } };
    const { code, stderr } = await helm(['template', 'holdfast', CHART, '-n', namespace, '-f', '-'], values);
    expect(stderr).toContain(`podSecurity.labelNamespace would say of the namespace ${namespace} what pods may run`);
    expect(code).not.toBe(0);
  });

  test('a cluster that is too old', async () => {
    const { code, stderr } = await helm(['template', 'holdfast', CHART, '--kube-version', '1.31.0', '-f', '-']);
    expect(stderr).toContain('chart requires kubeVersion: >=1.32.0-0');
    expect(code).not.toBe(0);
  });
});

test('alerts are those of the jobs that run, each with a link to its runbook', async () => {
  const values = { topology: { enabled: true }, sync: { enabled: true, alerts: { enabled: true } } };
  const monitoring = { alerts: { enabled: true, runbookUrl: 'https://example.com/runbooks/' } };
  const rules = (await rendered({ ...values, monitoring })).filter(({ kind }) => kind === 'PrometheusRule');
  const alerts = rules.flatMap(({ spec }) => Object(spec).groups).flatMap((group) => group.rules);
  const names = alerts.map(({ alert }) => alert);
  expect(names).toEqual(expect.arrayContaining(['HoldfastDown', 'HoldfastTopologyWritesFail', 'HoldfastSyncDeposed']));
  expect(names.filter((name) => /Device|Volume|Pool/.test(name))).toEqual([]);
  const gone = alerts.filter(({ alert }) => alert === 'HoldfastGone');
  expect(gone.map(({ expr, for: time, labels }) => [expr, time, labels.severity])).toEqual([
    ['absent(up{job="holdfast-topology"})', '10m', 'warning'],
    ['absent(up{job="holdfast-sync"})', '10m', 'critical'],
  ]);
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook_url).toBe(`https://example.com/runbooks/${alert}.md`);
});

test('names that look like numbers are names', async () => {
  const values = {
    ...EVERY_JOB,
    ...{ localVolumes: { enabled: true, storageClass: '7', nodes: ['8'] } },
  };
  const objects = await rendered(values, { name: '12', namespace: '34' });
  const named = objects.map(({ metadata }) => [metadata.name, metadata.namespace ?? '', metadata.labels]);
  const texts = named.flatMap(([name, namespace, labels]) => [name, namespace, ...Object.values(Object(labels))]);
  expect(texts.filter((text) => typeof text !== 'string')).toEqual([]);
  expect(JSON.stringify(objects)).not.toMatch(/"(name|namespace|storageClassName)":\d/);
});

test('the names of the release and of accounts stand wherever they are needed, and those of the shipped files nowhere', async () => {
  const values = { ...EVERY_JOB, lvm: { enabled: true, serviceAccount: { name: 'local-pv' } } };
  const objects = await rendered(values, { name: 'vault', namespace: 'storage' });
  const texts = JSON.stringify(objects);
  expect(texts).not.toMatch(/RELEASE_NAMESPACE|AGENT_ACCOUNT/);
  const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const accounts = policies.map(({ spec }) => /system:serviceaccount:[^']+/.exec(JSON.stringify(spec))?.[0]);
  const [devices, lvm] = [
    'system:serviceaccount:storage:vault-holdfast-devices',
    'system:serviceaccount:storage:local-pv',
  ];
  const pool = 'system:serviceaccount:storage:vault-holdfast-pool';
  const everybody = undefined; // that there is one PersistentVolumeSync
  expect(accounts).toEqual([devices, devices, lvm, lvm, lvm, pool, pool, everybody]);
  expect(texts).toContain('only in the namespace storage');
  for (const { metadata } of objects)
    expect(metadata.name).toMatch(
      /^(vault-holdfast-|local-pv$|pvpools\.pvpool\.noobaa\.com$|persistentvolumesyncs\.storage\.cndev\.nl$)/,
    );
});

describe('of pools', () => {
  const ofKind = async (kind: string, pool: Values) =>
    (await rendered({ pool: { enabled: true, ...pool } })).filter((object) => object.kind === kind);

  test('the kind is installed and outlives the release, unless somebody else looks after it', async () => {
    const [crd] = await ofKind('CustomResourceDefinition', {});
    expect(crd?.metadata).toMatchObject({
      name: 'pvpools.pvpool.noobaa.com',
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
    expect(await ofKind('CustomResourceDefinition', { crd: false })).toEqual([]);
  });

  test('the agents are reached by their namespace, the operator and whom the values name, in the namespaces that are chosen', async () => {
    expect(await ofKind('NetworkPolicy', {})).toEqual([]);
    const from = [{ podSelector: { matchLabels: { app: 'backup' } } }];
    const policies = await ofKind('NetworkPolicy', { networkPolicy: { namespaces: ['data', 'more'], from } });
    expect(policies.map(({ metadata }) => metadata.namespace)).toEqual(['data', 'more']);
    expect(policies[0]?.spec).toEqual({
      podSelector: { matchExpressions: [{ key: 'pv-pool', operator: 'Exists' }] },
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [{ port: 8080, protocol: 'TCP' }],
          from: [
            { podSelector: {} },
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'holdfast' } },
              podSelector: {
                matchLabels: {
                  'app.kubernetes.io/name': 'holdfast',
                  'app.kubernetes.io/instance': 'holdfast',
                  'app.kubernetes.io/component': 'pool',
                },
              },
            },
            ...from,
          ],
        },
      ],
    });
  });

  test('whoever may scale StatefulSets may do so with those of pools only where the policies are not wanted', async () => {
    expect(await ofKind('ValidatingAdmissionPolicy', {})).toHaveLength(2);
    expect(await ofKind('ValidatingAdmissionPolicy', { admissionPolicies: false })).toEqual([]);
  });
});

test('the examples in the README are values that the chart takes', async () => {
  const readme = await readFile(join(CHART, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => parse(text));
  expect(examples).toHaveLength(1);
  const objects = await rendered(examples[0]);
  const volumes = objects.filter(({ kind }) => kind === 'PersistentVolume').map(({ metadata }) => metadata.name);
  expect(volumes).toHaveLength(6);
  expect(volumes).toEqual(expect.arrayContaining(['elasticsearch-data-node04', 'elasticsearch-logs-node04']));
});

describe('the schemas', () => {
  const schemaOf = async (chart: string) => JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'));

  test('know the options of lvm, and no others', async () => {
    const { definitions } = await schemaOf(LOCAL_VOLUMES);
    expect(Object.keys(definitions.options.properties).sort()).toEqual([...OPTION_KEYS].sort());
    const ofItself = 'snapshotOf';
    const { lvmDefaults } = (await schemaOf(CHART)).definitions;
    expect(Object.keys(lvmDefaults.properties).sort()).toEqual(OPTION_KEYS.filter((key) => key !== ofItself).sort());
  });

  test.each([CHART, LOCAL_VOLUMES])(
    'say of each value that there is what it may be, and of no other',
    async (chart) => {
      const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'));
      const schema = await schemaOf(chart);
      const compare = (given: object, { properties }: { properties: Record<string, object> }): void => {
        expect(
          Object.keys(properties)
            .filter((key) => key !== 'global')
            .sort(),
        ).toEqual(Object.keys(given).sort());
        for (const [key, value] of Object.entries(given)) {
          const inner = properties[key];
          if (inner && 'properties' in inner) compare(value, inner as typeof schema);
        }
      };
      compare(values, schema);
    },
  );
});
