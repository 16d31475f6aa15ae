/** `holdfast blob put KEY FILE`: stores a file, once and for ever. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { fileSource } from '../../pool-client/source.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { shown } from '../page/render.ts';
import { poolFlags, withPool } from './agents.ts';

export function addPut(blob: Command, terminal: Terminal): void {
  const command = blob
    .command('put')
    .usage('KEY FILE [flags]')
    .summary('stores a file under a key')
    .description(
      'Stores a file under a key. A key is written once: the same bytes again change nothing, and other bytes are refused. ' +
        'When it ends well, the bytes are on the disk of an agent.',
    )
    .argument('<key>', 'what it is to be found by: up to 1024 bytes, of which none is NUL')
    .argument('<file>', 'the file, or - for standard input');
  runs(command, poolFlags, terminal, async (options) => {
    const [key = '', file = ''] = command.args;
    await withPool(options, terminal, async (client, signal) => {
      await using input = file === '-' ? await spooled(terminal) : { path: file, async [Symbol.asyncDispose]() {} };
      const source = await fileSource(input.path);
      const { made, agent } = await client.put(key, source, { signal });
      terminal.stdout.write(
        `${shown(key)}: ${source.size} bytes ${made ? 'stored at' : 'were stored before, at'} ${agent}\n`,
      );
    });
  });
}

/** What comes from a pipe comes once; agents may have to be sent it twice, and its digest first. */
async function spooled({ stdin }: Terminal): Promise<AsyncDisposable & { readonly path: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-'));
  const path = join(directory, randomUUID());
  await pipeline(stdin, createWriteStream(path, { mode: 0o600 }));
  return { path, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
