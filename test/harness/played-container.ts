/** What a kubelet makes of a container of a pod: which directory a mounted path is, the environment, and the program to run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { BUILT } from './built.ts';
import type { RawClient, RawObject } from './raw-client.ts';

/** The port of every storage agent. */
const PORT = 8080;

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly secret?: { readonly secretName: string };
  readonly emptyDir?: object;
}

/** What an image is started with. The address is the pod's own, which here is not that of its network namespace but one of loopback. */
export type Image = (start: { readonly args: readonly string[]; readonly address: string }) => readonly string[];

/** The program as it is shipped. */
export const holdfastImage: Image = ({ args, address }) => [
  process.execPath,
  ...NODE_FLAGS,
  BUILT,
  ...args,
  '--listen',
  `${address}:${PORT}`,
];

/** Anything that speaks the original's two endpoints, and nothing else. */
export const twoEndpointImage: Image = ({ address }) => [
  process.execPath,
  join(import.meta.dirname, 'two-endpoint-agent.ts'),
  `${address}:${PORT}`,
];

/** A pod's volumes as directories, by their names. */
export type Directories = ReadonlyMap<string, string>;

interface VolumeSources {
  readonly admin: RawClient;
  readonly namespace: string;
  /** Of the pod: holds what lives no longer than it. */
  readonly directory: string;
  readonly directoryOfClaim: (name: string) => string;
}

export async function directoriesOf(volumes: readonly PodVolume[], sources: VolumeSources): Promise<Directories> {
  const made = volumes.map(async (volume) => [volume.name, await directoryOf(volume, sources)] as const);
  return new Map(await Promise.all(made));
}

async function directoryOf(volume: PodVolume, { admin, namespace, directory, directoryOfClaim }: VolumeSources) {
  if (volume.persistentVolumeClaim) return directoryOfClaim(volume.persistentVolumeClaim.claimName);
  const own = join(directory, volume.name);
  await mkdir(own, { recursive: true });
  if (volume.secret) {
    const path = `/api/v1/namespaces/${namespace}/secrets/${volume.secret.secretName}`;
    const { data = {} } = await admin.get<RawObject & { data?: Readonly<Record<string, string>> }>(path);
    const files = Object.entries(data).map(([file, text]) => writeFile(join(own, file), Buffer.from(text, 'base64')));
    await Promise.all(files);
  }
  return own;
}

/** The fields of a pod that its containers are told. */
export type Fields = Readonly<Record<string, string>>;

/** The command line, with nothing of the tester's own environment. */
export function commandLine(
  container: Container,
  { image, address, directories, fields }: { image: Image; address: string; directories: Directories; fields: Fields },
): readonly string[] {
  const here = translation(container, directories);
  const env = (container.env ?? []).map((each) => `${each.name}=${here(valueIn(each, fields))}`);
  const args = (container.args ?? []).map(here);
  return ['-i', ...env, ...image({ args, address })];
}

function valueIn({ name, value, valueFrom }: EnvVar, fields: Fields): string {
  if (!valueFrom) return value ?? '';
  const found = fields[valueFrom.fieldRef?.fieldPath ?? ''];
  if (found === undefined) throw new Error(`${name} comes from ${JSON.stringify(valueFrom)}, which is not played`);
  return found;
}

/** A path that is mounted is a directory somewhere else; any other text stays as it is. */
function translation({ volumeMounts = [] }: Container, directories: Directories): (text: string) => string {
  return (text) => {
    const mount = volumeMounts.find(({ mountPath }) => text === mountPath || text.startsWith(`${mountPath}/`));
    const directory = mount && directories.get(mount.name);
    return mount && directory ? directory + text.slice(mount.mountPath.length) : text;
  };
}
