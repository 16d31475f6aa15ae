import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from './commands.ts';
import { invokedAs } from './invoked-as.ts';
import { runCommandLine } from './line/program.ts';
import { aTerminal } from './line/recorded-terminal.ts';

async function run(...args: readonly string[]) {
  const terminal = aTerminal();
  const line = ['sandbox', '--nodes', '0', ...args];
  const code = await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), line, terminal);
  return { code, ...terminal.written };
}

test('a taken port is told with the flag and the remedy', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, err } = await run('--port', `${port}`);
  other.close();
  expect(err).toContain(`cannot listen on port ${port} (--port): something else listens there; choose another port`);
  expect(code).not.toBe(0);
});

test('the kubeconfig of other clusters is not written over', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  const path = join(directory, 'config');
  const mine = 'apiVersion: v1\nkind: Config\n';
  await writeFile(path, mine);
  const { code, err } = await run('--kubeconfig-out', path);
  expect(err).toContain('no sandbox has written it');
  expect(code).not.toBe(0);
  expect(await readFile(path, 'utf8')).toBe(mine);
  await rm(directory, { recursive: true });
});
