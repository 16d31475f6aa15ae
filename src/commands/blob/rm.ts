/** `holdfast blob rm KEY…`: removes blobs for good. */
import type { Command } from 'commander';
import { runs } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { shown } from '../page/render.ts';
import { poolFlags, withPool } from './agents.ts';
import { noSuchBlob } from './no-such-blob.ts';

export function addRm(blob: Command, terminal: Terminal): void {
  const command = blob
    .command('rm')
    .usage('KEY... [flags]')
    .summary('removes blobs for good')
    .description('Removes blobs for good. When it ends well, every agent has said that it has none of them any more.')
    .argument('<key...>', 'what they were stored under');
  runs(command, poolFlags, terminal, async (options) => {
    await withPool(options, terminal, async (client, signal) => {
      const missing: Error[] = [];
      for (const key of command.args) {
        if (await client.remove(key, { signal })) terminal.stdout.write(`${shown(key)}: removed\n`);
        else missing.push(noSuchBlob(key));
      }
      if (missing.length > 0) throw new AggregateError(missing);
    });
  });
}
