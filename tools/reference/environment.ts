/** Every environment variable that the program reads: those of flags from the flags themselves, the others by what is said of them here. */
import { ENV } from '../../src/sync/contract.ts';
import { flagsOfAllCommands } from './command-line.ts';
import { code, table } from './table.ts';

export function flagVariableTable(): string {
  const read = flagsOfAllCommands().flatMap(({ command, flag }) =>
    flag.settings.env ? [{ variable: flag.settings.env, name: flag.long ?? '', command }] : [],
  );
  const byVariable = Map.groupBy(read, ({ variable }) => variable);
  return table(
    ['variable', 'flag', 'of'],
    [...byVariable]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([variable, of]) => [
        code(variable),
        [...new Set(of.map(({ name }) => code(name)))].join(', '),
        [...new Set(of.map(({ command }) => code(command)))].join(', '),
      ]),
  );
}

/** What the store of sync is told, and what it is for: one that is not said of does not compile. */
const OF_SYNC: Readonly<Record<keyof typeof ENV, string>> = {
  account:
    'the access key of S3, or the account of Azure. Without it and the secret, S3 takes what the machine or the pod has',
  secret: 'the secret key of S3, or the key of the account of Azure',
  bucket: 'the bucket, or the container',
  s3Endpoint: 'where S3 is, if not at AWS',
  region: 'the region of S3. `us-east-1` if not said',
  azureEndpoint: 'where Azure is, if not at `https://ACCOUNT.blob.core.windows.net`',
  path: 'the directory of `cloudProvider: file`',
  encryptionKey: '32 bytes in base64, with which exports are encrypted',
  previousEncryptionKeys: 'keys that were used before, one a line: they only open',
  signingKey: 'an Ed25519 key in PEM, with which exports are signed',
  trustedKeys: 'public Ed25519 keys in PEM: what one of them has signed is believed',
};

const THE_ORIGINALS: ReadonlySet<string> = new Set([ENV.account, ENV.secret, ENV.bucket, ENV.s3Endpoint]);

export const syncVariableTable = (): string =>
  table(
    ['variable', 'whose', 'what'],
    (Object.keys(ENV) as (keyof typeof ENV)[]).map((key) => [
      code(ENV[key]),
      THE_ORIGINALS.has(ENV[key]) ? 'original' : '',
      OF_SYNC[key],
    ]),
  );

/** Read by no flag. A test looks for those that the code reads and that are not here. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  KUBECONFIG: 'the kubeconfig files to read, several with colons, where `--kubeconfig` is not given',
  HOME: 'where `.kube/config` is, if nothing else says which cluster is meant',
  KUBERNETES_SERVICE_HOST: 'set in pods: then the service account of the pod is used, unless a kubeconfig is named',
  KUBERNETES_SERVICE_PORT: 'set in pods, with the former',
  HTTPS_PROXY:
    'the proxy to the API server and to object stores: http, https or socks5. Also in small letters, and HTTP_PROXY for http',
  HTTP_PROXY: 'the same for addresses with http',
  NO_PROXY:
    'what is reached without the proxy: names, domains, addresses and networks, with commas. Also in small letters',
  NO_COLOR: 'if it is set, nothing is coloured',
  POD_NAME: 'who holds a lease, and who tells an Event, is named after it; otherwise after the host',
  PORT: 'the port of `holdfast storage-agent`, as the original reads it, where `--listen` is not given',
  UV_THREADPOOL_SIZE: 'how many threads wait for disks; the program chooses it where it is not set',
  NODE_EXTRA_CA_CERTS: 'a file with authorities of your own, read by Node.js',
  NODE_OPTIONS: 'options of Node.js; the bundle sets the size of the heap itself where these do not',
  HOLDFAST_DEBUG: 'if it is set, an error of a command is shown with its stack',
  HOLDFAST_INVOKED_AS: 'set by `bin/holdfast`: the name that was typed',
};

export const otherVariableTable = (): string =>
  table(
    ['variable', 'what'],
    Object.entries(OTHER_VARIABLES).map(([name, what]) => [code(name), what]),
  );
