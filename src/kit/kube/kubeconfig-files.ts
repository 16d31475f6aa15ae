/** Reads kubeconfig files and merges them as kubectl does: of entries with the same name, and of current contexts, the first counts. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { NoCluster } from './no-cluster.ts';

/** Only what is looked at here; everything else is passed on as it is. */
const Cluster = z.looseObject({
  server: z.string().nullish(),
  'certificate-authority': z.string().nullish(),
  'proxy-url': z.string().nullish(),
});
const Exec = z.looseObject({
  apiVersion: z.string().nullish(),
  command: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
});
const User = z.looseObject({
  'client-certificate': z.string().nullish(),
  'client-key': z.string().nullish(),
  tokenFile: z.string().nullish(),
  exec: Exec.nullish(),
});
const Context = z.looseObject({ cluster: z.string(), user: z.string().nullish(), namespace: z.string().nullish() });

const Kubeconfig = z.looseObject({
  'current-context': z.string().nullish(),
  clusters: z.array(z.looseObject({ name: z.string(), cluster: Cluster })).nullish(),
  users: z.array(z.looseObject({ name: z.string(), user: User.nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string(), context: Context })).nullish(),
});

export type Cluster = z.infer<typeof Cluster>;
export type User = z.infer<typeof User>;
export type Exec = z.infer<typeof Exec>;
type Kubeconfig = z.infer<typeof Kubeconfig>;

/** What a context leads to. */
export interface CurrentContext {
  readonly clusterName: string;
  readonly cluster: Cluster & { readonly server: string };
  readonly userName: string;
  readonly user: User;
  readonly namespace: string;
}

/** The current one, unless another one is named. */
export async function currentContext(files: readonly string[], named?: string): Promise<CurrentContext> {
  const configs = await Promise.all(files.map(read));
  const from = files.join(', ');
  const name = named || configs.map((each) => each['current-context']).find(Boolean);
  if (!name) throw new NoCluster(`${from} has no current context; choose one with: kubectl config use-context NAME`);
  const context = byName(
    configs.flatMap((each) => each.contexts ?? []),
    name,
  )?.context;
  if (!context)
    throw new NoCluster(
      `${from} has no context "${name}", which is ${named ? 'named by --context' : 'its current one'}; ${CHOOSE}`,
    );
  const cluster = byName(
    configs.flatMap((each) => each.clusters ?? []),
    context.cluster,
  )?.cluster;
  const { server } = cluster ?? {};
  if (!server)
    throw new NoCluster(`${from} has no server for cluster "${context.cluster}" of context "${name}"; ${CHOOSE}`);
  const userName = context.user ?? '';
  const user = byName(
    configs.flatMap((each) => each.users ?? []),
    userName,
  );
  if (userName && !user)
    throw new NoCluster(`${from} has no user "${userName}", whom context "${name}" names; ${CHOOSE}`);
  return {
    clusterName: context.cluster,
    cluster: { ...cluster, server },
    userName,
    user: user?.user ?? {},
    namespace: context.namespace || 'default',
  };
}

const CHOOSE = 'choose another context with: kubectl config use-context NAME';

const byName = <T extends { readonly name: string }>(entries: readonly T[], name: string): T | undefined =>
  entries.find((entry) => entry.name === name);

async function read(file: string): Promise<Kubeconfig> {
  try {
    const config = Kubeconfig.parse(parse(await readFile(file, 'utf8')) ?? {});
    return withAbsolutePaths(config, dirname(file));
  } catch (cause) {
    throw new NoCluster(`${file} is not a kubeconfig: ${whyNot(cause)}`, { cause });
  }
}

function whyNot(cause: unknown): string {
  if (cause instanceof z.ZodError) return z.prettifyError(cause).replaceAll('\n', ' ');
  return cause instanceof Error ? cause.message : String(cause);
}

/** Paths are relative to the file that they stand in. */
function withAbsolutePaths(config: Kubeconfig, directory: string): Kubeconfig {
  return {
    ...config,
    clusters: config.clusters?.map((entry) => ({
      ...entry,
      cluster: absolute(entry.cluster, directory, 'certificate-authority'),
    })),
    users: config.users?.map((entry) => ({
      ...entry,
      user:
        entry.user &&
        withPlugin(absolute(entry.user, directory, 'client-certificate', 'client-key', 'tokenFile'), directory),
    })),
  };
}

/** A command without any slash is looked up in the PATH. */
const withPlugin = ({ exec, ...user }: User, directory: string): User =>
  exec?.command.includes('/') ? { ...user, exec: absolute(exec, directory, 'command') } : { ...user, exec };

function absolute<T extends object>(entry: T, directory: string, ...keys: readonly (keyof T)[]): T {
  const paths = keys.map((key) => [key, entry[key]] as const).filter(([, path]) => isRelative(path));
  return { ...entry, ...Object.fromEntries(paths.map(([key, path]) => [key, join(directory, String(path))])) };
}

const isRelative = (path: unknown): boolean => typeof path === 'string' && path !== '' && !isAbsolute(path);
