/** Who is measured: the agent, and those beside it, each a process of its own with its files on the same disk. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startS3Server } from '../../test/harness/s3-server.ts';
import { Agent } from './agent.ts';
import { Child } from './child.ts';
import type { Dialect } from './dialect.ts';

export interface Servers {
  readonly agent: Dialect;
  readonly bare: Dialect;
  readonly s3: Dialect;
}

const BARE = fileURLToPath(import.meta.resolve('./contenders/bare-server.ts'));
const BUCKET = '/blobs';

/** They end with the stack. */
export async function startServers(directory: string, stack: AsyncDisposableStack): Promise<Servers> {
  const agent = stack.use(await Agent.start({ directory, name: 'agent' }));
  return {
    agent: { is: 'plain', url: agent.url, prefix: '/blobs/', headers: agent.headers },
    bare: await bareServer(join(directory, 'bare'), stack),
    s3: await s3Server(join(directory, 's3'), stack),
  };
}

async function bareServer(directory: string, stack: AsyncDisposableStack): Promise<Dialect> {
  await mkdir(directory);
  const server = stack.use(new Child([process.execPath, BARE, directory]));
  const port = await server.says(/^(\d+)$/);
  return { is: 'plain', url: `http://127.0.0.1:${port}`, prefix: '/', headers: {} };
}

async function s3Server(directory: string, stack: AsyncDisposableStack): Promise<Dialect> {
  const server = stack.use(await startS3Server({ directory }));
  const { status, text } = await server.request({ method: 'PUT', path: BUCKET });
  if (status !== 200) throw new Error(`the S3 server made no bucket: ${status}: ${text}`);
  return { is: 's3', url: server.url.origin, prefix: `${BUCKET}/`, credentials: server.credentials };
}
