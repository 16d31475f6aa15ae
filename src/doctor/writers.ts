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

/** The commands that do several jobs in one process: all of these, unless --enable names some. */
export const TOGETHER: ReadonlyMap<string, readonly Job[]> = new Map([
  ['controller', ['topology', 'pool', 'sync']],
  ['node', ['devices', 'lvm']],
]);
/** It writes nothing by itself, and so there may be several. */
const CONSOLE = 'console';

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

/** What of Holdfast is installed under an account that has to have its rights. */
export interface Installed {
  readonly job: Job | typeof CONSOLE;
  /** Such as `Deployment`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly account: string;
  readonly image: string;
  /** Not one that is scaled to nothing. */
  readonly runs: boolean;
  /** The namespaces whose Secrets it was told of. */
  readonly secretNamespaces: readonly string[];
  /** Whether it writes only while it holds a lease. */
  readonly elects: boolean;
}

export interface Writer extends Installed {
  readonly job: Job;
  /** `looks-like`: it has an original's name or command, and an image that nobody knows. */
  readonly who: 'holdfast' | 'original' | 'looks-like';
  /** The command that does the job: it has the job's name, or does several together. Its lease is named after it. */
  readonly does: string;
  readonly original: string;
}

type Known = Pick<Writer, 'job' | 'who' | 'does' | 'original'>;

/** One for each job that is done there, and none for all the others in a cluster. */
export function writersOf(kind: string, workload: Workload): readonly Writer[] {
  // Beside the one that does the job there may be others, of which only the name of the whole is known.
  const known = containersOf(workload).map((container) => ({ container, jobs: jobsOf(workload.metadata, container) }));
  const [best] = known.filter(({ jobs }) => jobs.length > 0).toSorted((one, other) => rank(one) - rank(other));
  if (!best) return [];
  const installed = installedAs(kind, workload, best.container);
  return best.jobs.map((job) => ({ ...installed, ...job }));
}

/** A console, if this is one. */
export function consoleOf(kind: string, workload: Workload): Installed | undefined {
  const found = containersOf(workload).find((container) => isConsole(workload.metadata, container));
  return found && { ...installedAs(kind, workload, found), job: CONSOLE };
}

const containersOf = ({ spec }: Workload): readonly Container[] => spec?.template?.spec?.containers ?? [];

function installedAs(kind: string, { metadata, spec }: Workload, container: Container): Omit<Installed, 'job'> {
  const flags = wordsOf(container);
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    account: spec?.template?.spec?.serviceAccountName ?? 'default',
    image: container.image ?? '',
    runs: spec?.replicas !== 0,
    secretNamespaces: listIn(flags, 'secret-namespaces'),
    elects: flags.some((flag) => /^--?leader-elect(=true)?$/.test(flag)),
  };
}

/** The one that is told to do the job, then one that is known by its image, then one by its name only. */
function rank({
  container,
  jobs: [first],
}: {
  readonly container: Container;
  readonly jobs: readonly Known[];
}): number {
  if (first?.who === 'looks-like') return 2;
  return wordsOf(container)[0] === first?.does ? 0 : 1;
}

type Metadata = KubeObject['metadata'];

/** What follows the program, which is the entry point of the image, or the first word of the command. */
const wordsOf = ({ command = [], args = [] }: Container): readonly string[] => [...command.slice(1), ...args];

const isOurs = ({ labels = {} }: Metadata, { image = '' }: Container): boolean =>
  labels[JOB_LABEL] !== undefined || repositoryOf(image).includes('holdfast');

const isConsole = (metadata: Metadata, container: Container): boolean =>
  isOurs(metadata, container) && (metadata.labels?.[JOB_LABEL] ?? wordsOf(container)[0]) === CONSOLE;

function jobsOf(metadata: Metadata, container: Container): readonly Known[] {
  if (isConsole(metadata, container)) return [];
  const words = wordsOf(container);
  const [word = ''] = words;
  const together = isOurs(metadata, container) ? TOGETHER.get(word) : undefined;
  if (!together) return oneJobOf(metadata, container, word);
  const enabled = listIn(words, 'enable');
  const jobs = enabled.length === 0 ? together : together.filter((job) => enabled.includes(job));
  return jobs.map((job) => ours(job, word));
}

function oneJobOf({ name = '', labels = {} }: Metadata, container: Container, word: string): readonly Known[] {
  const { image = '', command = [] } = container;
  const labelled = jobIn(labels[JOB_LABEL]);
  if (labelled) return [ours(labelled)];
  const repository = repositoryOf(image);
  const byImage = ORIGINALS.find(({ images }) => images.some((each) => repository === each.split('/').at(-1)));
  if (byImage) return [{ job: byImage.job, who: 'original', does: byImage.job, original: byImage.name }];
  const said = repository.includes('holdfast') ? (jobIn(word) ?? jobIn(tagOf(image).split('-').at(-1))) : undefined;
  if (said) return [ours(said)];
  const alike = ORIGINALS.find((each) => isAlike(each, name, command));
  if (!alike) return [];
  const who = repository.includes('holdfast') ? 'holdfast' : 'looks-like';
  return [{ job: alike.job, who, does: alike.job, original: alike.name }];
}

const jobIn = (word: string | undefined): Job | undefined => JOBS.find((job) => word === job);

const ours = (job: Job, does: string = job): Known => ({ job, who: 'holdfast', does, original: originalOf(job) });

/** `/manager` is the command of many operators: it takes the name as well. */
const isAlike = ({ workloads, command: theirs }: Original, name: string, command: readonly string[]): boolean =>
  workloads.some((each) => name === each || name.endsWith(`-${each}`)) ||
  (theirs !== '/manager' && command[0] === theirs);

const originalOf = (job: Job): string => ORIGINALS.find((each) => each.job === job)?.name ?? job;

/** The last part of an image's name, whatever registry it comes from: `pvsync` of `ghcr.io/someone/pvsync:v1@sha256:…`. */
const repositoryOf = (image: string): string => namedIn(image)[0] ?? '';

/** `v1` of the same. Those of ours that do one job end with it: `0.1.0-pool`. */
const tagOf = (image: string): string => namedIn(image)[1] ?? '';

const namedIn = (image: string): readonly string[] => (image.split('@')[0]?.split('/').at(-1) ?? '').split(':');

/** What a flag names, separated by commas, or by saying it several times. */
const listIn = (words: readonly string[], name: string): readonly string[] =>
  words
    .flatMap((word, index) => {
      const said = new RegExp(`^--?${name}(?:=(.*))?$`).exec(word);
      return said ? (said[1] ?? words[index + 1] ?? '').split(',') : [];
    })
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** Of what is installed, and of what it does there: several jobs may be done by one. */
export const keyOf = ({ kind, namespace, name, job }: Installed): string => `${kind}/${namespace}/${name}/${job}`;
export const inWords = ({ kind, namespace, name }: Installed): string => `${kind} ${namespace}/${name}`;
