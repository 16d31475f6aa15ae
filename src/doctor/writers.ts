/**
 * Who does one of the five jobs in a cluster: Holdfast, the original that it takes the place of, or somebody of whom only the name is
 * known. Told by what a Deployment or DaemonSet says of itself.
 */
import type { KubeObject } from '../kit/kube/resource.ts';
import { ORIGINALS, type Original } from './originals.ts';

/** On each Deployment and DaemonSet of the chart, also where the names and labels are those of an original. */
const JOB_LABEL = 'holdfast.dev/job';
export const JOBS = ['topology', 'devices', 'lvm', 'pool', 'sync'] as const;
export type Job = (typeof JOBS)[number];

export interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly Container[];
      };
    };
  };
}

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

export interface Writer {
  readonly job: Job;
  /** `looks-like`: it has an original's name or command, and an image that nobody knows. */
  readonly who: 'holdfast' | 'original' | 'looks-like';
  /** Such as `Deployment`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly account: string;
  readonly image: string;
  /** Not one that is scaled to nothing. */
  readonly runs: boolean;
  readonly original: string;
  /** The namespaces whose Secrets it was told of. */
  readonly secretNamespaces: readonly string[];
  /** Whether it writes only while it holds a lease. */
  readonly elects: boolean;
}

/** Nothing for all the others in a cluster. */
export function writerOf(kind: string, workload: Workload): Writer | undefined {
  const { metadata, spec } = workload;
  const pod = spec?.template?.spec;
  const containers = pod?.containers ?? [];
  // Beside the one that does the job there may be others, of which only the name of the whole is known.
  const known = containers.flatMap((container) => {
    const who = whoIs(metadata, container);
    return who ? [{ who, container }] : [];
  });
  const [found] = known.toSorted((one, other) => rank(one.who) - rank(other.who));
  if (!found) return undefined;
  const flags = found.container.args ?? [];
  return {
    ...found.who,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    account: pod?.serviceAccountName ?? 'default',
    image: found.container.image ?? '',
    runs: spec?.replicas !== 0,
    secretNamespaces: flagValue(flags, 'secret-namespaces')?.split(',') ?? [],
    elects: flags.some((flag) => /^--?leader-elect(=true)?$/.test(flag)),
  };
}

const rank = ({ who }: Pick<Writer, 'who'>): number => (who === 'looks-like' ? 1 : 0);

function whoIs(
  { name = '', labels = {} }: KubeObject['metadata'],
  { image = '', command = [], args = [] }: Container,
): Pick<Writer, 'job' | 'who' | 'original'> | undefined {
  const labelled = JOBS.find((job) => labels[JOB_LABEL] === job);
  if (labelled) return { job: labelled, who: 'holdfast', original: originalOf(labelled) };
  const repository = repositoryOf(image);
  const byImage = ORIGINALS.find(({ images }) => images.some((each) => repository === each.split('/').at(-1)));
  if (byImage) return { job: byImage.job, who: 'original', original: byImage.name };
  const argument = JOBS.find((job) => args[0] === job);
  if (argument && repository.includes('holdfast'))
    return { job: argument, who: 'holdfast', original: originalOf(argument) };
  const alike = ORIGINALS.find((each) => isAlike(each, name, command));
  if (!alike) return undefined;
  return { job: alike.job, who: repository.includes('holdfast') ? 'holdfast' : 'looks-like', original: alike.name };
}

/** `/manager` is the command of many operators: it takes the name as well. */
const isAlike = ({ workloads, command: theirs }: Original, name: string, command: readonly string[]): boolean =>
  workloads.some((each) => name === each || name.endsWith(`-${each}`)) ||
  (theirs !== '/manager' && command[0] === theirs);

const originalOf = (job: Job): string => ORIGINALS.find((each) => each.job === job)?.name ?? job;

/** The last part of an image's name, whatever registry it comes from: `pvsync` of `ghcr.io/someone/pvsync:v1@sha256:…`. */
function repositoryOf(image: string): string {
  const [path = ''] = image.split('@');
  return (path.split('/').at(-1) ?? '').split(':')[0] ?? '';
}

const flagValue = (flags: readonly string[], name: string): string | undefined =>
  flags.map((flag) => new RegExp(`^--?${name}=(.+)$`).exec(flag)?.[1]).find((value) => value !== undefined);

export const keyOfWriter = ({ namespace, name }: Writer): string => `${namespace}/${name}`;
export const inWords = ({ kind, namespace, name }: Writer): string => `${kind} ${namespace}/${name}`;
