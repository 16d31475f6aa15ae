/** `holdfast blob get KEY FILE`: reads a blob. A file is there under its name only when every byte of it was checked. */
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ReadBlob } from '../../pool-client/client.ts';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { poolFlags, withPool } from './agents.ts';
import { noSuchBlob } from './no-such-blob.ts';

export function addGet(blob: Command, terminal: Terminal): void {
  const command = blob
    .command('get')
    .usage('KEY FILE [flags]')
    .summary('reads a blob into a file')
    .description(
      'Reads a blob into a file, which gets its name only when the digest of all bytes is the one that was stored.',
    )
    .argument('<key>', 'what it was stored under')
    .argument('<file>', 'the file, which is replaced; or - for standard output');
  runs(command, poolFlags, terminal, async (options) => {
    const [key = '', file = ''] = command.args;
    await withPool(options, terminal, async (client, signal) => {
      const found = await client.get(key, { signal });
      if (!found) throw noSuchBlob(key);
      if (file === '-') await pipeline(found.body, process.stdout, { end: false });
      else await intoFile(found, file);
    });
  });
}

async function intoFile({ body }: ReadBlob, path: string): Promise<void> {
  const unfinished = `${path}.unfinished-${process.pid}`;
  try {
    await pipeline(body, createWriteStream(unfinished, { flags: 'wx' }));
    await using file = await open(unfinished, 'r');
    await file.sync();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
