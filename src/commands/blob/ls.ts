/** `holdfast blob ls`: what is stored in a pool, as it comes. */
import type { Command } from 'commander';
import { visible } from '../../kit/visible.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { poolFlags, withPool } from './agents.ts';

const flags = {
  ...poolFlags,
  prefix: flag('--prefix', 'only keys that begin like this', text('text', '2026/'), { emptyIsUnset: true }),
  output: flag('-o, --output', 'one line for each blob: for people, or JSON', choice('text', 'json'), {
    default: 'text',
  }),
};

export function addLs(blob: Command, terminal: Terminal): void {
  const command = blob
    .command('ls')
    .usage('[flags]')
    .summary('lists what is stored')
    .description(
      'Lists the blobs of a pool: size, SHA-256 and key, in the order of the hashed keys. It fails if an agent does not answer.',
    );
  runs(command, flags, terminal, async (options) => {
    await withPool(options, terminal, async (client, signal) => {
      for await (const info of client.list({ prefix: options.prefix, signal })) {
        signal.throwIfAborted();
        const { key, size, sha256 } = info;
        const line =
          options.output === 'json' ? JSON.stringify(info) : `${`${size}`.padStart(15)}  ${sha256}  ${visible(key)}`;
        terminal.stdout.write(`${line}\n`);
      }
    });
  });
}
