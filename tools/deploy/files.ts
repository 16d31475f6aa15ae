/**
 * Plain manifests for kubectl, made of the chart by the real helm: a file for each job, one for the namespace, and one for the kind of each
 * job that has one. Kinds are apart from the rest, since kubectl deletes what is in a file, and with a kind go all objects of it.
 */
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
  ...JOBS.flatMap(ofJob),
];

const header = (what: string) => `# ${what} Made of charts/holdfast by make deploy. Changes made here are lost.\n`;

function ofJob(job: string): readonly DeployFile[] {
  const objects = objectsIn(rendered(`${job}.enabled=true`));
  const kinds = objects.filter(isKind);
  const others = objects.filter((object) => !isKind(object));
  const needs = kinds.length === 0 ? '' : ` It needs the kind in crd-${job}.yaml.`;
  const what = `The job ${job}, with the defaults of the chart, in the namespace ${NAMESPACE}.${needs}`;
  return [
    ...(kinds.length === 0 ? [] : [{ path: `install/crd-${job}.yaml`, text: `${warning(job)}${kinds.join('')}` }]),
    { path: `install/${job}.yaml`, text: `${header(what)}${others.join('')}` },
  ];
}

const warning = (job: string): string =>
  `${header(`The kind of the job ${job}.`)}# NEVER kubectl delete -f this file: with the kind, every object of it in the cluster is deleted. See docs/install.md#uninstall.\n`;

const objectsIn = (text: string): readonly string[] => text.split(/^(?=---$)/m);
const isKind = (object: string): boolean => /^kind: CustomResourceDefinition$/m.test(object);

/** Privileged, for devices and lvm. Where neither runs, restricted is enough. */
const namespace = (): string => {
  const objects = objectsIn(rendered('podSecurity.labelNamespace=true', 'devices.enabled=true'));
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
    .replace(/^ {2}annotations:\n(?: +#.*\n)? {4}helm\.sh\/resource-policy: keep\n(?! {4})/gm, '')
    .replace(/app\.kubernetes\.io\/managed-by: Helm/g, 'app.kubernetes.io/managed-by: kubectl');
