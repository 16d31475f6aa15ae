import { once } from 'node:events';
import { createServer } from 'node:http';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { aTerminal } from '../line/recorded-terminal.ts';
import { UsageError } from '../line/usage-error.ts';
import { define } from './console.ts';

async function run(...args: string[]): Promise<void> {
  const terminal = aTerminal();
  const command = new Command('console').exitOverride().configureOutput({ outputError: () => {} });
  define(command, terminal);
  await command.parseAsync(args, { from: 'user' });
}

test.each([':8765', '0.0.0.0:8765', '[::]:8765', '192.0.2.1:8765', 'console.example.com:80'])(
  'a console that would let everybody in at %s is not started',
  async (listen) => {
    await expect(run('--listen', listen)).rejects.toThrow(UsageError);
    await expect(run('--listen', listen)).rejects.toThrow(
      'listen on 127.0.0.1, or let callers bring their own tokens with --auth=token',
    );
  },
);

test('a port that a person has chosen and that is taken is an error', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await expect(
    run('--listen', `127.0.0.1:${port}`, '--master', 'http://127.0.0.1:1', '--log-level', 'silent'),
  ).rejects.toThrow('something else listens there');
  taken.close();
});

test.each([
  ['--tls-cert-file', 'tls.crt'],
  ['--tls-key-file', 'tls.key'],
])('%s alone is a slip', async (...args) => {
  await expect(run(...args)).rejects.toThrow('belong together: name both, or none');
});

test('files that are no certificate and its key are an error before anything is shown', async () => {
  const files = ['--tls-cert-file', import.meta.filename, '--tls-key-file', import.meta.filename];
  await expect(
    run('--listen', '127.0.0.1:0', '--master', 'http://127.0.0.1:1', '--log-level', 'silent', ...files),
  ).rejects.toThrow('are not a certificate and its key');
});
