/** Plain manifests for kubectl, made of the chart by the real helm: a file for each job, and one for the namespace. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { builtByGo } from '../go-build.ts';

const chart = join(resolve(import.meta.dirname, '../..'), 'charts/holdfast');
const JOBS = ['topology', 'devices', 'lvm', 'pool', 'sync'];
const NAMESPACE = 'holdfast';

export interface DeployFile {
  /** Below deploy/. */
  readonly path: string;
  readonly text: string;
}

export const deployFiles = (): readonly DeployFile[] => [
  { path: 'install/namespace.yaml', text: namespace() },
  ...JOBS.map((job) => ({ path: `install/${job}.yaml`, text: installed(job) })),
];

const header = (what: string) => `# ${what} Made of charts/holdfast by make deploy. Changes made here are lost.\n`;

const installed = (job: string): string =>
  `${header(`The job ${job}, with the defaults of the chart, in the namespace ${NAMESPACE}.`)}${rendered(`${job}.enabled=true`)}`;

/** Privileged, for devices and lvm. Where neither runs, restricted is enough. */
const namespace = (): string => {
  const objects = rendered('podSecurity.labelNamespace=true', 'devices.enabled=true').split(/^(?=---$)/m);
  const own = objects.filter((object) => /^kind: Namespace$/m.test(object));
  return `${header('For all jobs. Where neither devices nor lvm run, write restricted in the place of privileged.')}${own.join('')}`;
};

function rendered(...values: readonly string[]): string {
  const program = join(builtByGo({ name: 'helm', module: 'helm.sh/helm/v3' }), 'helm');
  const home = join(tmpdir(), 'holdfast-no-helm-configuration');
  const args = [
    'template',
    NAMESPACE,
    chart,
    '--no-hooks',
    '-n',
    NAMESPACE,
    ...values.flatMap((each) => ['--set', each]),
  ];
  const text = execFileSync(program, args, { encoding: 'utf8', env: { HOME: home } });
  return withoutHelm(text);
}

/** Helm has nothing to do with what kubectl applies. */
const withoutHelm = (text: string): string =>
  text
    .replace(/^\s+helm\.sh\/chart: .*\n/gm, '')
    .replace(/app\.kubernetes\.io\/managed-by: Helm/g, 'app.kubernetes.io/managed-by: kubectl');
