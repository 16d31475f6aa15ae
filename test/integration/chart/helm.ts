/** The real helm, which `make helm` builds, at work on the charts of this checkout. Nothing of the tester's own configuration is used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { builtByGo } from '../../../tools/go-build.ts';

const root = resolve(import.meta.dirname, '../../..');
export const CHART = join(root, 'charts/holdfast');
export const LOCAL_VOLUMES = join(CHART, 'charts/local-volumes');

/** As a values file would have them. */
export type Values = Readonly<Record<string, unknown>>;

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An object as helm has rendered it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export const helmProgram = (): string => join(builtByGo({ name: 'helm', module: 'helm.sh/helm/v3' }), 'helm');

/** Values are given on standard input: `-f -`. */
export async function helm(args: readonly string[], values: Values = {}): Promise<Said> {
  const home = join(tmpdir(), 'holdfast-no-helm-configuration');
  const child = spawn(helmProgram(), args, { env: { HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home } });
  child.stdin.on('error', () => {}); // it may end without having read them
  child.stdin.end(JSON.stringify(values));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, stdout, stderr };
}

export interface Release {
  readonly chart?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** What it would send to a cluster, without what only helm test does. */
export async function rendered(values: Values = {}, release: Release = {}): Promise<readonly Rendered[]> {
  const { chart = CHART, name = 'holdfast', namespace = 'holdfast' } = release;
  const { code, stdout, stderr } = await helm(
    ['template', name, chart, '--no-hooks', '--namespace', namespace, '-f', '-'],
    values,
  );
  if (code !== 0) throw new Error(stderr);
  const documents = parseAllDocuments(stdout);
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return documents.map((document) => document.toJS()).filter((object) => object !== null);
}

/** Each job with all that can be said of it. */
export const EVERYTHING: Values = {
  image: {
    repository: 'registry.example.com/holdfast',
    digest: `sha256:${'0'.repeat(64)}`,
    nodeDigest: `sha256:${'1'.repeat(64)}`,
  },
  imagePullSecrets: [{ name: 'registry' }],
  log: { level: 'debug', format: 'json' },
  topology: {
    enabled: true,
    replicas: 2,
    resyncPeriod: '1h30m',
    overwrite: 'missing',
    multiZone: 'first',
    accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
    labelKeys: ['topology.csi.example.com/zone'],
    selector: 'tier in (fast, slow)',
    nodeAffinity: true,
    provenance: true,
    extraArgs: ['--narrow-after=1m'],
    podAnnotations: { 'example.com/noted': 'yes' },
    podLabels: { team: 'storage' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    priorityClassName: 'system-cluster-critical',
  },
  devices: {
    enabled: true,
    dryRun: true,
    pvSpecs: {
      ssd: { deviceDir: '/dev/disk/by-path', deviceNameFilter: '^pci-.*-nvme-[0-9]+$', volumeMode: 'Block' },
    },
    defaultPvSpecConfigMap: 'ssd',
    pollingInterval: '90s',
    wipeBandwidth: '200M',
    trustInit: true,
    maxUnavailable: '10%',
    priorityClassName: 'system-node-critical',
  },
  lvm: {
    enabled: true,
    defaults: { vg: 'fast', mountOpts: 'noexec,noatime' },
    secretNamespaces: ['keys', 'holdfast'],
    mountUnits: 'never',
    release: true,
    sanityChecks: true,
    extraArgs: ['--debug'],
    serviceAccount: { annotations: { 'example.com/noted': 'yes' } },
  },
  pool: {
    enabled: true,
    replicas: 2,
    networkPolicy: {
      namespaces: ['keys', 'holdfast', 'keys'],
      from: [{ namespaceSelector: { matchLabels: { team: 'storage' } } }],
    },
    extraArgs: ['--leader-elect-namespace=holdfast'],
    podLabels: { team: 'storage' },
    priorityClassName: 'system-cluster-critical',
  },
  sync: {
    enabled: true,
    replicas: 2,
    secret: 'store',
    env: { AWS_REGION: 'eu-central-1' },
    directory: { volume: { persistentVolumeClaim: { claimName: 'exports' } } },
    extraArgs: ['--leader-elect-namespace=holdfast'],
  },
  localVolumes: {
    enabled: true,
    pools: [
      {
        storageClass: 'elasticsearch',
        nodes: ['node04', 'node05'],
        applications: [{ name: 'elasticsearch', volumes: [{ name: 'data', size: '30Gi' }] }],
      },
    ],
  },
};

/** Only the jobs, with nothing else said. */
export const EVERY_JOB: Values = {
  topology: { enabled: true },
  devices: { enabled: true },
  lvm: { enabled: true },
  pool: { enabled: true },
  sync: { enabled: true },
};
