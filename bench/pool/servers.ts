/** Who is measured: the agent, and those beside it, each a process of its own with its files on the same disk. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startS3Server } from '../../test/harness/s3-server.ts';
import { Agent } from './agent.ts';
import { Child } from './child.ts';
import type { Dialect } from './dialect.ts';

export interface Server {
  readonly dialect: Dialect;
  readonly pid: number;
}

export interface Servers {
  readonly agent: Server;
  readonly bare: Server;
  readonly s3: Server;
}

const BARE = fileURLToPath(import.meta.resolve('./contenders/bare-server.ts'));
const BUCKET = '/blobs';

/** They end with the stack. */
export async function startServers(directory: string, stack: AsyncDisposableStack): Promise<Servers> {
  const agent = stack.use(await Agent.start({ directory, name: 'agent' }));
  return {
    agent: { dialect: agent.dialect, pid: agent.process.pid },
    bare: await bareServer(join(directory, 'bare'), stack),
    s3: await s3Server(join(directory, 's3'), stack),
  };
}

async function bareServer(directory: string, stack: AsyncDisposableStack): Promise<Server> {
  await mkdir(directory);
  const server = stack.use(new Child([process.execPath, BARE, directory]));
  const port = await server.says(/^(\d+)$/);
  return { dialect: { is: 'plain', url: `http://127.0.0.1:${port}`, prefix: '/', headers: {} }, pid: server.pid };
}

async function s3Server(directory: string, stack: AsyncDisposableStack): Promise<Server> {
  const server = stack.use(await startS3Server({ directory }));
  const { status, text } = await server.request({ method: 'PUT', path: BUCKET });
  if (status !== 200) throw new Error(`the S3 server made no bucket: ${status}: ${text}`);
  const { url, credentials, pid = 0 } = server;
  return { dialect: { is: 's3', url: url.origin, prefix: `${BUCKET}/`, credentials }, pid };
}
