/** Which store it is, by the resource and the environment. The SDK of each is loaded only when it is needed. */
import { isAbsolute } from 'node:path';
import type { Random } from '../../kit/backoff.ts';
import { type Clock, systemClock } from '../../kit/clock/clock.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import { proxyFromEnvironment } from '../../kit/kube/proxy.ts';
import { ENV, PROVIDERS } from '../contract.ts';
import type { ObjectStore } from './store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is needed to open a store is not there. */
export class StoreIsNotConfigured extends Error {
  override readonly name = 'StoreIsNotConfigured';
}

export interface Passing {
  readonly clock: Clock;
  readonly random: Random;
}

/** `provider` in any case of letters. Throws `InvalidValue` or `StoreIsNotConfigured`; nothing is asked of the store itself yet. */
export async function openStore(
  provider: string,
  env: Environment,
  time: Passing = { clock: systemClock, random: Math.random },
): Promise<ObjectStore> {
  const wanted = PROVIDERS.find((each) => each === provider.trim().toLowerCase());
  switch (wanted) {
    case 's3':
      return await openS3(env, time);
    case 'azure':
      return await openAzure(env, time);
    case 'file':
      return await openDirectory(env, time);
    case undefined:
      throw new InvalidValue('cloudProvider', provider, `it is one of ${PROVIDERS.join(', ')}`);
  }
}

async function openS3(env: Environment, time: Passing): Promise<ObjectStore> {
  const endpoint = urlIn(env, ENV.s3Endpoint);
  const region = given(env, ENV.region) ?? 'us-east-1';
  const proxy = proxyFromEnvironment(endpoint ?? new URL(`https://s3.${region}.amazonaws.com`), env);
  const options = {
    bucket: required(env, ENV.bucket, 's3'),
    region,
    ...(endpoint && { endpoint }),
    ...(proxy && { proxy }),
    ...keysIn(env),
    ...time,
  };
  const { S3Store } = await import('./s3.ts');
  return new S3Store(options);
}

/** Both or none: with none the SDK looks for others. */
function keysIn(env: Environment) {
  if (given(env, ENV.account) === undefined && given(env, ENV.secret) === undefined) return {};
  const accessKeyId = required(env, ENV.account, 's3');
  return { credentials: { accessKeyId, secretAccessKey: required(env, ENV.secret, 's3') } };
}

async function openAzure(env: Environment, time: Passing): Promise<ObjectStore> {
  const account = required(env, ENV.account, 'azure');
  const options = {
    account,
    secret: required(env, ENV.secret, 'azure'),
    container: required(env, ENV.bucket, 'azure'),
    endpoint: urlIn(env, ENV.azureEndpoint) ?? azureUrl(account),
    ...time,
  };
  const { AzureStore } = await import('./azure.ts');
  return new AzureStore(options);
}

/** The account becomes a part of a host name: nothing else may. */
function azureUrl(account: string): URL {
  if (!/^[a-z0-9]{3,24}$/.test(account)) {
    throw new InvalidValue(ENV.account, account, 'accounts of Azure have 3 to 24 lower-case letters and digits');
  }
  return new URL(`https://${account}.blob.core.windows.net`);
}

async function openDirectory(env: Environment, time: Passing): Promise<ObjectStore> {
  const directory = required(env, ENV.path, 'file');
  if (!isAbsolute(directory)) throw new InvalidValue(ENV.path, directory, 'the path must be absolute');
  const { FileStore } = await import('./file.ts');
  return new FileStore({ directory, ...time });
}

/** As many Secrets have a line feed at their end, and what is empty is not there. */
const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

function required(env: Environment, name: string, provider: string): string {
  const value = given(env, name);
  if (value !== undefined) return value;
  throw new StoreIsNotConfigured(
    `${name} is not set, and cloudProvider ${provider} needs it: put it into the Secret that gives this program its environment`,
  );
}

function urlIn(env: Environment, name: string): URL | undefined {
  const value = given(env, name);
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidValue(name, withoutPassword(value), 'it must begin with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidValue(name, withoutPassword(value), 'credentials do not belong into it');
  }
  return url;
}

const withoutPassword = (value: string): string => value.replace(/[^/@]*@/, '…@');
